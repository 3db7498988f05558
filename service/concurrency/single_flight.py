"""Single-flight: concurrent calls with the same key share one lookup, never one that began before they did.

What it buys is measured together with cached keys, not by itself (docs/benchmarks.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


class SingleFlight(Generic[Answer]):
    """Shares lookups by key. A lookup that began before a call does not answer it; the next one does, for all who wait.
    A lone caller waits for nobody.
    """

    def __init__(self) -> None:
        self._in_flight: dict[Hashable, asyncio.Task[Answer]] = {}
        self._next: dict[Hashable, asyncio.Task[Answer]] = {}

    async def do(self, key: Hashable, call: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """Return what ``call`` answers, and whether this call is the one it was made for. Its errors reach all who
        wait."""
        waiting = self._next.get(key)
        if waiting is not None:
            return await asyncio.shield(waiting), False
        # In a context of its own, as it may outlive the call that began it and works for others.
        task = asyncio.get_running_loop().create_task(self._run(key, self._in_flight.get(key), call), context=Context())
        self._next[key] = task
        return await asyncio.shield(task), True

    async def _run(
        self, key: Hashable, before: asyncio.Task[Any] | None, call: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        if before is not None:
            await asyncio.wait([before])
        self._in_flight[key] = self._next.pop(key)
        try:
            return await call()
        finally:
            if self._in_flight.get(key) is task:
                del self._in_flight[key]
