"""OAuth for MCP: registered clients, authorization codes, refresh tokens, and the keys that clients act with.

Revision ID: 0052
Revises: 0051
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls, for_each_workspace, grant_dml

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def _key_reference(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["workspace_id", column],
        ["api_keys.workspace_id", "api_keys.id"],
        name=op.f(f"fk_{table}_api_keys_workspace_id_{column}"),
        ondelete="CASCADE",
    )


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("client_id", sa.UUID(), nullable=True))
    op.add_column("api_keys", sa.Column("granted_by", sa.UUID(), nullable=True))
    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("redirect_uris", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
    )
    grant_dml("oauth_clients")
    op.create_table(
        "oauth_codes",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("client_id", sa.UUID(), nullable=False),
        sa.Column("granted_by", sa.UUID(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("redirect_uri_given", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=True),
        _key_reference("oauth_codes", "granted_by"),
        _key_reference("oauth_codes", "key_id"),
        sa.PrimaryKeyConstraint("workspace_id", "hash", name=op.f("pk_oauth_codes")),
    )
    op.create_table(
        "oauth_refresh_tokens",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.UUID(), nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=True),
        _key_reference("oauth_refresh_tokens", "key_id"),
        sa.PrimaryKeyConstraint("workspace_id", "hash", name=op.f("pk_oauth_refresh_tokens")),
    )
    enable_rls("oauth_codes", "oauth_refresh_tokens")


def downgrade() -> None:
    """Keys of clients are revoked: an older release would not revoke them with the key that granted them."""
    for_each_workspace(
        """UPDATE api_keys SET revoked_at = now()
        WHERE workspace_id = one AND revoked_at IS NULL AND client_id IS NOT NULL"""
    )
    op.drop_table("oauth_refresh_tokens")
    op.drop_table("oauth_codes")
    op.drop_table("oauth_clients")
    op.drop_column("api_keys", "granted_by")
    op.drop_column("api_keys", "client_id")
