"""Runs of scheduled jobs, so that one of several workers does each; secrets that all processes share; and since when a
dream that was asked for has been waiting.

Revision ID: 0028
Revises: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import grant_dml

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cron_runs",
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("job", name=op.f("pk_cron_runs")),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secrets")),
    )
    grant_dml("cron_runs", "secrets")
    op.add_column("dream_schedule", sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("dream_schedule", "asked_at")
    op.drop_table("secrets")
    op.drop_table("cron_runs")
