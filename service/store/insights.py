"""Insights, which hold as long as every memory they were concluded from is as it was. In the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from service.db.pool import Connection


async def retract_unsupported(connection: Connection, workspace: UUID, changed: Sequence[UUID] | None) -> list[UUID]:
    """Remove the current insights that no longer hold, once these memories have been changed; None looks at all.

    Called by whatever replaces, deletes, rewrites or brings back a memory, before its transaction ends.
    """
    ids = [row["id"] for row in await connection.fetch("fallen_insights", workspace=workspace, ids=changed)]
    if ids:
        await connection.run("read_evidence_again", workspace=workspace, ids=ids)
        await remove(connection, workspace, ids)
    return ids


async def resting_on(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[UUID]:
    """Return the insights concluded from one of these memories, current or not: what goes for good takes them along."""
    return [row["id"] for row in await connection.fetch("insights_on", workspace=workspace, ids=ids)]


async def remove(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete insights for good, with their edges, search rows and history."""
    for query in ("collect_edges", "undo_terms", "undo_index", "undo_memories"):
        await connection.run(query, workspace=workspace, ids=ids)
