"""Runs the saved searches of every workspace, so that each has its recall over time."""

from __future__ import annotations

from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.memory.saved_searches import run_scheduled


async def run_saved_searches(engine: Engine) -> int:
    """Run all saved searches; how many results were stored."""
    return sum([await run_scheduled(engine, workspace) for workspace in await active_workspaces(engine)])
