"""Looks over the bulletins: an agent whose bulletin no longer tells what it knows is due to dream."""

from __future__ import annotations

from uuid import UUID

from service.memory import bulletin
from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.store import dreams
from service.store.settings import agent_settings

AGENTS_AT_ONCE = 200


async def schedule_stale_bulletins(engine: Engine) -> int:
    """Make every agent due whose bulletin is out of date; how many. Its dream writes it, within its budget."""
    due = [
        (workspace, agent) for workspace in await active_workspaces(engine) for agent in await _stale(engine, workspace)
    ]
    async with engine.db.unscoped() as connection:
        await dreams.schedule_now(connection, due, engine.now())
    return len(due)


async def _stale(engine: Engine, workspace: UUID) -> list[UUID]:
    stale: list[UUID] = []
    after: str | None = None
    while True:
        async with engine.db.transaction(workspace) as connection:
            page = await connection.fetch(
                "list_agents", workspace=workspace, only=None, text=None, after=after, limit=AGENTS_AT_ONCE
            )
            for row in page:
                rows = await bulletin.inputs(connection, workspace, row["id"], [], engine.now())
                latest: str | None = await connection.value(
                    "bulletin_hash", workspace=workspace, agent_id=row["id"], owners=[]
                )
                settings = await agent_settings(connection, workspace, row["id"])
                llm = engine.model("bulletin", workspace, settings.llm)
                if bulletin.is_stale(latest, rows, bulletin.writer_of(llm, settings.dream)):
                    stale.append(row["id"])
        if len(page) < AGENTS_AT_ONCE:
            return stale
        after = page[-1]["agent"]
