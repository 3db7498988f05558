"""Writes the pages that are due: by their crontabs, and what a worker that died has left."""

from __future__ import annotations

from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.memory.pages import write_due


async def write_pages(engine: Engine) -> int:
    """Write what is due in every workspace; how many pages were looked at."""
    return sum([await write_due(engine, workspace) for workspace in await active_workspaces(engine)])
