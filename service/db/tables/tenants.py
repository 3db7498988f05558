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
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "hash"),
    workspace_fk(),
)

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
