"""One change of a dream can be undone alone.

Revision ID: 0049
Revises: 0048
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("dream_changes", sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("dream_changes", "undone_at")
