"""Deferred commit: a request's response commits together with what it writes.

A request that must be answered the same way when it is repeated runs inside ``defer_commit()``. Its last writing
transaction is then not committed where its block ends but held open until the request's answer is known, so that
the answer is stored in it. Reading transactions are never held, and the next transaction commits the held one
first, so a request still has one connection at most.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

OnBegin = Callable[[Any], Awaitable[None]]
"""Called with the raw connection at the start of every transaction of the request; raises to stop it."""


class DeferredCommit:
    """The end of one request's database work. ``wrote`` tells whether any transaction so far wrote something."""

    def __init__(self, on_begin: OnBegin) -> None:
        self.on_begin = on_begin
        self._held: tuple[Any, AsyncExitStack, Callable[[], Awaitable[None]]] | None = None
        self.wrote = False
        self.over = False

    async def hold(
        self, raw: Any, stack: AsyncExitStack, committed: Callable[[], Awaitable[None]], *, wrote: bool | None = None
    ) -> bool:
        """Return whether the transaction wrote something and is now held, with the stack that gives its connection
        back.

        ``committed`` is called once it is committed.

        Postgres says whether it ``wrote``, unless the caller has to know because rows may lie on other nodes.
        """
        if wrote is None:
            wrote = await raw.fetchval("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")
        if not wrote:
            return False
        await self.commit()
        self.wrote = True
        self._held = (raw, stack.pop_all(), committed)
        return True

    @property
    def held(self) -> Any | None:
        """Return the raw connection of the transaction held open, if there is one."""
        return self._held[0] if self._held else None

    async def commit(self) -> None:
        """Commit what is held."""
        await self._close("COMMIT")

    async def roll_back(self) -> None:
        """Undo what is held."""
        await self._close("ROLLBACK")

    async def _close(self, statement: str) -> None:
        if self._held is None:
            return
        raw, stack, committed = self._held
        self._held = None
        async with stack:
            if statement == "COMMIT" or not raw.is_closed():
                await raw.execute(statement)
            if statement == "COMMIT":
                await committed()


_current: ContextVar[DeferredCommit | None] = ContextVar("deferred_commit", default=None)


def current_deferred_commit() -> DeferredCommit | None:
    """Return the ending this task's transactions belong to; None once it is over, as for what the request left
    running."""
    ending = _current.get()
    return None if ending is None or ending.over else ending


@contextmanager
def without_deferred_commit() -> Iterator[None]:
    """Transactions of the block are no part of an ending: they write nothing, so several may run at once."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


@asynccontextmanager
async def defer_commit(on_begin: OnBegin) -> AsyncIterator[DeferredCommit]:
    """Hold back the last commit of this task's block, for the caller to make. What is still held then is undone."""
    ending = DeferredCommit(on_begin)
    token = _current.set(ending)
    try:
        yield ending
    finally:
        _current.reset(token)
        ending.over = True
        await ending.roll_back()
