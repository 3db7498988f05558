"""``make dream AGENT=x``: one agent, now, while the schedule goes on; and whether a worker of this host is alive."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from service.db.pool import Database
from service.errors import Conflict, NotFound, Unavailable
from service.runtime import open_runtime
from service.settings import Settings
from service.store import health
from service.store.agents import get_agent
from worker.app import dreamer

WAIT_S = 60


async def dream_by_hand(settings: Settings, workspace: str, agent: str, *, dry_run: bool) -> dict[str, Any]:
    """Dream for the agent and return the dream with its changes, waiting a minute for a worker that holds it.

    Raises NotFound for an unknown workspace or agent, Conflict when another worker does not let go.
    """
    async with open_runtime(settings, "reverie-dream") as engine:
        async with engine.db.unscoped() as connection:
            found = await connection.value("workspace_by_name", name=workspace)
        if found is None:
            raise NotFound(f"There is no workspace {workspace!r}.")
        async with engine.db.transaction(found) as connection:
            row = await get_agent(connection, found, agent)
        if row is None:
            raise NotFound(f"There is no agent {agent!r} in the workspace {workspace!r}.")
        own = dreamer(engine, settings)
        for _ in range(WAIT_S):
            done = await own.dream_for(found, row["id"], dry_run=dry_run)
            if done is not None:
                return done
            await asyncio.sleep(1)
    raise Conflict(f"Another worker is dreaming for {agent!r} and has not let go for {WAIT_S} s.")


async def worker_here(settings: Settings) -> bool:
    """Whether a worker of this host has been heard of within seconds. Raises Unavailable without a database."""
    if settings.database_url is None:
        raise Unavailable("DATABASE_URL is not set.")
    db = await Database.open(settings.database_url, size=1, application="reverie-check")
    try:
        async with db.unscoped() as connection:
            workers = await health.workers(connection)
    finally:
        await db.close()
    return any(worker.alive and worker.name.startswith(f"{socket.gethostname()}:") for worker in workers)
