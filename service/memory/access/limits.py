"""Counting what is stored, where it is limited."""

from __future__ import annotations

from datetime import UTC
from uuid import UUID

from service.domain.limits import Limits
from service.memory.access.purge import LONGEST_S
from service.memory.engine import Engine
from service.store import limits


async def count_from_now(engine: Engine, workspace: UUID, changes: Limits) -> None:
    """Count stored rows and bytes from now on where a limit of them has been set, and no more where it has been
    lifted. What transactions that are open meanwhile write is counted by the next recount of a worker."""
    if changes.model_fields_set.isdisjoint(changes.stored):
        return
    async with engine.db.transaction(workspace) as connection:
        if await limits.lock(connection, workspace) is None:
            return
        await limits.hold_counts(connection, workspace)
    await recount(engine, workspace)


async def recount(engine: Engine, workspace: UUID) -> int:
    """Count what is stored and correct the counts of the limits; how many were wrong."""
    day = engine.now().astimezone(UTC).date()
    async with engine.db.transaction(workspace, viewer="everybody") as connection:
        await connection.set_timeout(LONGEST_S)
        return await limits.recount(connection, workspace, day)
