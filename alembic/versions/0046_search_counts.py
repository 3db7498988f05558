"""Searches are counted by agent and day, with their latencies.

Revision ID: 0046
Revises: 0045
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import enable_rls

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "search_counts",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("searches", sa.BigInteger(), nullable=False),
        sa.Column("degraded", sa.BigInteger(), nullable=False),
        sa.Column("latencies", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "agent_id", "day", name=op.f("pk_search_counts")),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_search_counts_agents"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_search_counts_day", "search_counts", ["workspace_id", "day"])
    enable_rls("search_counts")


def downgrade() -> None:
    op.drop_table("search_counts")
