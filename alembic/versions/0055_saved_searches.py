"""Saved searches with the memories they must find, and the results of their runs.

Revision ID: 0055
Revises: 0054
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import enable_rls

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "saved_searches",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("options", JSONB(), server_default="{}", nullable=False),
        sa.Column("expected", JSONB(), server_default="[]", nullable=False),
        sa.Column("k", sa.Integer(), server_default="10", nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_saved_searches_agents_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_saved_searches")),
    )
    op.create_index("ix_saved_searches_agent", "saved_searches", ["workspace_id", "agent_id", "id"])
    op.create_table(
        "saved_search_results",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("search_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("k", sa.Integer(), server_default="0", nullable=False),
        sa.Column("recall", sa.Double()),
        sa.Column("outcomes", JSONB(), server_default="[]", nullable=False),
        sa.Column("overrides", JSONB(), server_default="{}", nullable=False),
        sa.Column("settings", JSONB(), server_default="{}", nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("embedder", sa.Text()),
        sa.Column("degraded", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "search_id"],
            ["saved_searches.workspace_id", "saved_searches.id"],
            name=op.f("fk_saved_search_results_saved_searches_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "search_id", "id", name=op.f("pk_saved_search_results")),
    )
    enable_rls("saved_searches", "saved_search_results")


def downgrade() -> None:
    op.drop_table("saved_search_results")
    op.drop_table("saved_searches")
