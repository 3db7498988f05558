"""Work under a lease: kept alive by a heartbeat, cancelled when the lease is lost, given back at a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

import structlog

from service.db.pool import Connection
from service.errors import ReverieError, Unavailable
from service.runtime import Runtime
from service.store import dreams
from service.store.dreams import Lease

log = structlog.get_logger(__name__)

T = TypeVar("T")


class LeaseLost(ReverieError):
    """Another worker has taken over; this one may not write anything more."""


@asynccontextmanager
async def fenced(runtime: Runtime, lease: Lease) -> AsyncIterator[Connection]:
    """Open a transaction in the workspace of a dream's lease, which is locked until it ends. Raises LeaseLost."""
    async with runtime.db.transaction(lease.workspace_id) as connection:
        if not await dreams.fence(connection, lease):
            raise LeaseLost
        yield connection


async def work_under_lease(
    work: Coroutine[object, object, T],
    *,
    lease_s: float,
    extend: Callable[[], Awaitable[bool]],
    abandon: Callable[[], Awaitable[None]],
) -> T:
    """Return the result of ``work``, while ``extend`` renews the lease every third of its term of ``lease_s``.

    Where ``extend`` says that the lease is lost, the work is cancelled and LeaseLost raised. At a cancellation the
    lease is given back by ``abandon`` before this ends.
    """
    beating = asyncio.create_task(_heartbeat(lease_s / 3, extend))
    working = asyncio.create_task(work)
    try:
        await asyncio.wait({beating, working}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise LeaseLost
        return working.result()
    except asyncio.CancelledError:
        await _cancel(working)
        await asyncio.shield(abandon())
        raise
    finally:
        await _cancel(beating, working)


async def _heartbeat(interval_s: float, extend: Callable[[], Awaitable[bool]]) -> None:
    """Extend the lease until it has been lost."""
    while True:
        await asyncio.sleep(interval_s)
        try:
            if not await extend():
                return
        except Unavailable as error:
            log.warning("heartbeat_failed", error=error.message)


async def _cancel(*tasks: asyncio.Task[object]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
