"""Counters: kept in memory, written each second off the request path.

Counted are accesses of memories, searches, requests of keys, reads of what belongs to others (for the audit log: one
line per reader, kind of read and agent read, so that reading stays cheap), and requests per minute and per day where
these are limited. A crash loses at most the last second. What cannot be written is kept for the next time.

A request that is limited costs no round trip. Each process adds what it counted to the database's counts and learns
their sums, so what is let through beyond a limit is at most what the other processes let through within a second.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from service.concurrency.write_behind import FLUSH_INTERVAL_S, WriteBehindBuffer
from service.domain.ids import NO_KEY
from service.domain.latency import BUCKETS, bucket_of
from service.domain.limits import NO_LIMITS, LimitHolder, LimitName, Limits
from service.domain.principal import Principal
from service.errors import Conflict, TemporaryLimitReached, Unavailable
from service.runtime import Runtime
from service.store import audit, workspaces

Period = Literal["minute", "day"]

LENGTHS: Final[dict[Period, timedelta]] = {"minute": timedelta(minutes=1), "day": timedelta(days=1)}
NAMES: Final[dict[Period, LimitName]] = {"minute": "requests_per_minute", "day": "requests_per_day"}


class AccessCounter(WriteBehindBuffer):
    """Counts accesses per workspace."""

    def __init__(self, runtime: Runtime, flush_interval_s: float = FLUSH_INTERVAL_S) -> None:
        super().__init__(flush_interval_s)
        self._runtime = runtime
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
                async with self._runtime.db.transaction(workspace, track_lsn=False) as connection:
                    await connection.run(
                        "add_access_counts", workspace=workspace, ids=list(counter), counts=list(counter.values()),
                        now=self._runtime.now(),
                    )  # fmt: skip
            except (Unavailable, Conflict):
                self._counts.setdefault(workspace, Counter()).update(counter)


@dataclass(frozen=True, slots=True, order=True)
class _SearchDay:
    """Whose searches of which day (UTC), in a workspace."""

    day: date
    agent: str


@dataclass(slots=True)
class _SearchCounts:
    """How many searches there were, how many of them degraded, and their latencies by bucket."""

    searches: int = 0
    degraded: int = 0
    latencies: list[int] = field(default_factory=lambda: [0] * BUCKETS)

    def add(self, other: _SearchCounts) -> None:
        """Count the other's as well."""
        self.searches += other.searches
        self.degraded += other.degraded
        self.latencies = [mine + theirs for mine, theirs in zip(self.latencies, other.latencies, strict=True)]


class SearchCounter(WriteBehindBuffer):
    """Counts searches per workspace. A crash can lose the last second."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self._runtime = runtime
        self._counted: dict[UUID, dict[_SearchDay, _SearchCounts]] = {}

    def note(self, workspace: UUID, agent: str, seconds: float, *, degraded: bool) -> None:
        """Count one search of an agent."""
        of_day = self._of(workspace, _SearchDay(self._runtime.now().astimezone(UTC).date(), agent))
        of_day.searches += 1
        of_day.degraded += degraded
        of_day.latencies[bucket_of(seconds * 1000)] += 1

    async def write(self) -> None:
        """Write what has been counted, without searches of agents that do not exist. What cannot be written is kept for
        the next time."""
        counted, self._counted = self._counted, {}
        for workspace, of_days in counted.items():
            try:
                async with self._runtime.db.transaction(workspace, track_lsn=False) as connection:
                    for key, counts in sorted(of_days.items()):
                        await connection.run("add_search_counts", workspace=workspace, **asdict(key), **asdict(counts))
            except (Unavailable, Conflict):
                self._keep(workspace, of_days)

    def _of(self, workspace: UUID, day: _SearchDay) -> _SearchCounts:
        return self._counted.setdefault(workspace, {}).setdefault(day, _SearchCounts())

    def _keep(self, workspace: UUID, of_days: Mapping[_SearchDay, _SearchCounts]) -> None:
        for day, counts in of_days.items():
            self._of(workspace, day).add(counts)


class KeyUsage(WriteBehindBuffer):
    """Counts the requests of each key, by minute: that is how precisely its last use is known."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self._runtime = runtime
        self._used: dict[UUID, dict[UUID, tuple[int, datetime]]] = {}

    def count(self, principal: Principal) -> None:
        """Note one request of a key."""
        minute = self._runtime.now().replace(second=0, microsecond=0)
        self._add(principal.workspace_id, principal.key_id, 1, minute)

    async def write(self) -> None:
        """Write what has been counted. What cannot be written is kept for the next time."""
        used, self._used = self._used, {}
        for workspace, by_key in used.items():
            try:
                async with self._runtime.db.transaction(workspace, track_lsn=False) as connection:
                    await connection.run(
                        "add_key_usage", workspace=workspace, ids=list(by_key),
                        requests=[count for count, _ in by_key.values()], times=[at for _, at in by_key.values()],
                    )  # fmt: skip
            except Unavailable:
                for key_id, (requests, at) in by_key.items():
                    self._add(workspace, key_id, requests, at)

    def _add(self, workspace: UUID, key_id: UUID, requests: int, at: datetime) -> None:
        by_key = self._used.setdefault(workspace, {})
        before, last = by_key.get(key_id, (0, at))
        by_key[key_id] = (before + requests, max(last, at))


class ReadCounter(WriteBehindBuffer):
    """Counts reads of what belongs to others: an admin's or a reader's, and an agent's of memories shared with it."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self._runtime = runtime
        self._counts: Counter[tuple[UUID, audit.Line]] = Counter()

    def note(self, principal: Principal, what: str, agents: Iterable[str | None]) -> None:
        """Note that the caller has read ``what`` of these agents (None: of the whole workspace)."""
        for agent in set(agents):
            if principal.agent is None or agent != principal.agent:
                line = audit.Line(principal.actor, principal.key_id, f"read.{what}", agent, None)
                self._counts[(principal.workspace_id, line)] += 1

    async def write(self) -> None:
        """Write the counts, but those of a deleted workspace. What cannot be written is kept for the next time."""
        counts, self._counts = self._counts, Counter()
        by_workspace: dict[UUID, list[tuple[audit.Line, int]]] = {}
        for (workspace, line), count in counts.items():
            by_workspace.setdefault(workspace, []).append((line, count))
        for workspace, lines in by_workspace.items():
            try:
                async with self._runtime.db.transaction(workspace, track_lsn=False) as connection:
                    if not await workspaces.hold(connection, workspace):
                        continue
                    for line, count in lines:
                        await audit.add(connection, workspace, line, {"count": count})
            except Unavailable:
                self._counts.update({(workspace, line): count for line, count in lines})


@dataclass(frozen=True, slots=True)
class _RequestWindow:
    """A minute or a day (UTC) of a key, or of the workspace where ``key_id`` is zero."""

    key_id: UUID
    period: Period
    starts_at: datetime


@dataclass(slots=True)
class _Count:
    """Requests of a window: how many the database knows of, and how many of this process it does not yet."""

    stored: int = 0
    pending: int = 0


class RequestLimits(WriteBehindBuffer):
    """The requests of workspaces and keys that have such limits."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self._runtime = runtime
        self._counts: dict[UUID, dict[_RequestWindow, _Count]] = {}

    def release(self, counted: Sequence[_Count]) -> None:
        """Take back what ``count`` counted, of a request that is carried out again and counted then."""
        for count in counted:
            count.pending -= 1

    def count(self, principal: Principal) -> Sequence[_Count]:
        """Count one request; where it was counted.

        Raises TemporaryLimitReached, and counts nothing, where it would pass a limit.

        Admin keys of the default workspace are not held to its limits, which they set.
        """
        if not principal.maker_limits and principal.limits == NO_LIMITS == principal.workspace_limits:
            return ()
        now = self._runtime.now()
        counts = self._counts.setdefault(principal.workspace_id, {})
        touched: list[_Count] = []
        for of, key_id, period, most in _limits_of(principal):
            starts_at = window_start(now, period)
            count = counts.setdefault(_RequestWindow(key_id, period, starts_at), _Count())
            used = count.stored + count.pending
            if used >= most:
                left_s = (starts_at + LENGTHS[period] - now).total_seconds()
                raise TemporaryLimitReached(
                    NAMES[period], of, max=most, used=used, retry_after_s=max(1, math.ceil(left_s))
                )
            touched.append(count)
        for count in touched:
            count.pending += 1
        return touched

    async def write(self) -> None:
        """Share what has been counted. What cannot be written is kept for the next time; windows that are over go."""
        now = self._runtime.now()
        for workspace, counts in list(self._counts.items()):
            pending = {window: count.pending for window, count in counts.items() if count.pending}
            if pending:
                try:
                    async with self._runtime.db.transaction(workspace, track_lsn=False) as connection:
                        held = await workspaces.hold(connection, workspace)
                        rows = await connection.fetch(
                            "add_requests", workspace=workspace, key_ids=[one.key_id for one in pending],
                            periods=[one.period for one in pending], starts=[one.starts_at for one in pending],
                            requests=list(pending.values()),
                        ) if held else []  # fmt: skip
                except Unavailable:
                    continue
                sums = {_RequestWindow(row["key_id"], row["period"], row["starts_at"]): row["requests"] for row in rows}
                for window, requests in pending.items():
                    counts[window].stored = sums.get(window, 0)
                    counts[window].pending -= requests
            for window in [one for one in counts if one.starts_at + LENGTHS[one.period] <= now]:
                del counts[window]
            if not counts:
                del self._counts[workspace]


def window_start(now: datetime, period: Period) -> datetime:
    """Return the beginning of the minute or the day (UTC) of a moment."""
    minute = now.replace(second=0, microsecond=0)
    return minute if period == "minute" else minute.replace(hour=0, minute=0)


def _limits_of(principal: Principal) -> Iterator[tuple[LimitHolder, UUID, Period, int]]:
    held: list[tuple[LimitHolder, UUID, Limits]] = [("key", *one) for one in principal.key_limits]
    if not principal.is_installation_admin:
        held.append(("workspace", NO_KEY, principal.workspace_limits))
    for of, key_id, most in held:
        if most.requests_per_minute is not None:
            yield of, key_id, "minute", most.requests_per_minute
        if most.requests_per_day is not None:
            yield of, key_id, "day", most.requests_per_day
