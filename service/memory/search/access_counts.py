"""Access counts, gathered in memory and written in batches off the request path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from service.concurrency.write_behind import FLUSH_INTERVAL_S, WriteBehindBuffer
from service.db.pool import Database
from service.errors import Conflict, Unavailable
from service.store.memories import add_access_counts


class AccessCounter(WriteBehindBuffer):
    """Counts accesses per workspace."""

    def __init__(self, db: Database, now: Callable[[], datetime], flush_interval_s: float = FLUSH_INTERVAL_S) -> None:
        super().__init__(flush_interval_s)
        self._db = db
        self._now = now
        self._counts: dict[UUID, Counter[UUID]] = {}

    def count(self, workspace: UUID, memory_ids: Iterable[UUID]) -> None:
        """Note one access of each memory."""
        self._counts.setdefault(workspace, Counter()).update(memory_ids)

    async def write(self) -> None:
        """Write what has been counted. Counts that cannot be written are kept for the next time, without those of
        memories that are being deleted now."""
        counts, self._counts = self._counts, {}
        for workspace, counter in counts.items():
            try:
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    await add_access_counts(connection, workspace, dict(counter), self._now())
            except (Unavailable, Conflict):
                self._counts.setdefault(workspace, Counter()).update(counter)
