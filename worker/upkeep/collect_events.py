"""Forgets what happened once nobody may ask for it any more (row O7, ``retention.events_days``)."""

from __future__ import annotations

from datetime import timedelta

from service.memory.engine import Engine
from service.store import events
from service.store.settings import workspace_settings


async def collect_events(engine: Engine) -> int:
    """Drop the events past their days in every workspace; how many."""
    async with engine.db.unscoped() as connection:
        workspaces = [row["workspace_id"] for row in await connection.fetch("workspaces")]
    dropped = 0
    for workspace in workspaces:
        async with engine.db.transaction(workspace) as connection:
            days = (await workspace_settings(connection, workspace)).retention.events_days
            dropped += await events.collect(connection, workspace, engine.now() - timedelta(days=days))
    return dropped
