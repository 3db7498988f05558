"""What happens, passed on as it happens (row O7): from whoever writes events to whoever waits for them.

A transaction that has written events leaves a note here. The notes of an instant go out together as one notification
to every process, off the path of the writes: a NOTIFY within a write would make all commits of the database wait for
each other. A notification is a hint: where it is lost, or no notification gets through, the next look finds the events.

Followers hold no connection. Of each workspace that is followed here, one task looks for all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self
from uuid import UUID

import structlog

from service.db.listening import EVENTS, listen
from service.db.pool import Database
from service.errors import Unavailable
from service.store import events

log = structlog.get_logger(__name__)

GATHER_S = 0.05
"""Notes of so long go out as one."""
POLL_S = 1.0
"""Between looks when no notification comes."""


@dataclass(slots=True)
class Watch:
    """One workspace, looked at for its followers. ``last`` is the last position given when it was looked at."""

    workspace: UUID
    last: int = 0
    followers: int = 0
    rung: asyncio.Event = field(default_factory=asyncio.Event)
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, position: int, seconds: float) -> bool:
        """Wait until there is something after a position; False when there was nothing for so long."""
        moved = self.moved
        if self.last <= position:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await moved.wait()
        return self.last > position

    def reach(self, last: int) -> None:
        """Everything up to this position can be read."""
        if last > self.last:
            self.last = last
            self.wake()

    def wake(self) -> None:
        """Let all who wait look up."""
        self.moved.set()
        self.moved = asyncio.Event()


class Feed:
    """A context for the length of a process. ``closing`` once its streams are to end."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        self.closing = False
        self._db = db
        self._now = now
        self._noted: set[UUID] = set()
        self._any = asyncio.Event()
        self._watches: dict[UUID, Watch] = {}
        self._tasks: dict[object, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._db.events_written = self._note
        self._tasks["passing on"] = asyncio.create_task(self._pass_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Unavailable):
            await self._tell()

    def close(self) -> None:
        """Let every stream end now; none begins any more."""
        self.closing = True
        for watch in self._watches.values():
            watch.wake()

    @property
    def followers(self) -> int:
        """How many streams are open."""
        return sum(watch.followers for watch in self._watches.values())

    @asynccontextmanager
    async def following(self, workspace: UUID) -> AsyncIterator[Watch]:
        """Have a workspace looked at for the length of the block; what is committed before it begins has its position.

        Raises Unavailable when the database is away.
        """
        watch = self._watches.get(workspace)
        if watch is None:
            watch = self._watches[workspace] = Watch(workspace)
        watch.followers += 1
        try:
            watch.reach(await last_position(self._db, workspace))
            if "listening" not in self._tasks:
                self._tasks["listening"] = asyncio.create_task(listen(self._db.url, {EVENTS: self._heard}))
            if workspace not in self._tasks:
                self._tasks[workspace] = asyncio.create_task(self._look(watch))
            yield watch
        finally:
            watch.followers -= 1
            if watch.followers == 0:
                del self._watches[workspace]
                if task := self._tasks.pop(workspace, None):
                    task.cancel()

    def _note(self, workspace: UUID) -> None:
        self._noted.add(workspace)
        self._any.set()

    async def _pass_on(self) -> None:
        while True:
            await self._any.wait()
            await asyncio.sleep(GATHER_S)
            try:
                await self._tell()
            except Unavailable:
                await asyncio.sleep(POLL_S)
            except Exception:
                log.exception("events_not_passed_on")

    async def _tell(self) -> None:
        noted, self._noted = self._noted, set()
        self._any.clear()
        if noted:
            try:
                async with self._db.unscoped() as connection:
                    await events.pass_on(connection, noted, self._now())
            except Unavailable:
                self._noted |= noted
                self._any.set()
                raise

    def _heard(self, workspace: str) -> None:
        """Something has happened in a workspace, or (empty) anything may have while nobody listened."""
        for watch in self._watches.values():
            if workspace in ("", str(watch.workspace)):
                watch.rung.set()

    async def _look(self, watch: Watch) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await watch.rung.wait()
            watch.rung.clear()
            try:
                watch.reach(await last_position(self._db, watch.workspace))
            except Unavailable:
                await asyncio.sleep(POLL_S)
            except Exception:
                log.exception("events_not_looked_at")


async def last_position(db: Database, workspace: UUID) -> int:
    """Give every event that is committed its position; the last one. Raises Unavailable."""
    while True:
        async with db.transaction(workspace, awaited=False) as connection:
            if await events.position(connection, workspace) < events.POSITIONED_AT_ONCE:
                return await events.last(connection, workspace)
