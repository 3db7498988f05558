"""Workers, the dream queue and the server, as they are now. Runs outside any workspace but where one is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.json import JsonObject

ALIVE_S = 4.5
"""A worker that has not been heard of for this long is taken for dead; a living one beats every second."""
ABANDONED_S = 15.0
"""One whose lease others wait for is given longer: a database that hangs silences living workers as well."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker heard of within the hour, and the conditions it told of what it depends on."""

    name: str
    started_at: datetime
    seen_at: datetime
    alive: bool
    health: JsonObject


async def heartbeat(connection: Connection, worker: str, health: JsonObject) -> None:
    """Say that a worker is alive, by the database's clock."""
    await connection.run("heartbeat", worker=worker, health=health)


async def workers(connection: Connection) -> list[Worker]:
    """Every worker heard of within the hour, oldest first."""
    rows = await connection.fetch("workers")
    return [
        Worker(row["worker"], row["started_at"], row["seen_at"], row["silent_s"] < ALIVE_S, row["health"])
        for row in rows
    ]


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
