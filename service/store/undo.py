"""Taking a dream's changes back, row by row. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.dreams import DreamAction, DreamStatus
from service.domain.json import JsonObject
from service.errors import NotFound
from service.store import insights


@dataclass(frozen=True, slots=True)
class LockedDream:
    """A dream while it is locked."""

    status: DreamStatus
    watermarks: list[JsonObject]
    agent_id: UUID


@dataclass(frozen=True, slots=True)
class UndoableChange:
    """A change of a dream with what taking it back takes (``undo``); null where there is nothing to take back."""

    op: DreamAction
    memory_id: UUID | None
    undo: JsonObject | None
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChangedMemory:
    """A memory that a dream changed: the version it was left at, the columns (``row``) it had, and the sources that it
    was given."""

    version: int
    row: JsonObject
    sources: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class DescribedEntity:
    """An entity whose metadata a dream changed, from ``before`` to ``after``; ``updated_at`` as it was before."""

    id: UUID
    before: JsonObject
    after: JsonObject
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class MadeProposal:
    """A proposal of a dream at the version it was left at; the columns (``row``) that one had which waited already."""

    version: int
    row: JsonObject | None


async def lock_dream(connection: Connection, workspace: UUID, dream_id: UUID) -> LockedDream:
    """Lock a dream. No dream of its agent commits until the transaction ends. Raises NotFound where it has been deleted
    meanwhile."""
    agent_id: UUID | None = await connection.value("dream_agent", workspace=workspace, id=dream_id)
    await connection.run("hold_schedule", workspace=workspace, agent_id=agent_id)
    dream = await connection.first(LockedDream, "lock_dream", workspace=workspace, id=dream_id)
    if dream is None:
        raise NotFound("There is no such dream here.")
    return dream


async def links_of(connection: Connection, workspace: UUID, dream_id: UUID, memory_id: UUID) -> dict[int, UUID]:
    """Return the links that a dream drew from or to a memory: edges by the number of the change."""
    rows = await connection.fetch("links_of_memory", workspace=workspace, dream_id=dream_id, memory_id=memory_id)
    return {row["ordinal"]: row["edge_id"] for row in rows}


async def remaining(
    connection: Connection, workspace: UUID, agent_id: UUID, *, entities: Sequence[UUID], versions: Sequence[int]
) -> list[str]:
    """Return those of entities, and of versions of the agent's bulletin, that are still there."""
    rows = await connection.fetch(
        "remaining", workspace=workspace, agent_id=agent_id, entities=entities, versions=versions
    )
    return [row["id"] for row in rows]


async def depended_on(
    connection: Connection, workspace: UUID, dream_id: UUID, created: Sequence[UUID], edges: Sequence[UUID]
) -> list[UUID]:
    """Return memories and edges made by others since that rest on memories of the dream, and edges of it that are
    gone."""
    rows = await connection.fetch("depended_on", workspace=workspace, dream_id=dream_id, ids=created, edges=edges)
    return [row["id"] for row in rows]


async def remove_memories(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete memories for good, with their search rows, posting lists, sources and history, and what was concluded from
    them."""
    await insights.remove(connection, workspace, await insights.resting_on(connection, workspace, ids))
    for query in ("undo_terms", "undo_index", "undo_memories"):
        await connection.run(query, workspace=workspace, ids=ids)


async def restore_metadata(connection: Connection, workspace: UUID, undone: Sequence[DescribedEntity]) -> None:
    """Set the metadata of entities as it was, where it still is as the dream left it."""
    for one in undone:
        await connection.run(
            "undo_entity_metadata", workspace=workspace, id=one.id, before=one.before, after=one.after,
            updated_at=one.updated_at,
        )  # fmt: skip


async def restore_memories(connection: Connection, workspace: UUID, undone: Mapping[UUID, ChangedMemory]) -> None:
    """Set the columns that memories had again, and forget the versions and sources added since."""
    items = [{"id": memory_id, "row": one.row} for memory_id, one in undone.items()]
    await connection.run("restore_rows", workspace=workspace, items=items)
    await connection.run("undo_versions", workspace=workspace, items=items)
    pairs = [(memory_id, message) for memory_id, one in undone.items() for message in one.sources]
    await connection.run(
        "undo_sources",
        workspace=workspace,
        memory_ids=[memory for memory, _ in pairs],
        message_ids=[message for _, message in pairs],
    )


async def remove_bulletins(connection: Connection, workspace: UUID, dream_id: UUID, versions: Sequence[int]) -> None:
    """Delete the dream's bulletin, unless a later version follows: that one hides what is gone by itself."""
    if versions:
        await connection.run("undo_bulletin", workspace=workspace, dream_id=dream_id, versions=versions)
