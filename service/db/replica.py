"""A read replica for searches: used while it keeps up and has what its readers wrote (row O2).

Every quarter of a second each process asks both sides how far they are. How far behind the replica is, is how long ago
the primary first had something that the replica has not: no clock but this process's own is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

import structlog

from service.db.ending import current_ending
from service.db.pool import Connection, Database
from service.db.positions import Positions
from service.domain.condition import Condition
from service.errors import ReverieError, Unavailable

log = structlog.get_logger(__name__)

LOOK_S = 0.25
LOOK_MAX_S = 2.0
SEEN_MAX = 4_000
"""Positions of the primary remembered; past that every other one is forgotten, and the oldest stays."""

T = TypeVar("T")


class Replica:
    """A standby of ``primary``. As a context, it is looked after."""

    def __init__(self, primary: Database, open_it: Callable[[], Awaitable[Database]], lag_max_s: float) -> None:
        self.condition = Condition()
        self.lag_s: float | None = None
        self.positions = primary.positions = Positions()
        self._primary = primary
        self._open = open_it
        self._lag_max_s = lag_max_s
        self._db: Database | None = None
        self._reached = 0
        self._seen: list[tuple[float, int]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Replica:
        self._task = asyncio.create_task(self._keep_looking())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._db is not None:
            await self._db.close()

    async def search(self, workspace: UUID, look: Callable[[Connection], Awaitable[T]]) -> T:
        """What ``look`` finds, here if that is as good as on the primary, else there."""
        there = self._ready(workspace)
        if there is not None:
            try:
                async with there.searching(workspace) as connection:
                    return await look(connection)
            except Unavailable as error:  # gone, or the standby had to cancel the statement
                self._fails(error)
        async with self._primary.searching(workspace) as connection:
            return await look(connection)

    def told(self) -> dict[str, Any]:
        """As the API shows it: its condition, and for how many seconds something of the primary has been missing."""
        return self.condition.told() | {"lag_s": None if self.lag_s is None else round(self.lag_s, 3)}

    def _ready(self, workspace: UUID) -> Database | None:
        if self.condition.state != "ok" or self._reached < self.positions.needed(workspace):
            return None
        return self._db if current_ending() is None else None  # an answer to be kept is looked up on the primary

    async def _keep_looking(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_MAX_S):
                    await self._look()
            except (ReverieError, TimeoutError) as error:
                self._fails(error)
            except Exception:
                log.exception("look_failed", at="replica")
            await asyncio.sleep(LOOK_S)

    async def _look(self) -> None:
        started = monotonic()
        async with self._primary.unscoped() as connection:
            here = await connection.row("log_position")
        if self._db is None:
            self._db = await self._open()
        async with self._db.unscoped() as connection:
            there = await connection.row("log_position")
        assert here is not None
        assert there is not None
        if not there["standby"] or (here["server"], here["database"]) != (there["server"], there["database"]):
            raise Unavailable("DATABASE_REPLICA_URL: this is not a standby of the same database.")
        self._reached = there["position"]
        self.positions.reached(self._reached)
        self._seen = [one for one in [*self._seen, (started, here["position"])] if one[1] > self._reached]
        if len(self._seen) > SEEN_MAX:
            self._seen = self._seen[::2]
        self.lag_s = started - self._seen[0][0] if self._seen else 0.0
        if self.lag_s > self._lag_max_s:
            self._fails(Unavailable(f"The replica is {self.lag_s:.1f} s behind; searches go to the primary."))
        else:
            self.condition.works((monotonic() - started) * 1000)

    def _fails(self, error: BaseException) -> None:
        said = str(error).replace("DATABASE_URL", "DATABASE_REPLICA_URL") or f"No answer within {LOOK_MAX_S:g} s."
        if self.condition.state != "failing":
            log.warning("replica_unused", error=type(error).__name__)
        self.condition.fails(said)
