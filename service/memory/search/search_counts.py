"""Searches counted by agent and day, with their latencies: in memory, and written each second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.pool import Database
from service.domain.latency import bucket_of
from service.errors import Conflict, Unavailable
from service.store.stats import SearchCounts, SearchDay, add_searches


class SearchCounter(WriteBehindBuffer):
    """Counts searches per workspace. A crash can lose the last second."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._db = db
        self._now = now
        self._counted: dict[UUID, dict[SearchDay, SearchCounts]] = {}

    def note(self, workspace: UUID, agent: str, seconds: float, *, degraded: bool) -> None:
        """Count one search of an agent."""
        of_day = self._of(workspace, SearchDay(self._now().astimezone(UTC).date(), agent))
        of_day.searches += 1
        of_day.degraded += degraded
        of_day.latencies[bucket_of(seconds * 1000)] += 1

    async def write(self) -> None:
        """Write what has been counted. What cannot be written is kept for the next time."""
        counted, self._counted = self._counted, {}
        for workspace, of_days in counted.items():
            try:
                async with self._db.transaction(workspace, track_lsn=False) as connection:
                    await add_searches(connection, workspace, of_days)
            except (Unavailable, Conflict):
                self._keep(workspace, of_days)

    def _of(self, workspace: UUID, day: SearchDay) -> SearchCounts:
        return self._counted.setdefault(workspace, {}).setdefault(day, SearchCounts())

    def _keep(self, workspace: UUID, of_days: Mapping[SearchDay, SearchCounts]) -> None:
        for day, counts in of_days.items():
            self._of(workspace, day).add(counts)
