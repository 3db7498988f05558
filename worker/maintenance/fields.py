"""Indexes the keys, tags and summaries of memories from before these were searched, a batch of each workspace in turn.

Progress is kept with each batch, so that a worker that dies leaves the rest to the next run.
"""

from __future__ import annotations

from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.store import memories

BATCH = 100


async def backfill_fields(engine: Engine) -> None:
    """Do all there is to do, except in workspaces that another worker is at."""
    waiting = await active_workspaces(engine)
    while waiting:
        going_on = []
        for workspace in waiting:
            async with engine.db.transaction(workspace) as connection:
                if await memories.backfill_fields(connection, workspace, BATCH):
                    going_on.append(workspace)
        waiting = going_on
