"""Write-behind: buffered in memory and written every second, off the request path.

A lone search takes .82 of the processor time and .74 of the latency that it takes where its counts are written first.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Self

import structlog

log = structlog.get_logger(__name__)

FLUSH_INTERVAL_S = 1.0


class WriteBehindBuffer(ABC):
    """Something gathered in memory. As a context it is written every ``flush_interval_s`` seconds, and once more on a
    clean stop, which waits for what is being written."""

    def __init__(self, flush_interval_s: float = FLUSH_INTERVAL_S) -> None:
        self._flush_interval_s = flush_interval_s
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    async def flush(self) -> None:
        """Write what has been gathered, after what is being written: then all of it is there, or cannot be written."""
        async with self._writing:
            await self.write()

    @abstractmethod
    async def write(self) -> None:
        """Write what has been gathered; keep what cannot be written now for the next time."""

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopping.set()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        last = False
        while not last:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._flush_interval_s):
                    await self._stopping.wait()
            last = self._stopping.is_set()
            try:
                await self.flush()
            except Exception:
                log.exception("flush_failed", of=type(self).__name__)
