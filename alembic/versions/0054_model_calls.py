"""Calls of language models are kept where a workspace wants it.

Revision ID: 0054
Revises: 0053
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_calls",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=True),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("key_id", sa.UUID(), nullable=True),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failover", sa.Boolean(), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("input_chars", sa.Integer(), nullable=False),
        sa.Column("output_chars", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_model_calls")),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_model_calls_agents"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_model_calls_at", "model_calls", ["workspace_id", "at", "id"])
    op.create_index(
        "ix_model_calls_dream", "model_calls", ["workspace_id", "dream_id"],
        postgresql_where=sa.text("dream_id IS NOT NULL"),
    )  # fmt: skip
    enable_rls("model_calls")


def downgrade() -> None:
    op.drop_table("model_calls")
