"""Asking for dreams and reading about them; dreaming itself is the worker's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import ceil
from typing import Any
from uuid import UUID

from service.domain import cursors
from service.domain.dream_summary import describe_change, summarize_dream
from service.domain.principal import Principal
from service.errors import Conflict, NotFound, Unavailable
from service.memory.engine import Engine
from service.store import agents, dreams, health
from service.store.settings import agent_settings

WAIT_S = 300.0
POLL_S = 0.1
POLLS_PER_LEASE_CHECK = 10
MEMORY_OFF = "The memory of this agent is switched off (setting memory.enabled)."
OVER = frozenset({"succeeded", "failed", "undone", "dry_run"})
Record = dict[str, Any]


async def request_dream(engine: Engine, principal: Principal, agent: str, *, dry_run: bool) -> Record:
    """Queue a dream for the worker, due at once. A dream already queued is given as it is. Raises Conflict where the
    agent's memory is switched off."""
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await agents.get_agent(connection, principal.workspace_id, principal.check_owns(agent))
        if row is None:
            raise NotFound(f"There is no agent {agent!r} here.")
        if not (await agent_settings(connection, principal.workspace_id, row["id"])).memory.enabled:
            raise Conflict(MEMORY_OFF)
        dream_id = await dreams.queue(
            connection, principal.workspace_id, row["id"], trigger="api", dry_run=dry_run, now=engine.now()
        )
        found = await dreams.get(connection, principal.workspace_id, dream_id)
    assert found is not None
    return _described(found)


async def wait_for_dream(
    engine: Engine, principal: Principal, dream_id: UUID, disconnected: Callable[[], Awaitable[bool]]
) -> Record:
    """The dream once it is over. Raises Unavailable when no worker finishes it in five minutes, when the worker that
    holds the agent is silent (another takes over when its lease ends), or whoever waits is ``disconnected``."""
    for looked in range(int(WAIT_S / POLL_S)):
        dream = await get_dream(engine, principal, dream_id)
        if dream["status"] in OVER:
            return dream
        if await disconnected():
            break
        if looked % POLLS_PER_LEASE_CHECK == 0:
            await _refuse_abandoned(engine, principal, dream["agent"])
        await asyncio.sleep(POLL_S)
    raise Unavailable("No worker has finished the dream yet; it stays queued.", retry_after_s=10)


async def _refuse_abandoned(engine: Engine, principal: Principal, agent: str) -> None:
    async with engine.db.transaction(principal.workspace_id) as connection:
        left_s = await health.abandoned_lease_s(connection, principal.workspace_id, agent)
    if left_s is not None:
        raise Unavailable(
            f"The worker that holds agent {agent!r} is silent; another takes over within {ceil(left_s)} s, when its "
            "lease ends. The dream stays queued.",
            retry_after_s=ceil(left_s),
        )


async def get_dream(engine: Engine, principal: Principal, dream_id: UUID) -> Record:
    """One dream with its changes. Raises NotFound for an unknown one and for another agent's."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        dream = await dreams.get(connection, principal.workspace_id, dream_id)
        if dream is None or (principal.agent is not None and dream["agent"] != principal.agent):
            raise NotFound("There is no such dream here.")
        changes = await dreams.changes(connection, principal.workspace_id, dream_id)
    return _described(dream) | {"changes": [change | {"text": describe_change(change)} for change in changes]}


async def list_dreams(
    engine: Engine, principal: Principal, agent: str | None, status: str | None, *, limit: int, cursor: str | None
) -> tuple[list[Record], str | None]:
    """A page of dreams, newest first, without their changes."""
    (before,) = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await dreams.list_(
            connection,
            principal.workspace_id,
            agent=principal.reader_agent(agent),
            status=status,
            before=before,
            limit=limit + 1,
        )
    rows, more = cursors.paginate(rows, limit, "id")
    return [_described(row) for row in rows], more


def _described(dream: Record) -> Record:
    return dream | {"summary": summarize_dream(dream)}
