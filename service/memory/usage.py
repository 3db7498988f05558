"""Access counts, gathered in memory and written in batches off the request path (row R11)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

import structlog

from service.db.pool import Database
from service.errors import Unavailable
from service.store.memories import bump_usage

log = structlog.get_logger(__name__)

FLUSH_S = 1.0


class UsageCounter:
    """Counts accesses per workspace. As a context it writes them every second, and once more on a clean stop."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        self._db = db
        self._now = now
        self._counts: dict[UUID, Counter[UUID]] = {}
        self._task: asyncio.Task[None] | None = None

    def count(self, workspace: UUID, memory_ids: Iterable[UUID]) -> None:
        """Note one access of each memory."""
        self._counts.setdefault(workspace, Counter()).update(memory_ids)

    async def flush(self) -> None:
        """Write what has been counted. Counts that cannot be written are kept for the next time."""
        counts, self._counts = self._counts, {}
        for workspace, counter in counts.items():
            try:
                async with self._db.transaction(workspace) as connection:
                    await bump_usage(connection, workspace, dict(counter), self._now())
            except Unavailable:
                self._counts.setdefault(workspace, Counter()).update(counter)

    async def __aenter__(self) -> UsageCounter:
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
                log.exception("usage_flush_failed")
