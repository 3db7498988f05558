"""Workspaces, who may use them, and the agents, teams and tasks in them."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import ARRAY, UUID

from service.db.tables.columns import (
    bool_column,
    id_column,
    json_column,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
    workspace_fk,
    workspace_pk,
)

workspaces = Table(
    "workspaces",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    time_column("created_at", nullable=False, default_now=True),
    time_column("suspended_at"),
    json_column("limits", nullable=True),
    id_column("deletion_of", nullable=True),
)

deletions = Table(
    "deletions",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("kind"),
    text_column("name"),
    text_column("agent", nullable=True),
    json_column("counts"),
    json_column("kept"),
    text_column("deleted_by"),
    time_column("deleted_at", nullable=False),
    time_column("restored_at"),
    workspace_pk("id"),
    workspace_fk(),
)

settings = Table(
    "settings",
    metadata,
    workspace_column(),
    json_column("value"),
    time_column("updated_at", nullable=False, default_now=True),
    workspace_pk(),
    workspace_fk(),
)

pii_secrets = Table(
    "pii_secrets",
    metadata,
    workspace_column(),
    Column("secret", LargeBinary, nullable=False),
    workspace_pk(),
    workspace_fk(),
)

api_keys = Table(
    "api_keys",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("name"),
    text_column("role"),
    text_column("agent", nullable=True),
    Column("hash", LargeBinary, nullable=False),
    Column("former_hashes", ARRAY(LargeBinary), nullable=False, server_default="{}"),
    time_column("created_at", nullable=False, default_now=True),
    time_column("revoked_at"),
    text_column("prefix", nullable=True),
    Column("scopes", ARRAY(Text), nullable=True),
    time_column("expires_at"),
    json_column("limits", nullable=True),
    id_column("client_id", nullable=True),
    id_column("granted_by", nullable=True),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "hash"),
    workspace_fk(),
)
"""``scopes`` is null for a key that may do all its role allows.

The access token of an OAuth client is a key: ``client_id`` is the client, ``granted_by`` the key that consented.
"""

oauth_clients = Table(
    "oauth_clients",
    metadata,
    Column("id", UUID(as_uuid=True), primary_key=True),
    text_column("name"),
    Column("redirect_uris", ARRAY(Text), nullable=False),
    time_column("created_at", nullable=False),
    time_column("used_at"),
)
"""Clients register before anybody has consented, so they belong to no workspace. ``used_at``: the last consent or
token."""

oauth_codes = Table(
    "oauth_codes",
    metadata,
    workspace_column(),
    Column("hash", LargeBinary, nullable=False),
    id_column("client_id"),
    id_column("granted_by"),
    text_column("role"),
    text_column("agent"),
    Column("scopes", ARRAY(Text), nullable=False),
    text_column("challenge"),
    text_column("redirect_uri"),
    bool_column("redirect_uri_given"),
    time_column("expires_at", nullable=False),
    id_column("key_id", nullable=True),
    workspace_pk("hash"),
    references("api_keys", "granted_by"),
    references("api_keys", "key_id"),
)
"""Authorization codes. ``key_id``: the access token that a used one was exchanged for."""

oauth_refresh_tokens = Table(
    "oauth_refresh_tokens",
    metadata,
    workspace_column(),
    Column("hash", LargeBinary, nullable=False),
    id_column("key_id"),
    Column("scopes", ARRAY(Text), nullable=False),
    time_column("expires_at", nullable=False),
    time_column("used_at"),
    workspace_pk("hash"),
    references("api_keys", "key_id"),
)
"""Refresh tokens of a client's key, the used ones until they expire: one that comes again is a copy."""

agents = Table(
    "agents",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("agent"),
    text_column("name", nullable=True),
    bool_column("prime"),
    id_column("prime_audience"),
    json_column("settings"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "agent"),
    workspace_fk(),
)

teams = Table(
    "teams",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("team"),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "team"),
    workspace_fk(),
)

team_members = Table(
    "team_members",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    id_column("team_id"),
    workspace_pk("agent_id", "team_id"),
    references("agents", "agent_id"),
    references("teams", "team_id"),
)

tasks = Table(
    "tasks",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("task"),
    bool_column("members_only"),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "task"),
    workspace_fk(),
)

task_members = Table(
    "task_members",
    metadata,
    workspace_column(),
    id_column("task_id"),
    id_column("agent_id"),
    workspace_pk("task_id", "agent_id"),
    references("tasks", "task_id"),
    references("agents", "agent_id"),
)
