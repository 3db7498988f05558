"""One look for many: calls that ask the same at the same time share an answer, never one older than they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


class Shared(Generic[Answer]):
    """Looks for answers by key. A look that began before a call does not answer it; the next one does, for all who
    wait. A lone caller waits for nobody.
    """

    def __init__(self) -> None:
        self._looking: dict[Hashable, asyncio.Task[Answer]] = {}
        self._next: dict[Hashable, asyncio.Task[Answer]] = {}

    async def ask(self, key: Hashable, look: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """What ``look`` answers, and whether this call is the one it was made for. Its errors reach all who wait."""
        waiting = self._next.get(key)
        if waiting is not None:
            return await asyncio.shield(waiting), False
        # In a context of its own, as it may outlive the call that began it and works for others.
        task = asyncio.get_running_loop().create_task(self._look(key, self._looking.get(key), look), context=Context())
        self._next[key] = task
        return await asyncio.shield(task), True

    async def _look(
        self, key: Hashable, before: asyncio.Task[Any] | None, look: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        if before is not None:
            await asyncio.wait([before])
        self._looking[key] = self._next.pop(key)
        try:
            return await look()
        finally:
            if self._looking.get(key) is task:
                del self._looking[key]
