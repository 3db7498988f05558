"""Counts what is stored: memories and messages, and their bytes, by key and in all.

Each run notes the day's count of every workspace once, for ``GET /v1/usage``. Where rows or bytes are limited it counts
again on every run, and corrects what the triggers keep: they know nothing of what was written while a limit was being
set.
"""

from __future__ import annotations

from datetime import UTC

import structlog

from service.memory.access.keys import recount
from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.store import limits

log = structlog.get_logger(__name__)


async def count_stored(engine: Engine) -> int:
    """Count in every workspace where it is due; how many counts of limits were wrong."""
    day = engine.now().astimezone(UTC).date()
    corrected = 0
    for workspace in await active_workspaces(engine):
        async with engine.db.transaction(workspace) as connection:
            if await limits.is_counted(connection, workspace, day):
                continue
        corrected += await recount(engine, workspace)
    if corrected:
        log.warning("stored_counts_corrected", counts=corrected)
    return corrected
