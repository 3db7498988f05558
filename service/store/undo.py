"""Taking a dream's changes back, row by row. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.errors import NotFound
from service.store import insights


async def lock_dream(connection: Connection, workspace: UUID, dream_id: UUID) -> Row:
    """The status and watermarks of a dream, locked. No dream of its agent commits until the transaction ends. Raises
    NotFound where it has been deleted meanwhile."""
    agent_id: UUID | None = await connection.value("dream_agent", workspace=workspace, id=dream_id)
    await connection.run("hold_schedule", workspace=workspace, agent_id=agent_id)
    row = await connection.row("lock_dream", workspace=workspace, id=dream_id)
    if row is None:
        raise NotFound("There is no such dream here.")
    return row


async def changes(connection: Connection, workspace: UUID, dream_id: UUID) -> list[Row]:
    """What a dream changed, with what undoing takes, in order."""
    return await connection.fetch("undoable_changes", workspace=workspace, dream_id=dream_id)


async def change(connection: Connection, workspace: UUID, dream_id: UUID, ordinal: int) -> Row | None:
    """One change of a dream (op, memory_id, undo, undone_at)."""
    return await connection.row("undoable_change", workspace=workspace, dream_id=dream_id, ordinal=ordinal)


async def links_of(connection: Connection, workspace: UUID, dream_id: UUID, memory_id: UUID) -> dict[int, UUID]:
    """The links that a dream drew from or to a memory: edges by the number of the change."""
    rows = await connection.fetch("links_of_memory", workspace=workspace, dream_id=dream_id, memory_id=memory_id)
    return {row["ordinal"]: row["edge_id"] for row in rows}


async def mark_changes_undone(
    connection: Connection, workspace: UUID, dream_id: UUID, ordinals: Sequence[int], now: datetime
) -> None:
    """Note that these changes have been taken back."""
    await connection.run("mark_changes_undone", workspace=workspace, dream_id=dream_id, ordinals=ordinals, now=now)


async def remaining(
    connection: Connection, workspace: UUID, agent_id: UUID, *, entities: Sequence[UUID], versions: Sequence[int]
) -> list[str]:
    """Those of entities, and of versions of the agent's bulletin, that are still there."""
    rows = await connection.fetch(
        "remaining", workspace=workspace, agent_id=agent_id, entities=entities, versions=versions
    )
    return [row["id"] for row in rows]


async def depended_on(
    connection: Connection, workspace: UUID, dream_id: UUID, created: Sequence[UUID], edges: Sequence[UUID]
) -> list[UUID]:
    """Memories and edges made by others since that rest on memories the dream made, and edges of it that are gone."""
    rows = await connection.fetch("depended_on", workspace=workspace, dream_id=dream_id, ids=created, edges=edges)
    return [row["id"] for row in rows]


async def remove_edges(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete edges."""
    await connection.run("undo_edges", workspace=workspace, ids=ids)


async def remove_memories(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete memories for good, with their search rows, posting lists, sources and history, and what was concluded from
    them."""
    await insights.remove(connection, workspace, await insights.resting_on(connection, workspace, ids))
    for query in ("undo_terms", "undo_index", "undo_memories"):
        await connection.run(query, workspace=workspace, ids=ids)


async def restore_metadata(connection: Connection, workspace: UUID, undone: Sequence[dict[str, Any]]) -> None:
    """Set the metadata of entities as it was (``before``, ``updated_at``), where it still is as the dream left it
    (``after``)."""
    for one in undone:
        await connection.run(
            "undo_entity_metadata", workspace=workspace, id=UUID(one["entity_id"]), before=one["before"],
            after=one["after"], updated_at=datetime.fromisoformat(one["updated_at"]),
        )  # fmt: skip


async def remove_entities(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete entities that nothing speaks of any more and nobody has changed."""
    await connection.run("undo_entities", workspace=workspace, ids=ids)


async def restore_memories(connection: Connection, workspace: UUID, undone: Mapping[UUID, dict[str, Any]]) -> None:
    """Set the columns kept in ``undone[id]["row"]`` again, and forget the versions and sources added since."""
    items = [{"id": memory_id, "row": undo["row"]} for memory_id, undo in undone.items()]
    await connection.run("restore_rows", workspace=workspace, items=items)
    await connection.run("undo_versions", workspace=workspace, items=items)
    pairs = [(id_, UUID(message)) for id_, undo in undone.items() for message in undo.get("sources", ())]
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


async def restore_watermarks(connection: Connection, workspace: UUID, watermarks: Sequence[Any]) -> None:
    """Make the messages the dream read due again, session by session, where no later dream has read on."""
    await connection.run("undo_watermarks", workspace=workspace, items=watermarks)


async def restore_unread(connection: Connection, workspace: UUID, dream_id: UUID) -> None:
    """Make the memories the dream read due again."""
    await connection.run("undo_readings", workspace=workspace, dream_id=dream_id)


async def mark_undone(connection: Connection, workspace: UUID, dream_id: UUID) -> None:
    """Close the dream as undone."""
    await connection.run("mark_undone", workspace=workspace, id=dream_id)
