"""Agents, tasks, keys and imports."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from reverie_client.models.base import Answer, Json


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


class Key(Answer):
    """An API key, without its text."""

    id: UUID
    name: str
    role: Literal["admin", "agent", "reader"]
    agent: str | None = None


class CreatedKey(Key):
    """A new key; ``key`` is shown this once."""

    key: str


class Imported(Answer):
    """What an import did."""

    created: int
    unchanged: int
    updated: int
    skipped: int = 0
    complete: bool | None = None
    records: dict[str, Json] = {}
