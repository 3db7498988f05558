"""What models are used for, by whom, and what of each day's budget is taken.

What dreams used on the day of the upgrade counts on.

Revision ID: 0023
Revises: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls, for_each_workspace

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_usage",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("failed_calls", sa.BigInteger(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint(
            "workspace_id", "day", "purpose", "model", "key_id", "agent", name=op.f("pk_model_usage")
        ),
    )
    op.create_table(
        "model_budgets",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("dream_tokens", sa.BigInteger(), nullable=False),
        sa.Column("dream_cost_usd", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "day", name=op.f("pk_model_budgets")),
    )
    enable_rls("model_usage", "model_budgets")
    for_each_workspace(
        """INSERT INTO model_budgets (workspace_id, day, tokens, cost_usd, dream_tokens, dream_cost_usd)
        SELECT one, today, tokens, cost_usd, tokens, cost_usd FROM (
            SELECT (now() AT TIME ZONE 'UTC')::date AS today,
                coalesce(sum(coalesce((usage ->> 'prompt_tokens')::bigint, 0)
                    + coalesce((usage ->> 'completion_tokens')::bigint, 0)), 0)::bigint AS tokens,
                coalesce(sum((usage ->> 'cost_usd')::float8), 0) AS cost_usd
            FROM dreams
            WHERE workspace_id = one AND started_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
        ) used"""
    )


def downgrade() -> None:
    op.drop_table("model_budgets")
    op.drop_table("model_usage")
