"""Insights, which hold as long as every memory they were concluded from is as it was. In the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.store.dreams import Lease


async def let_fall(connection: Connection, workspace: UUID, changed: Sequence[UUID] | None) -> list[UUID]:
    """Remove the current insights that no longer hold, once these memories have been changed; None looks at all.

    Called by whatever replaces, deletes, rewrites or brings back a memory, before its transaction ends.
    """
    ids = await fallen(connection, workspace, changed)
    if ids:
        await connection.run("read_evidence_again", workspace=workspace, ids=ids)
        await remove(connection, workspace, ids)
    return ids


async def fallen(connection: Connection, workspace: UUID, changed: Sequence[UUID] | None) -> list[UUID]:
    """The current insights, among these memories and of those concluded from them, that no longer hold, locked."""
    return [row["id"] for row in await connection.fetch("fallen_insights", workspace=workspace, ids=changed)]


async def resting_on(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> list[UUID]:
    """The insights concluded from one of these memories, current or not: what goes for good takes them along."""
    return [row["id"] for row in await connection.fetch("insights_on", workspace=workspace, ids=ids)]


async def remove(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> None:
    """Delete insights for good, with their edges, search rows and history."""
    for query in ("collect_edges", "undo_terms", "undo_index", "undo_memories"):
        await connection.run(query, workspace=workspace, ids=ids)


async def about(
    connection: Connection, lease: Lease, matters: Sequence[str], evidence: Sequence[UUID], users: Sequence[str | None]
) -> list[Row]:
    """What the agent has concluded on these matters or from these memories, or of these users by a model or
    as an open question."""
    return await connection.fetch(
        "insights_about", **lease.of_owners, about=matters, ids=evidence, users=[user or "" for user in users]
    )


async def to_reflect_on(
    connection: Connection, lease: Lease, user: str | None, *, limit: int, now: datetime
) -> list[Row]:
    """The newest memories of a user that a model may conclude something from."""
    return await connection.fetch("memories_to_reflect_on", **lease.of_owners, user=user, limit=limit, now=now)


async def last_reflection(connection: Connection, lease: Lease) -> datetime | None:
    """When a model concluded something for the agent last."""
    return await connection.value("last_reflection", **lease.of_owners)


async def reports_on(
    connection: Connection, lease: Lease, keys: Sequence[str], ids: Sequence[UUID], now: datetime
) -> list[Row]:
    """The agent's current memories that report one of these habits, tastes or questions, by their keys; and those of
    ``ids``, which are being read."""
    if not keys:
        return []
    return await connection.fetch("memories_reporting", **lease.of_owners, keys=keys, ids=ids, now=now)
