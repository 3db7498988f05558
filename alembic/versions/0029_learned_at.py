"""When a memory was stored here, whatever date its history brings: decay counts from then.

Revision ID: 0029
Revises: 0028
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Memories that are there already have none, and count from ``created_at`` as before; no row is rewritten."""
    op.add_column("memories", sa.Column("learned_at", sa.DateTime(timezone=True), nullable=True))
    op.alter_column("memories", "learned_at", server_default=sa.text("now()"))


def downgrade() -> None:
    op.drop_column("memories", "learned_at")
