"""Workers, the dream queue and the server, as they are now. Runs outside any workspace but where one is named."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from service.db.pool import Connection
from service.domain.health_status import WorkerState
from service.domain.json import JsonObject

ALIVE_S = 4.5
"""A worker that has not been heard of for this long is taken for dead; a living one beats every second."""
ABANDONED_S = 15.0
"""One whose lease others wait for is given longer: a database that hangs silences living workers as well."""


async def heartbeat(connection: Connection, worker: str, health: JsonObject) -> None:
    """Say that a worker is alive, by the database's clock."""
    await connection.run("heartbeat", worker=worker, health=health)


async def workers(connection: Connection) -> list[WorkerState]:
    """Return every worker heard of within the hour, oldest first."""
    return await connection.many(WorkerState, "workers", alive_s=ALIVE_S)


async def abandoned_lease_s(connection: Connection, workspace: UUID, agent: str) -> float | None:
    """For how many more seconds a worker that has been silent for ABANDONED_S holds the agent; None when none does."""
    return await connection.value("abandoned_lease", workspace=workspace, agent=agent, silent_s=ABANDONED_S)


async def totals(connection: Connection) -> dict[str, float]:
    """What all workers together have counted."""
    return {row["name"]: row["value"] for row in await connection.fetch("totals")}


async def add_totals(connection: Connection, counts: Mapping[str, float]) -> None:
    """Add to what all workers together have counted."""
    names = sorted(counts)
    await connection.run("add_totals", names=names, values=[float(counts[name]) for name in names])


async def set_total(connection: Connection, name: str, value: float) -> None:
    """Say how much there is of something now."""
    await connection.run("set_total", name=name, value=float(value))
