"""Limits of requests per minute and per day: counted in memory, shared between processes each second.

A request costs no round trip. Each process adds what it counted to the database's counts and learns their sums, so what
is let through beyond a limit is at most what the other processes let through within a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from service.concurrency.write_behind import WriteBehindBuffer
from service.db.pool import Database
from service.domain.ids import NO_KEY
from service.domain.limits import NO_LIMITS, LimitHolder, LimitName, Limits
from service.domain.principal import Principal
from service.errors import TemporaryLimitReached, Unavailable
from service.store import limits as store
from service.store import workspaces
from service.store.limits import Period, RequestWindow

LENGTHS: Final[dict[Period, timedelta]] = {"minute": timedelta(minutes=1), "day": timedelta(days=1)}
NAMES: Final[dict[Period, LimitName]] = {"minute": "requests_per_minute", "day": "requests_per_day"}


@dataclass(slots=True)
class _Count:
    """Requests of a window: how many the database knows of, and how many of this process it does not yet."""

    stored: int = 0
    pending: int = 0


class RequestLimits(WriteBehindBuffer):
    """The requests of workspaces and keys that have such limits."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._db = db
        self._now = now
        self._counts: dict[UUID, dict[RequestWindow, _Count]] = {}

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
        now = self._now()
        counts = self._counts.setdefault(principal.workspace_id, {})
        touched: list[_Count] = []
        for of, key_id, period, most in _limits_of(principal):
            starts_at = window_start(now, period)
            count = counts.setdefault(RequestWindow(key_id, period, starts_at), _Count())
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
        now = self._now()
        for workspace, counts in list(self._counts.items()):
            pending = {window: count.pending for window, count in counts.items() if count.pending}
            if pending:
                try:
                    async with self._db.transaction(workspace, track_lsn=False) as connection:
                        held = await workspaces.hold(connection, workspace)
                        sums = await store.add_requests(connection, workspace, pending) if held else {}
                except Unavailable:
                    continue
                for window, requests in pending.items():
                    counts[window].stored = sums.get(window, 0)
                    counts[window].pending -= requests
            for window in [one for one in counts if one.starts_at + LENGTHS[one.period] <= now]:
                del counts[window]
            if not counts:
                del self._counts[workspace]


def window_start(now: datetime, period: Period) -> datetime:
    """When the minute or the day (UTC) of a moment begins."""
    minute = now.replace(second=0, microsecond=0)
    return minute if period == "minute" else minute.replace(hour=0, minute=0)


def _limits_of(principal: Principal) -> Iterator[tuple[LimitHolder, UUID, Period, int]]:
    held: list[tuple[LimitHolder, UUID, Limits]] = [("key", *one) for one in principal.key_limits]
    if not principal.is_installation_admin:
        held.append(("workspace", NO_KEY, principal.workspace_limits))
    for of, key_id, limits in held:
        if limits.requests_per_minute is not None:
            yield of, key_id, "minute", limits.requests_per_minute
        if limits.requests_per_day is not None:
            yield of, key_id, "day", limits.requests_per_day
