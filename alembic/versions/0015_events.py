"""Events, and the webhooks they are sent to.

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import enable_rls, grant_dml

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=True),
        sa.Column("subject_id", sa.UUID(), nullable=False),
        sa.Column("details", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_events")),
    )
    op.create_index(
        "ix_events_position",
        "events",
        ["workspace_id", "position"],
        unique=True,
        postgresql_where=sa.text("position IS NOT NULL"),
    )
    op.create_index(
        "ix_events_waiting", "events", ["workspace_id", "at", "id"], postgresql_where=sa.text("position IS NULL")
    )
    op.create_table(
        "event_counters",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_event_counters")),
    )
    op.create_table(
        "webhooks",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("kinds", postgresql.ARRAY(sa.Text()), nullable=True),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_webhooks")),
    )
    enable_rls("events", "event_counters", "webhooks")
    op.create_table(
        "webhook_schedule",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("webhook_id", sa.UUID(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "webhook_id", name=op.f("pk_webhook_schedule")),
    )
    op.create_index("ix_webhook_schedule_due", "webhook_schedule", ["due_at"])
    grant_dml("webhook_schedule")


def downgrade() -> None:
    for table in ("webhook_schedule", "webhooks", "event_counters", "events"):
        op.drop_table(table)
