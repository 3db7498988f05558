"""An index of open todos, which dreams compare with what is said to be done.

Revision ID: 0037
Revises: 0036
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_memories_open_todos",
        "memories",
        ["workspace_id", "audience", "id"],
        postgresql_where=sa.text("type = 'todo' AND status = 'open' AND deleted_at IS NULL AND superseded_by IS NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_memories_open_todos", table_name="memories")
