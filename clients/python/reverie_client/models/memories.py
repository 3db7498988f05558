"""Memories and the entities they speak of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from reverie_client.models.base import Answer, Json, MemoryType, Origin, Scope


def attribution(hearsay_by: str | None, user: str | None) -> str:
    """Whose word a memory of ``user`` rests on where it is hearsay, in words; else empty."""
    if not hearsay_by:
        return ""
    return f"according to {'somebody under that name' if hearsay_by == user else hearsay_by}"


class MemoryRecord(Answer):
    """A memory."""

    id: UUID
    agent: str
    type: MemoryType
    scope: Scope
    team: str | None = None
    task: str | None = None
    session: str | None = None
    user: str | None = None
    hearsay_by: str | None = None
    origin: Origin = "api"
    key: str | None = None
    content: str
    summary: str
    importance: float
    effective_importance: float
    confidence: float
    tags: list[str]
    metadata: Json
    source: Json
    status: Literal["open", "done"] | None = None
    decay_exempt: bool
    embedding: Literal["ready", "pending", "none"]
    access_count: int
    last_accessed_at: datetime | None = None
    occurred_at: datetime | None = None
    valid_from: datetime
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    expires_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    version: int
    dream_id: UUID | None = None

    @property
    def attribution(self) -> str:
        """Whose word it rests on where it is hearsay, in words; else empty."""
        return attribution(self.hearsay_by, self.user)


class TypeStats(Answer):
    """The live memories of one type; ``recalled`` were found by a search at least once."""

    memories: int
    tokens: int
    pending: int
    recalled: int


class MemoryStats(TypeStats):
    """All live memories, and those of each type."""

    types: dict[MemoryType, TypeStats]


class SavedMemory(Answer):
    """A memory after a save; none where memory was switched off for the call."""

    memory: MemoryRecord | None
    created: bool
    reinforced: bool = False
    updated: bool = False


class Entity(Answer):
    """Someone or something memories speak of."""

    id: UUID
    name: str
    kind: str
    aliases: list[Any] = []
    metadata: Json = {}
