"""An index of the summaries of windows, whose words do not count beside those of the messages that they summarise.

Revision ID: 0034
Revises: 0033
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_search_index_summaries",
        "search_index",
        ["workspace_id", "audience"],
        postgresql_where=sa.text("window_summary"),
    )


def downgrade() -> None:
    op.drop_index("ix_search_index_summaries", table_name="search_index")
