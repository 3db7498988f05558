"""When pages are written: a dream's own transaction notes which ones it may concern, a crontab when it fires next, and
the worker that claims a page that is due writes it once. A worker that dies in between leaves it due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain.ids import NO_KEY
from service.domain.pages import MemoryFacets, PageScope
from service.domain.principal import Principal
from service.errors import NotFound, ReverieError
from service.memory.engine import Engine
from service.memory.pages.answers import answer
from service.memory.pages.pages import ATTEMPTS_MAX, write
from service.memory.pages.shown import is_stale, states_of
from service.store.pages import StoredPage

log = structlog.get_logger(__name__)

CLAIM = timedelta(minutes=5)


async def mark_due(
    connection: Connection, workspace: UUID, agent_id: UUID, *, dream_id: UUID, changed: Sequence[UUID], now: datetime
) -> None:
    """Note which pages of an agent a dream may concern: one of the ``changed`` memories is within their scope, or
    something that they say no longer holds."""
    after_dreams = await connection.many(StoredPage, "pages_after_dreams", workspace=workspace, agent_id=agent_id)
    if not after_dreams:
        return
    memories = await connection.many(MemoryFacets, "changed_facets", workspace=workspace, ids=changed)
    states = await states_of(connection, workspace, after_dreams, now)
    due = [
        page.id
        for page in after_dreams
        if is_stale(page, states) or any(map(PageScope.model_validate(page.scope).may_concern, memories))
    ]
    await connection.run("mark_pages_due", workspace=workspace, ids=due, dream_id=dream_id, now=now)


async def _nothing(step: str) -> None:
    """Nobody watches the steps."""


async def write_due(
    engine: Engine,
    workspace: UUID,
    agent_id: UUID | None = None,
    *,
    on_step: Callable[[str], Awaitable[None]] = _nothing,
) -> int:
    """Write the pages that are due, of one agent or of the workspace; return how many were looked at.

    One that fails is due again when its claim ends, without holding up the others. ``on_step`` is told ``page:writing``
    before an answer is stored, and ``page:written`` after it.
    """
    done = 0
    while True:
        now = engine.now()
        async with engine.db.transaction(workspace) as connection:
            claimed: UUID | None = await connection.value(
                "claim_page", workspace=workspace, agent_id=agent_id, now=now, until=now + CLAIM
            )
            page = await _page(connection, workspace, claimed) if claimed is not None else None
        if page is None:
            return done
        try:
            await _write(engine, workspace, page, on_step)
        except NotFound:
            continue
        except ReverieError as error:
            log.warning("page_failed", page_id=str(page.id), error=error.message)
        done += 1


async def _write(engine: Engine, workspace: UUID, page: StoredPage, on_step: Callable[[str], Awaitable[None]]) -> None:
    reader = Principal(workspace, NO_KEY, "agent", page.agent)
    for _ in range(ATTEMPTS_MAX):
        new = await answer(engine, reader, page.agent, page.content, known=page.inputs_hash)
        await on_step("page:writing")
        if await write(engine, workspace, page, new):
            await on_step("page:written")
            return
        async with engine.db.transaction(workspace) as connection:
            found = await _page(connection, workspace, page.id)
        if found is None:
            return
        page = found
    log.warning("page_left_due", page_id=str(page.id))


async def _page(connection: Connection, workspace: UUID, page_id: UUID) -> StoredPage | None:
    return await connection.first(StoredPage, "get_page", workspace=workspace, id=page_id, agent=None)
