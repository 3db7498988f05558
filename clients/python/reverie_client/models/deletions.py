"""Answers about deletions of sessions, agents and teams."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from reverie_client.models.base import Answer


class Deleted(Answer):
    """Rows by table: counted, with the ``token`` that deletes them, or deleted, with the id to bring them back by."""

    dry_run: bool
    counts: dict[str, int]
    token: str | None = None
    expires_at: datetime | None = None
    deletion_id: UUID | None = None
    restorable_until: datetime | None = None


class Deletion(Answer):
    """A deletion of a session, an agent or a team; ``restored_at`` once it is undone."""

    id: UUID
    kind: Literal["session", "agent", "team"]
    name: str
    agent: str | None = None
    counts: dict[str, int]
    deleted_by: str | None = None
    deleted_at: datetime | None = None
    restored_at: datetime | None = None
    restorable_until: datetime | None = None
