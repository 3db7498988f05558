"""Asking for dreams and reading about them; dreaming itself is the worker's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from math import ceil
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.dreams import Dream, DreamStatus
from service.domain.ids import NO_KEY
from service.domain.limits import LimitHolder, Limits
from service.domain.principal import Principal
from service.errors import Conflict, NotFound, TemporaryLimitReached, Unavailable
from service.memory.engine import Engine
from service.store import agents, dreams, health, limits, undo
from service.store.settings import agent_settings

WAIT_S = 300.0
POLL_S = 0.1
RETRY_DREAM_AFTER_S = 60
POLLS_PER_LEASE_CHECK = 10
MEMORY_OFF = "The memory of this agent is switched off (setting memory.enabled)."
OVER = frozenset({"succeeded", "failed", "undone", "dry_run"})
DreamCounts = Mapping[UUID, int]


async def request_dream(engine: Engine, principal: Principal, agent: str, *, dry_run: bool) -> Dream:
    """Queue a dream for the worker, due at once. A dream already queued is returned as it is.

    Raises Conflict where the agent's memory is switched off, and TemporaryLimitReached where too many wait or run.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        found = await agents.existing_agent(connection, principal.workspace_id, principal.check_owns(agent))
        if not (await agent_settings(connection, principal.workspace_id, found.id)).memory.enabled:
            raise Conflict(MEMORY_OFF)
        before = await limits.unfinished_dreams(connection, principal.workspace_id)
        dream_id = await dreams.queue(
            connection, principal.workspace_id, found.id, trigger="api", dry_run=dry_run, now=engine.now(),
            owners=principal.own, key_id=principal.key_id,
        )  # fmt: skip
        queued = await dreams.get(connection, principal.workspace_id, dream_id)
        _check_limits(principal, before, await limits.unfinished_dreams(connection, principal.workspace_id))
    assert queued is not None
    return queued


def _check_limits(principal: Principal, before: DreamCounts, after: DreamCounts) -> None:
    """Raise TemporaryLimitReached where a new dream passes a limit of those that wait or run at once."""
    held: list[tuple[LimitHolder, UUID, Limits]] = [("key", *one) for one in principal.key_limits]
    held.append(("workspace", NO_KEY, principal.workspace_limits))
    for of, holder, bound in held:
        most, used, wanted = bound.dreams_max, before.get(holder, 0), after.get(holder, 0)
        if most is not None and used < wanted > most:
            raise TemporaryLimitReached("dreams_max", of, max=most, used=used, retry_after_s=RETRY_DREAM_AFTER_S)


async def wait_for_dream(
    engine: Engine, principal: Principal, dream_id: UUID, disconnected: Callable[[], Awaitable[bool]]
) -> Dream:
    """Return the dream once it is over and, where the request names no user, the worker has let go of the agent, for
    whose other users it dreams in the same turn.

    Raises Unavailable when no worker finishes it in five minutes, when the worker that holds the agent is silent
    (another takes over when its lease ends), or the client has ``disconnected``.
    """
    for looked in range(int(WAIT_S / POLL_S)):
        dream = await get_dream(engine, principal, dream_id)
        if dream.status in OVER and (principal.own or dream.dry_run or not await _is_held(engine, principal, dream)):
            return dream
        if await disconnected():
            break
        if looked % POLLS_PER_LEASE_CHECK == 0:
            await _refuse_abandoned(engine, principal, dream.agent)
        await asyncio.sleep(POLL_S)
    raise Unavailable("No worker has finished the dream yet; it stays queued.", retry_after_s=10)


async def _is_held(engine: Engine, principal: Principal, dream: Dream) -> bool:
    async with engine.db.transaction(principal.workspace_id) as connection:
        held: bool = await connection.value("agent_is_held", workspace=principal.workspace_id, agent=dream.agent)
    return held


async def _refuse_abandoned(engine: Engine, principal: Principal, agent: str) -> None:
    async with engine.db.transaction(principal.workspace_id) as connection:
        left_s = await health.abandoned_lease_s(connection, principal.workspace_id, agent)
    if left_s is not None:
        raise Unavailable(
            f"The worker that holds agent {agent!r} is silent; another takes over within {ceil(left_s)} s, when its "
            "lease ends. The dream stays queued.",
            retry_after_s=ceil(left_s),
        )


async def cancel_dream(engine: Engine, principal: Principal, dream_id: UUID) -> Dream:
    """End a dream that waits or runs; it leaves nothing, and what it was to read stays due until the next one.

    Raises NotFound, and Conflict for one that is over.
    """
    principal.require_write()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        principal.check_changes((await visible_dream(connection, principal, dream_id)).owners)
        held = await undo.lock_dream(connection, workspace, dream_id)
        settings = await agent_settings(connection, workspace, held.agent_id)
        now = engine.now()
        ended = await dreams.cancel(
            connection, workspace, dream_id, error=f"Cancelled by {principal.actor}.",
            not_before=settings.next_dream(now), now=now,
        )  # fmt: skip
        if not ended:
            raise Conflict("This dream is over already.")
    return await get_dream(engine, principal, dream_id)


async def visible_dream(connection: Connection, principal: Principal, dream_id: UUID) -> Dream:
    """Return a dream without its changes. Raises NotFound for an unknown one and for another agent's."""
    return _visible(principal, await dreams.get(connection, principal.workspace_id, dream_id))


async def get_dream(engine: Engine, principal: Principal, dream_id: UUID) -> Dream:
    """Return a dream with its changes. Raises NotFound for an unknown one and for another agent's."""
    async with engine.db.transaction(principal.workspace_id) as connection:
        return _visible(principal, await dreams.get_whole(connection, principal.workspace_id, dream_id))


async def list_dreams(
    engine: Engine,
    principal: Principal,
    agent: str | None,
    status: DreamStatus | None,
    *,
    limit: int,
    cursor: str | None,
) -> tuple[list[Dream], str | None]:
    """Return a page of dreams, newest first, without their changes."""
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
    return cursors.paginate(rows, limit, "id")


def _visible(principal: Principal, dream: Dream | None) -> Dream:
    if dream is None or (principal.agent is not None and dream.agent != principal.agent):
        raise NotFound("There is no such dream here.")
    return dream
