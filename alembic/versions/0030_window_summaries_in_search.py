"""Which search rows are summaries of windows, which take no place from the messages that they summarise.

Revision ID: 0030
Revises: 0029
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import for_each_workspace

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("search_index", sa.Column("window_summary", sa.Boolean(), server_default="false", nullable=False))
    for_each_workspace(
        "UPDATE search_index i SET window_summary = true FROM window_summaries w"
        " WHERE i.workspace_id = one AND w.workspace_id = one AND i.id = w.memory_id"
    )


def downgrade() -> None:
    op.drop_column("search_index", "window_summary")
