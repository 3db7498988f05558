"""Writing behind: what is gathered in memory and written every second, off the request path."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Self

import structlog

log = structlog.get_logger(__name__)

FLUSH_S = 1.0


class WrittenBehind(ABC):
    """Something gathered in memory. As a context it is written every second, and once more on a clean stop."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def flush(self) -> None:
        """Write what has been gathered; keep what cannot be written now for the next time."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.flush()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_S)
            try:
                await self.flush()
            except Exception:
                log.exception("flush_failed", of=type(self).__name__)
