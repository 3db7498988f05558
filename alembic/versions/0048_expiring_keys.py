"""Keys that expire, with scopes narrower than their role, a shown prefix, and their use by day.

Revision ID: 0048
Revises: 0047
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import create_versioned_function, enable_rls, for_each_workspace

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("prefix", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=True))
    op.add_column("api_keys", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "key_usage",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "key_id"],
            ["api_keys.workspace_id", "api_keys.id"],
            name=op.f("fk_key_usage_api_keys_workspace_id_key_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "key_id", "day", name=op.f("pk_key_usage")),
    )
    enable_rls("key_usage")
    create_versioned_function("authenticate_v4")
    op.execute("DROP FUNCTION reverie_authenticate_v3")


def downgrade() -> None:
    """Keys with an expiry or scopes are revoked: an older release would let them do everything, for ever."""
    for_each_workspace(
        """UPDATE api_keys SET revoked_at = now()
        WHERE workspace_id = one AND revoked_at IS NULL AND num_nonnulls(expires_at, scopes) > 0"""
    )
    create_versioned_function("authenticate_v3")
    op.execute("DROP FUNCTION reverie_authenticate_v4")
    op.drop_table("key_usage")
    op.drop_column("api_keys", "expires_at")
    op.drop_column("api_keys", "scopes")
    op.drop_column("api_keys", "prefix")
