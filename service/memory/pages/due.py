"""When pages are written: a dream's own transaction notes which ones it may concern, a crontab when it fires next, and
the worker that claims a page that is due writes it once. A worker that dies in between leaves it due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from service.db.pool import Connection, Row
from service.domain.ids import NO_KEY
from service.domain.pages import PageScope
from service.domain.principal import Principal
from service.errors import NotFound, ReverieError
from service.memory.engine import Engine
from service.memory.pages.answers import answer
from service.memory.pages.pages import ATTEMPTS_MAX, content_of, write
from service.memory.pages.shown import is_stale, states_of
from service.store import pages

log = structlog.get_logger(__name__)

CLAIM = timedelta(minutes=5)


async def mark_due(
    connection: Connection, workspace: UUID, agent_id: UUID, *, dream_id: UUID, changed: Sequence[UUID], now: datetime
) -> None:
    """Note which pages of an agent a dream may concern: one of the ``changed`` memories is within their scope, or
    something that they say no longer holds."""
    rows = await pages.after_dreams(connection, workspace, agent_id)
    if not rows:
        return
    memories = await pages.changed_facets(connection, workspace, changed)
    states = await states_of(connection, workspace, rows, now)
    due = [
        row["id"]
        for row in rows
        if is_stale(row, states) or any(map(PageScope.model_validate(row["scope"]).may_concern, memories))
    ]
    await pages.mark_due(connection, workspace, due, dream_id, now)


async def _nothing(step: str) -> None:
    """Nobody watches the steps."""


async def write_due(
    engine: Engine,
    workspace: UUID,
    agent_id: UUID | None = None,
    *,
    on_step: Callable[[str], Awaitable[None]] = _nothing,
) -> int:
    """Write the pages that are due, of one agent or of the workspace; how many were looked at.

    One that fails is due again when its claim ends, without holding up the others. ``on_step`` is told ``page:writing``
    before an answer is stored, and ``page:written`` after it.
    """
    done = 0
    while True:
        now = engine.now()
        async with engine.db.transaction(workspace) as connection:
            claimed = await pages.claim(connection, workspace, agent_id, now=now, until=now + CLAIM)
            row = await pages.get(connection, workspace, claimed) if claimed is not None else None
        if row is None:
            return done
        try:
            await _write(engine, workspace, row, on_step)
        except NotFound:
            continue
        except ReverieError as error:
            log.warning("page_failed", page_id=str(row["id"]), error=error.message)
        done += 1


async def _write(engine: Engine, workspace: UUID, row: Row, on_step: Callable[[str], Awaitable[None]]) -> None:
    reader = Principal(workspace, NO_KEY, "agent", row["agent"])
    for _ in range(ATTEMPTS_MAX):
        new = await answer(engine, reader, row["agent"], content_of(row), known=row["inputs_hash"])
        await on_step("page:writing")
        if await write(engine, workspace, row, new):
            await on_step("page:written")
            return
        async with engine.db.transaction(workspace) as connection:
            found = await pages.get(connection, workspace, row["id"])
        if found is None:
            return
        row = found
    log.warning("page_left_due", page_id=str(row["id"]))
