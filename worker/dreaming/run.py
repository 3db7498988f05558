"""Who dreams when: an agent is claimed, dreamed for under a lease that is kept alive, and let go."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.errors import ReverieError, Unavailable
from service.llm import Usage
from service.memory import bulletin
from service.memory.compaction import compact_agent
from service.memory.engine import Engine
from service.memory.metrics import count_dream
from service.store import bulletins, dreams
from service.store.dreams import Lease
from service.store.settings import workspace_settings
from worker.dreaming.checkpoints import LeaseLost, Unsaved
from worker.dreaming.diff import usage_report
from worker.dreaming.dream import Dream, Ended, Running

log = structlog.get_logger(__name__)

RETRY_MAX_S = 6 * 3600.0

T = TypeVar("T")
Json = dict[str, Any]


async def _nothing(step: str) -> None:
    """Nobody watches the steps."""


def _nobody(read: int, messages: int) -> None:
    """Nobody watches the progress."""


@dataclass(frozen=True, slots=True)
class Dreamer:
    """Dreams for whoever is due, under this worker's name.

    ``retry_s``: how long after a first failure an agent is due again; it doubles with each further one, up to six
    hours. ``reached`` is told the name of each step as it is reached: claimed, begun, gathered, extract:asking,
    extract:kept, settle:asking, settle:kept, extracted, reconciled, bulletin:asking, bulletin:kept, applying, written,
    committed, released. ``progress`` is told how many messages have been read, and of how many.
    """

    engine: Engine
    worker: str
    lease_s: float
    retry_s: float = 300.0
    reached: Callable[[str], Awaitable[None]] = _nothing
    progress: Callable[[int, int], None] = _nobody
    unsaved: Unsaved = field(default_factory=Unsaved)

    async def dream_next(self) -> bool:
        """Dream for an agent that is due or was asked to; False when there is none.

        A dream that loses its lease on the way leaves nothing; whoever took the agent goes on with it.
        """
        async with self.engine.db.unscoped() as connection:
            lease = await dreams.claim_due(connection, worker=self.worker, lease_s=self.lease_s, now=self.engine.now())
        if lease is None:
            return False
        await self.reached("claimed")
        try:
            await self._holding(lease, _Turn(self, lease).dream_all())
        except LeaseLost:
            log.warning("lease_lost", agent_id=str(lease.agent_id))
        return True

    async def dream_for(self, workspace: UUID, agent_id: UUID, *, dry_run: bool = False) -> Json | None:
        """Dream for one agent now and return the dream with its changes; None while another worker has the agent,
        or when it takes the agent over."""
        async with self.engine.db.unscoped() as connection:
            lease = await dreams.claim(
                connection, workspace, agent_id, worker=self.worker, lease_s=self.lease_s, now=self.engine.now()
            )
        if lease is None:
            return None
        try:
            dream_id = await self._holding(lease, _Turn(self, lease).dream_by_hand(dry_run=dry_run))
        except LeaseLost:
            return None
        async with self.engine.db.transaction(workspace) as connection:
            done = await dreams.get(connection, workspace, dream_id)
            assert done is not None
            done["changes"] = await dreams.changes(connection, workspace, dream_id)
        return done

    async def _holding(self, lease: Lease, work: Coroutine[Any, Any, T]) -> T:
        """Do the work while the lease is kept alive; it is cancelled, and LeaseLost raised, as soon as that fails.

        When told to stop, the lease is given back before this ends.
        """
        beating = asyncio.create_task(self._beat(lease))
        working = asyncio.create_task(work)
        try:
            await asyncio.wait({beating, working}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise LeaseLost
            return working.result()
        except asyncio.CancelledError:
            await _cancel(working)
            await asyncio.shield(self._let_go(lease))
            raise
        finally:
            await _cancel(beating, working)

    async def _beat(self, lease: Lease) -> None:
        """Extend the lease every third of its term, until it has been lost."""
        while True:
            await asyncio.sleep(self.lease_s / 3)
            try:
                async with self.engine.db.unscoped() as connection:
                    if not await dreams.extend(connection, lease, lease_s=self.lease_s, now=self.engine.now()):
                        return
            except Unavailable as error:
                log.warning("heartbeat_failed", error=error.message)

    async def _let_go(self, lease: Lease) -> None:
        async with self.engine.db.transaction(lease.workspace_id) as connection:
            if await dreams.fence(connection, lease, self.engine.now()):
                await dreams.let_go(connection, lease)


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(slots=True)
class _Turn:
    """One agent's turn, under one lease."""

    dreamer: Dreamer
    lease: Lease

    @property
    def _engine(self) -> Engine:
        return self.dreamer.engine

    async def dream_all(self) -> None:
        """The dreams left unfinished or asked for; then, if the agent was due, as many as there is reason for.

        A failure is recorded with its reason; its messages stay due, and are tried again after a while. A schedule
        that finds nothing to do leaves no dream behind.
        """
        trigger: str | None = None
        while running := await self._begin(trigger):
            ended = await self._dream(running)
            if ended is Ended.FAILED:
                return
            if ended is Ended.STOPPED:
                break
            trigger = running.trigger if ended is Ended.MORE and not running.dry_run else None
        await self._fold_and_release()

    async def dream_by_hand(self, *, dry_run: bool) -> UUID:
        """One dream now, after those left unfinished or asked for before; its id."""
        while running := await self._begin(None, scheduled=False):
            if await self._dream(running) is Ended.FAILED:
                return running.id
        ended = Ended.MORE
        while ended is Ended.MORE:
            running = await self._begin("manual", dry_run=dry_run)
            assert running is not None
            ended = await self._dream(running)
            if dry_run:
                break
        if ended is not Ended.FAILED:
            await self._fold_and_release()
        assert running is not None
        return running.id

    async def _begin(self, trigger: str | None, *, dry_run: bool = False, scheduled: bool = True) -> Running | None:
        """The dream to run now: one left unfinished or asked for, else a new one if there is a trigger for it."""
        now = self._engine.now()
        async with self._engine.db.transaction(self.lease.workspace_id) as connection:
            if not await dreams.fence(connection, self.lease, now):
                raise LeaseLost
            row = await dreams.begin(connection, self.lease, now, trigger=trigger, dry_run=dry_run)
            if row is None and scheduled and self.lease.scheduled and await self._has_reason(connection):
                row = await dreams.begin(connection, self.lease, now, trigger="schedule")
        if row is None:
            return None
        await self.dreamer.reached("begun")
        return Running(
            row["id"], row["trigger"], row["dry_run"], Usage(**row["usage"]), row["watermarks"] or None
        )  # fmt: skip

    async def _has_reason(self, connection: Connection) -> bool:
        """Whether a dream would do anything: messages are due, something fades, or the bulletin is out of date."""
        workspace, agent_id, now = self.lease.workspace_id, self.lease.agent_id, self._engine.now()
        if await connection.value("count_due_messages", workspace=workspace, agent_id=agent_id):
            return True
        settings = await workspace_settings(connection, workspace)
        if await connection.value(
            "has_decayed", workspace=workspace, agent_id=agent_id, now=now, days=settings.retention.decay_days,
            faded_below=settings.retrieval.faded_below,
        ):  # fmt: skip
            return True
        rows = await bulletin.inputs(connection, workspace, agent_id, now)
        latest = await bulletins.latest_hash(connection, workspace, agent_id)
        model = self._engine.llm.model if self._engine.llm else None
        return bulletin.is_stale(latest, rows, model)

    async def _dream(self, running: Running) -> Ended:
        """One dream, from its messages to its commit; a failure closes it, and gives the lease back."""
        began = time.monotonic()
        dream = Dream(
            self._engine, self.lease, running, self.dreamer.unsaved, self.dreamer.reached, self.dreamer.progress
        )
        try:
            with self._engine.span("dream"):
                ended, diff = await dream.run()
        except (LeaseLost, Unavailable):
            raise
        except Exception as error:
            log.exception("dream_failed", dream_id=str(running.id), agent_id=str(self.lease.agent_id))
            report = dream.journal.report() | {"duration_s": round(time.monotonic() - began, 3)}
            await self._fail(running, error, report)
            await self._count(running, "failed")
            return Ended.FAILED
        await self.dreamer.reached("committed")
        await self._count(running, "dry_run" if running.dry_run else "succeeded")
        log.info("dreamed", dream_id=str(running.id), agent_id=str(self.lease.agent_id), **diff.report())
        return ended

    async def _fail(self, running: Running, error: Exception, report: Json) -> None:
        reason = error.message if isinstance(error, ReverieError) else str(error)
        async with self._engine.db.transaction(self.lease.workspace_id) as connection:
            if not await dreams.fence(connection, self.lease, self._engine.now()):
                raise LeaseLost
            used = await dreams.usage(connection, self.lease.workspace_id, running.id)
            await dreams.finish(
                connection, self.lease.workspace_id, running.id, status="failed",
                report=report | {"llm": usage_report(used)},
                error=f"{type(error).__name__}: {reason}"[:2000], now=self._engine.now(),
            )  # fmt: skip
        failures = self.lease.failures + 1
        wait_s = min(RETRY_MAX_S, self.dreamer.retry_s * 2 ** (failures - 1)) * random.uniform(0.8, 1.2)
        await self._release(failures=failures, wait_s=wait_s)

    async def _count(self, running: Running, outcome: str) -> None:
        """Count the dream for the metrics; what cannot be counted now is not."""
        with suppress(Unavailable):
            async with self._engine.db.transaction(self.lease.workspace_id) as connection:
                used = await dreams.usage(connection, self.lease.workspace_id, running.id)
            await count_dream(self._engine, outcome, used)

    async def _fold_and_release(self) -> None:
        """What else is due of the agent when its dreams are done: full windows are folded (row D8)."""
        await compact_agent(self._engine, self.lease.workspace_id, self.lease.agent_id)
        await self._release(failures=0, wait_s=None)

    async def _release(self, *, failures: int, wait_s: float | None) -> None:
        """Give the lease back. Without ``wait_s`` a scheduled agent is due again after the workspace's interval."""
        async with self._engine.db.transaction(self.lease.workspace_id) as connection:
            if wait_s is None and self.lease.scheduled:
                wait_s = (await workspace_settings(connection, self.lease.workspace_id)).dream.interval_h * 3600
            due_at = None if wait_s is None else self._engine.now() + timedelta(seconds=wait_s)
            await dreams.release(connection, self.lease, due_at=due_at, failures=failures)
        await self.dreamer.reached("released")
