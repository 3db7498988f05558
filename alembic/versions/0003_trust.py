"""The audit log, rate limits, and an authentication that reads the settings with the key.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import create_versioned_function, enable_rls

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_limits",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=False),
        sa.Column("full_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "key_id"],
            ["api_keys.workspace_id", "api_keys.id"],
            name=op.f("fk_rate_limits_api_keys_workspace_id_key_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "key_id", name=op.f("pk_rate_limits")),
    )
    op.create_table(
        "audit_log",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("details", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_audit_log_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_audit_log")),
    )
    enable_rls("rate_limits", "audit_log")
    create_versioned_function("authenticate_v2")
    op.execute("DROP FUNCTION reverie_authenticate_v1")


def downgrade() -> None:
    create_versioned_function("authenticate_v1")
    op.execute("DROP FUNCTION reverie_authenticate_v2")
    op.drop_table("audit_log")
    op.drop_table("rate_limits")
