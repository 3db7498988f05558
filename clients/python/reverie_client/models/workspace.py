"""Agents, tasks, keys and imports."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from reverie_client.models.base import Answer, Json

KeyScope = Literal["read", "write", "dream", "export"]


class Limits(Answer):
    """The most that a workspace or a key may use; None is no limit."""

    requests_per_minute: int | None = None
    requests_per_day: int | None = None
    rows_max: int | None = None
    bytes_max: int | None = None
    day_cost_max_usd: float | None = None
    month_cost_max_usd: float | None = None
    dreams_max: int | None = None


class AgentRecord(Answer):
    """An agent."""

    agent: str
    name: str | None = None
    prime: bool
    teams: list[str]
    settings: Json
    created_at: datetime


class TaskRecord(Answer):
    """A task; ``members`` is None while it is open to every agent that names it."""

    task: str
    members: list[str] | None


class Whoami(Answer):
    """The key in use: the workspace it opens, and as whom."""

    workspace: str
    key_id: UUID
    name: str
    role: Literal["admin", "agent", "reader"]
    agent: str | None = None
    prefix: str | None = None
    scopes: list[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = Limits()
    client_id: UUID | None = None


class _Granted(Answer):
    """What a key is for. ``prefix`` is how its text begins; ``scopes`` narrow the role (None: all of it)."""

    id: UUID
    name: str
    role: Literal["admin", "agent", "reader"]
    agent: str | None = None
    prefix: str | None = None
    scopes: list[KeyScope] | None = None
    expires_at: datetime | None = None
    limits: Limits = Limits()


class KeyLimits(Answer):
    """The limits of a key after a change."""

    id: UUID
    limits: Limits


class Key(_Granted):
    """An API key, without its text."""

    created_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    client_id: UUID | None = None
    granted_by: UUID | None = None


class CreatedKey(_Granted):
    """A new key; ``key`` is shown this once."""

    key: str


class Workspace(Answer):
    """A workspace of the installation."""

    id: UUID
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    limits: Limits = Limits()


class CreatedWorkspace(Answer):
    """A new workspace; ``key``, its first admin key, is shown this once."""

    id: UUID
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    limits: Limits = Limits()
    key: str


class WorkspaceReceipt(Answer):
    """What says that a workspace is gone."""

    id: UUID
    workspace: UUID
    name: str
    counts: dict[str, int]
    at: datetime


class WorkspaceDeletion(Answer):
    """The rows of a workspace by table: counted, with the ``token`` that deletes them, or gone, with a receipt."""

    dry_run: bool
    counts: dict[str, int]
    token: str | None = None
    expires_at: datetime | None = None
    receipt: WorkspaceReceipt | None = None


class Imported(Answer):
    """What an import did."""

    created: int
    unchanged: int
    updated: int
    skipped: int = 0
    complete: bool | None = None
    records: dict[str, Json] = {}
