"""Who said what is remembered of a user, where it was somebody else.

Revision ID: 0024
Revises: 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("memories", sa.Column("hearsay_by", sa.Text))
    op.create_index(
        "ix_memories_hearsay",
        "memories",
        ["workspace_id", "hearsay_by"],
        postgresql_where=sa.text("hearsay_by IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_memories_hearsay", "memories")
    op.drop_column("memories", "hearsay_by")
