"""Memories as they are shown (by the API, MCP, exports and dreams), and as they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.field_types import AgentName, CreatedAt
from service.domain.json import JsonObject
from service.domain.origin import Origin
from service.domain.own_types import TYPES_NAMED
from service.domain.times import Precision
from service.domain.types import Scope, Status


@dataclass(frozen=True, slots=True)
class MemoryFields:
    """Fields of a memory that its versions keep."""

    id: Annotated[UUID, Field(description="Id of the memory.")]
    type: Annotated[str, Field(description=f"Type of the memory: {TYPES_NAMED}.")]
    content: Annotated[str, Field(description="Text of the memory.")]
    summary: Annotated[str, Field(description="One-line summary.")]
    user: Annotated[str | None, Field(description="User described by the memory.")]
    owners: Annotated[
        list[str], Field(description="Users the memory belongs to; no other user sees it. Empty: the agent's.")
    ]
    created_at: CreatedAt
    occurred_at: Annotated[
        datetime | None, Field(description="Beginning of the described event; null where no time is known.")
    ]
    occurred_until: Annotated[
        datetime | None,
        Field(description="End of the described event, exclusive; null for an instant and where no time is known."),
    ]
    occurred_precision: Annotated[
        Precision | None,
        Field(
            description="Precision of the two: `year`, `month` or `day` (of the calendar, whose days are written as "
            "midnights of UTC), or `minute`."
        ),
    ]
    agent: AgentName
    scope: Annotated[Scope, Field(description="Scope of the memory.")]
    team: Annotated[str | None, Field(description="Team of a team-scoped memory.")]
    task: Annotated[str | None, Field(description="Task of a task-scoped memory.")]
    session: Annotated[str | None, Field(description="Session of origin.")]
    key: Annotated[str | None, Field(description="Upsert key, unique per agent and scope.")]
    tags: Annotated[list[str], Field(description="Tags of the memory.")]
    status: Annotated[Status | None, Field(description="Status of a todo: `open` or `done`; null for other types.")]
    metadata: Annotated[JsonObject, Field(description="JSON object of the caller's own.")]
    importance: Annotated[float, Field(description="Importance from 0 to 1 before decay.")]
    confidence: Annotated[float, Field(description="Confidence from 0 to 1.")]
    origin: Annotated[
        Origin,
        Field(
            description="Origin: `own_user` (user of the session), `api` (direct save), `assistant`, `other_user`, "
            "`imported`, `document` or `tool`; of a conclusion the least trusted one of its sources."
        ),
    ]
    hearsay_by: Annotated[
        str | None,
        Field(description="Speaker of a statement about somebody else; null for a statement that is not hearsay."),
    ]
    source: Annotated[JsonObject, Field(description="JSON object with the origin.")]
    valid_from: Annotated[datetime, Field(description="Start of validity.")]
    valid_until: Annotated[datetime | None, Field(description="End of validity; null while valid.")]
    superseded_by: Annotated[UUID | None, Field(description="Id of the replacing memory.")]
    expires_at: Annotated[datetime | None, Field(description="Time of expiry.")]
    updated_at: Annotated[datetime, Field(description="Time of the last change.")]
    deleted_at: Annotated[datetime | None, Field(description="Time of deletion; null for a live memory.")]
    decay_exempt: Annotated[bool, Field(description="Exemption from the decay of importance.")]
    version: Annotated[int, Field(description="Version number, starting at 1.")]
    dream_id: Annotated[UUID | None, Field(description="Id of the creating dream; null for memories saved by the API.")]


@dataclass(frozen=True, slots=True)
class Memory(MemoryFields):
    """Stored memory."""

    effective_importance: Annotated[float, Field(description="Importance from 0 to 1 after decay.")]
    embedding: Annotated[
        Literal["ready", "pending", "none"],
        Field(description="State of the vector: `ready`, `pending` (still to be computed) or `none` (not indexed)."),
    ]
    access_count: Annotated[int, Field(description="Number of returns by searches and contexts.")]
    last_accessed_at: Annotated[datetime | None, Field(description="Time of the last return by a search or context.")]


@dataclass(frozen=True, slots=True)
class MemoryVersion(MemoryFields):
    """Memory as a version of its history has it."""

    language: Annotated[str | None, Field(description="Language of the text.")]
    tokens: Annotated[int, Field(description="Length of the text in tokens.")]
    actor: Annotated[str, Field(description="Actor of the change: `agent:<name>`, `<role>:<key id>` or `dream:<id>`.")]
    reason: Annotated[str, Field(description="Reason for the change.")]
    at: Annotated[datetime, Field(description="Time of the change.")]


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """Row of a memory by the names of its columns, as it is read under its lock and written.

    Without the workspace and what statements derive: the language, the lexemes, the time of learning.
    """

    id: UUID
    agent_id: UUID
    audience: UUID
    type: str
    scope: Scope
    owners: list[str]
    origin: Origin
    content: str
    summary: str
    identity_hash: bytes
    tokens: int
    importance: float
    confidence: float
    tags: list[str]
    metadata: JsonObject
    source: JsonObject
    valid_from: datetime
    created_at: datetime
    updated_at: datetime
    changed_by: str
    change_reason: str
    like_type: str | None = None
    team_id: UUID | None = None
    task_id: UUID | None = None
    session_id: UUID | None = None
    user_name: str | None = None
    hearsay_by: str | None = None
    key: str | None = None
    status: Status | None = None
    decay_exempt: bool = False
    occurred_at: datetime | None = None
    occurred_until: datetime | None = None
    expires_at: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: UUID | None = None
    deleted_at: datetime | None = None
    version: int = 1
    reinforced_at: datetime | None = None
    dream_id: UUID | None = None
    dream_analysis: JsonObject | None = None
    key_id: UUID | None = None

    @property
    def live(self) -> bool:
        """Return whether the memory is neither deleted nor replaced."""
        return self.deleted_at is None and self.superseded_by is None

    def columns(self) -> JsonObject:
        """Return the columns by name."""
        return dict(zip(self.__slots__, _VALUES(self), strict=True))


_VALUES = attrgetter(*StoredMemory.__slots__)

Outcome = Literal["created", "reinforced", "updated"]
"""What a save did: made a memory, was repeated by one, or changed the one of its key."""


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """Result of a save."""

    memory: Annotated[Memory | None, Field(description="Stored memory; null with X-Reverie-No-Memory.")]
    created: Annotated[bool, Field(description="Creation of a new memory.")]
    reinforced: Annotated[bool, Field(description="Reinforcement of an identical stored memory. Default false.")] = (
        False
    )
    updated: Annotated[bool, Field(description="Update of the stored memory with the same key. Default false.")] = False

    @classmethod
    def after(cls, memory: Memory, outcome: Outcome) -> SavedMemory:
        """Return the result of a save that left ``memory``."""
        return cls(memory, outcome == "created", outcome == "reinforced", outcome == "updated")


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Message that a memory was made of."""

    message_id: Annotated[UUID, Field(description="Id of the message.")]
    session: Annotated[str, Field(description="Name of the session.")]
    seq: Annotated[int, Field(description="Position in the session, starting at 1 without gaps.")]
    role: Annotated[str, Field(description="Role of the speaker: `system`, `user`, `assistant` or `tool`.")]
    content: Annotated[str, Field(description="Text of the message.")]
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class TypeStats:
    """Statistics of the live memories of one type."""

    memories: Annotated[int, Field(description="Number of live memories.")]
    tokens: Annotated[int, Field(description="Total length in tokens.")]
    pending: Annotated[int, Field(description="Number of memories without a vector.")]
    recalled: Annotated[int, Field(description="Number of memories returned by a search at least once.")]


@dataclass(frozen=True, slots=True)
class MemoryStats(TypeStats):
    """Statistics of the live memories visible to the caller."""

    types: Annotated[dict[str, TypeStats], Field(description="Statistics by memory type.")]


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """One page of a list of memories."""

    items: Annotated[list[Memory], Field(description="Items of this page.")]
    next_cursor: Annotated[str | None, Field(description="Cursor of the next page; null on the last page.")]
    total: Annotated[
        int | None,
        Field(
            description="Number of all memories that pass the filters, counted up to 100,000; null unless asked for."
        ),
    ] = None
