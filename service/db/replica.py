"""A read replica for searches: used while it keeps up and has what its readers wrote.

Every quarter of a second each process asks both sides how far they are. How far behind the replica is, is how long ago
the primary first had something that the replica has not: no clock but this process's own is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar
from uuid import UUID

import structlog

from service.db.deferred_commit import current_deferred_commit
from service.db.pool import Connection, Database
from service.db.wal_lsn import LsnTracker
from service.domain.health_status import HealthStatus, ReplicaState
from service.errors import ReverieError, Unavailable

log = structlog.get_logger(__name__)

POLL_INTERVAL_S = 0.25
POLL_TIMEOUT_S = 2.0
LAG_SAMPLES_MAX = 4_000
"""Positions of the primary remembered; past that every other one is forgotten, and the oldest stays."""

T = TypeVar("T")


class Replica:
    """A standby of ``primary``. As a context, it is looked after."""

    def __init__(self, primary: Database, open_it: Callable[[], Awaitable[Database]], lag_max_s: float) -> None:
        self.condition = HealthStatus()
        self.lag_s: float | None = None
        self.lsn = primary.positions = LsnTracker()
        self._primary = primary
        self._open = open_it
        self._lag_max_s = lag_max_s
        self._db: Database | None = None
        self._replayed_lsn = 0
        self._lag_samples: list[tuple[float, int]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Replica:
        self._task = asyncio.create_task(self._poll_forever())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._db is not None:
            await self._db.close()

    async def search(self, workspace: UUID, read: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what ``read`` finds, here if that is as good as on the primary, else there."""
        there = self._usable(workspace)
        if there is not None:
            try:
                async with there.search_connection(workspace) as connection:
                    return await read(connection)
            except Unavailable as error:  # gone, or the standby had to cancel the statement
                self._mark_failed(error)
        async with self._primary.search_connection(workspace) as connection:
            return await read(connection)

    def state(self) -> ReplicaState:
        """Return its condition, and for how many seconds something of the primary has been missing."""
        found, lag_s = self.condition.check(), None if self.lag_s is None else round(self.lag_s, 3)
        return ReplicaState(found.status, found.error, found.checked_at, found.latency_ms, lag_s)

    def _usable(self, workspace: UUID) -> Database | None:
        if self.condition.state != "ok" or self._replayed_lsn < self.lsn.required_lsn(workspace):
            return None
        return (
            self._db if current_deferred_commit() is None else None
        )  # an answer to be kept is looked up on the primary

    async def _poll_forever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(POLL_TIMEOUT_S):
                    await self._poll()
            except (ReverieError, TimeoutError) as error:
                self._mark_failed(error)
            except Exception:
                log.exception("probe_failed", at="replica")
            await asyncio.sleep(POLL_INTERVAL_S)

    async def _poll(self) -> None:
        started = monotonic()
        async with self._primary.unscoped() as connection:
            here = await connection.one("current_lsn")
        if self._db is None:
            self._db = await self._open()
        async with self._db.unscoped() as connection:
            there = await connection.one("current_lsn")
        if not there["standby"] or (here["server"], here["database"]) != (there["server"], there["database"]):
            raise Unavailable("DATABASE_REPLICA_URL: this is not a standby of the same database.")
        self._replayed_lsn = there["position"]
        self.lsn.advance(self._replayed_lsn)
        self._lag_samples = [
            one for one in [*self._lag_samples, (started, here["position"])] if one[1] > self._replayed_lsn
        ]
        if len(self._lag_samples) > LAG_SAMPLES_MAX:
            self._lag_samples = self._lag_samples[::2]
        self.lag_s = started - self._lag_samples[0][0] if self._lag_samples else 0.0
        if self.lag_s > self._lag_max_s:
            self._mark_failed(Unavailable(f"The replica is {self.lag_s:.1f} s behind; searches go to the primary."))
        else:
            self.condition.mark_ok((monotonic() - started) * 1000)

    def _mark_failed(self, error: BaseException) -> None:
        said = str(error).replace("DATABASE_URL", "DATABASE_REPLICA_URL") or f"No answer within {POLL_TIMEOUT_S:g} s."
        if self.condition.state != "failing":
            log.warning("replica_skipped", error=type(error).__name__)
        self.condition.mark_failed(said)
