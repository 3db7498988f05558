"""Deleting for good what nobody can ask for any more, a batch at a time. Each runs in the caller's transaction."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.store import insights


async def unused_memories(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> list[UUID]:
    """Live memories that nobody has used since then and that need not stay, locked."""
    return [
        row["id"] for row in await connection.fetch("unused_memories", workspace=workspace, before=before, limit=limit)
    ]


async def memories(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Memories deleted or expired before then, with all that is kept or concluded of them alone; how many."""
    rows = await connection.fetch("collectable_memories", workspace=workspace, before=before, limit=limit)
    ids = [row["id"] for row in rows]
    if ids:
        ids += set(await insights.resting_on(connection, workspace, ids)) - set(ids)
        for query in ("collect_edges", "collect_terms", "collect_index", "collect_memories"):
            await connection.run(query, workspace=workspace, ids=ids)
    return len(ids)


async def events(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """What happened before then; how much. What nobody has read leaves a gap in the positions, which is told."""
    last: int = await connection.value("lock_event_sequence", workspace=workspace)
    unread = await connection.run("collect_unread_events", workspace=workspace, before=before, limit=limit)
    if unread:
        await connection.run("set_event_sequence", workspace=workspace, last=last + unread)
    return unread + await connection.run("collect_events", workspace=workspace, before=before, limit=limit)
