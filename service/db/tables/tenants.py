"""Workspaces, who may use them, and the agents, teams and tasks in them."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import UUID

from service.db.tables.columns import (
    bool_column,
    id_column,
    in_workspace,
    json_column,
    key,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
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
    key(),
    in_workspace(),
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
    time_column("created_at", nullable=False, default_now=True),
    time_column("revoked_at"),
    key("id"),
    UniqueConstraint("workspace_id", "hash"),
    in_workspace(),
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
    key("id"),
    UniqueConstraint("workspace_id", "agent"),
    in_workspace(),
)

teams = Table(
    "teams",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("team"),
    key("id"),
    UniqueConstraint("workspace_id", "team"),
    in_workspace(),
)

team_members = Table(
    "team_members",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    id_column("team_id"),
    key("agent_id", "team_id"),
    references("agents", "agent_id"),
    references("teams", "team_id"),
)

tasks = Table(
    "tasks",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("task"),
    key("id"),
    UniqueConstraint("workspace_id", "task"),
    in_workspace(),
)
