"""Dreams of agents that are due: an agent is claimed, dreamed for under a lease that is kept alive, and let go."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain import dreams as domain
from service.domain.dreams import Trigger
from service.domain.field_types import replace_unstorable
from service.domain.json import JsonObject
from service.domain.spending import Usage, paid_by, payer
from service.errors import ReverieError, Unavailable
from service.memory import bulletin
from service.memory.agents import payer_for
from service.memory.in_flight import InFlight, Tracker
from service.memory.ops.prometheus import count_dream
from service.memory.pages import write_due
from service.memory.sessions.compaction import compact_agent
from service.runtime import Runtime
from service.store import dreams
from service.store.dreams import Lease
from service.store.settings import agent_settings
from worker.dreaming.checkpoints import UnsavedResults
from worker.dreaming.dream import Dream, DreamOutcome, DreamRun
from worker.dreaming.gather import Ranges
from worker.dreaming.plan import usage_report
from worker.lease import LeaseLost, fenced, work_under_lease

log = structlog.get_logger(__name__)

RETRY_MAX_S = 6 * 3600.0

T = TypeVar("T")


async def _nothing(step: str) -> None:
    """Ignore the steps."""


def _nobody(read: int, messages: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of an agent that was claimed. ``error``: why its dream failed, None when none did."""

    workspace_id: UUID
    agent_id: UUID
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Dreamer:
    """Dreams for whoever is due, under this worker's name.

    ``retry_s``: how long after a first failure an agent is due again; it doubles with each further one, up to six
    hours. ``in_flight`` is what the process has in flight, the dreamer's own when there is none. ``on_step`` is told
    the name of each step as it is reached: claimed, begun, gathered, extract:asking, extract:kept, settle:asking,
    settle:kept, extracted, reconciled, reflected, bulletin:asking, bulletin:kept, applying, written, committed,
    page:writing, page:written, released.
    ``on_progress`` is told how many messages have been read, and of how many. ``any_hour``: scheduled dreams do not
    wait for quiet hours.
    """

    runtime: Runtime
    worker: str
    lease_s: float
    retry_s: float = 300.0
    on_step: Callable[[str], Awaitable[None]] = _nothing
    on_progress: Callable[[int, int], None] = _nobody
    unsaved: UnsavedResults = field(default_factory=UnsavedResults)
    in_flight: InFlight | None = None
    any_hour: bool = False

    async def dream_next(self, *, reserved: bool = False) -> Outcome | None:
        """Dream for an agent that is due or was asked to; None when there is none.

        Workspaces take turns; with ``reserved`` only one for which nobody dreams has a turn.

        A dream that loses its lease on the way leaves nothing; whoever took the agent goes on with it.
        """
        async with self.runtime.db.unscoped() as connection:
            lease = await connection.first(
                Lease, "claim_due_agent", worker=self.worker, lease_s=self.lease_s, now=self.runtime.now(),
                reserved=reserved,
            )  # fmt: skip
        if lease is None:
            return None
        await self.on_step("claimed")
        error: str | None = None
        try:
            with paid_by(await payer_for(self.runtime, lease.workspace_id, lease.agent_id)):
                error = await self._with_lease(lease, self._agent_run(lease).dream_all())
        except LeaseLost:
            log.warning("lease_lost", agent_id=str(lease.agent_id))
        return Outcome(lease.workspace_id, lease.agent_id, error)

    async def dream_for(self, workspace: UUID, agent_id: UUID, *, dry_run: bool = False) -> list[domain.Dream]:
        """Dream for one agent now and return the dreams with their changes, at least one for each set of owners of whom
        something was due; none while another worker has the agent, or when it takes the agent over. A ``dry_run`` is
        one dream."""
        async with self.runtime.db.unscoped() as connection:
            lease = await connection.first(
                Lease, "claim_agent", workspace=workspace, agent_id=agent_id, worker=self.worker, lease_s=self.lease_s,
                now=self.runtime.now(),
            )  # fmt: skip
        if lease is None:
            return []
        try:
            with paid_by(await payer_for(self.runtime, workspace, agent_id)):
                ids = await self._with_lease(lease, self._agent_run(lease).dream_now(dry_run=dry_run))
        except LeaseLost:
            return []
        async with self.runtime.db.transaction(workspace) as connection:
            done = [await dreams.get_whole(connection, workspace, id_) for id_ in ids]
        return [dream for dream in done if dream is not None]

    def _agent_run(self, lease: Lease) -> AgentRun:
        return AgentRun(self, lease, self.in_flight or InFlight(self.runtime, self.worker))

    async def _with_lease(self, lease: Lease, work: Coroutine[object, object, T]) -> T:
        """Do the work while the lease is kept alive. Raises LeaseLost."""

        async def extend() -> bool:
            async with self.runtime.db.unscoped() as connection:
                return bool(await connection.run("extend_lease", **lease.held, lease_s=self.lease_s))

        return await work_under_lease(work, lease_s=self.lease_s, extend=extend, abandon=lambda: self._abandon(lease))

    async def _abandon(self, lease: Lease) -> None:
        async with self.runtime.db.transaction(lease.workspace_id) as connection:
            if await dreams.fence(connection, lease):
                await dreams.abandon_lease(connection, lease)


@dataclass(slots=True)
class AgentRun:
    """One agent's turn, under one lease."""

    dreamer: Dreamer
    lease: Lease
    flight: InFlight
    error: str | None = None
    _tracker: Tracker | None = None

    async def dream_all(self) -> str | None:
        """Run the dreams left unfinished or asked for; then, if the agent was due, as many as there is reason for.
        Return why one failed, None when none did.

        A failure is recorded with its reason; its messages stay due, and are tried again after a while. A schedule
        that finds nothing to do leaves no dream behind.
        """
        trigger: Trigger | None = None
        if postponed := await self._postponed():
            await self._release(failures=self.lease.failures, due_at=postponed)
            return None
        while running := await self._begin(trigger):
            ended = await self._dream(running)
            if ended is DreamOutcome.FAILED:
                return self.error
            if ended is DreamOutcome.STOPPED:
                break
            trigger = running.trigger if ended is DreamOutcome.MORE and not running.dry_run else None
        await self._compact_and_release()
        return None

    async def dream_now(self, *, dry_run: bool) -> list[UUID]:
        """Dream until nothing is due, after those left unfinished or asked for before; return the ids of the dreams, or
        of the one before that failed."""
        while running := await self._begin(None, scheduled=False):
            if await self._dream(running) is DreamOutcome.FAILED:
                return [running.id]
        made: list[UUID] = []
        ended = DreamOutcome.MORE
        while ended is DreamOutcome.MORE:
            running = await self._begin("manual", dry_run=dry_run)
            assert running is not None
            made.append(running.id)
            ended = await self._dream(running)
            if dry_run:
                break
        if ended is not DreamOutcome.FAILED:
            await self._compact_and_release()
        return made

    async def _postponed(self) -> datetime | None:
        """Return when to look again, where the settings do not let the agent dream now; None where they do. What was
        asked for waits for no quiet hours."""
        workspace, now = self.lease.workspace_id, self.dreamer.runtime.now()
        async with self.dreamer.runtime.db.transaction(workspace) as connection:
            settings = await agent_settings(connection, workspace, self.lease.agent_id)
            if not settings.memory.enabled:
                return settings.next_dream(now)
            if self.dreamer.any_hour or not self.lease.scheduled or self.lease.dream_id is not None:
                return None
            quiet = settings.next_quiet_time(now)
            if quiet <= now:
                return None
            asked: UUID | None = await connection.value("next_queued_dream", **self.lease.of_agent)
            return quiet if asked is None else None

    async def _begin(
        self, trigger: Trigger | None, *, dry_run: bool = False, scheduled: bool = True
    ) -> DreamRun | None:
        """Begin the dream to run now: one left unfinished or asked for, else a new one if there is a trigger for it."""
        now = self.dreamer.runtime.now()
        async with fenced(self.dreamer.runtime, self.lease) as connection:
            lease = replace(self.lease, owners=await self._due_owners(connection))
            begun = await dreams.begin(connection, lease, now, trigger=trigger, dry_run=dry_run)
            if begun is None and scheduled and self.lease.scheduled and await self._has_reason(connection):
                begun = await dreams.begin(connection, lease, now, trigger="schedule")
            if begun is None:
                return None
        self.lease = replace(self.lease, owners=begun.owners)
        await self.dreamer.on_step("begun")
        settled = Ranges(begun.watermarks, begun.memory_ids) if begun.watermarks or begun.memory_ids else None
        return DreamRun(begun.id, begun.trigger, begun.dry_run, begun.usage, settled)

    async def _due_owners(self, connection: Connection) -> list[str]:
        """Return the owners of what has been due the longest, else of something that fades; none where there is
        neither."""
        runtime, lease = self.dreamer.runtime, self.lease
        found: list[str] | None = await connection.value(
            "due_owners", **lease.of_agent, embedded=runtime.embedder is not None, now=runtime.now()
        )
        if found is None:
            found = await self._fading_owners(connection)
        return found or []

    async def _fading_owners(self, connection: Connection) -> list[str] | None:
        settings = await agent_settings(connection, self.lease.workspace_id, self.lease.agent_id)
        return await connection.value(
            "decayed_owners", **self.lease.of_agent, now=self.dreamer.runtime.now(),
            days=settings.retention.decay_days, faded_below=settings.retrieval.faded_below,
        )  # fmt: skip

    async def _has_reason(self, connection: Connection) -> bool:
        """Return whether a dream would do anything: messages or memories are due, something fades, or the bulletin is
        out of date."""
        workspace, agent_id, now = self.lease.workspace_id, self.lease.agent_id, self.dreamer.runtime.now()
        if await connection.value("count_due_messages", **self.lease.of_agent):
            return True
        embedded = self.dreamer.runtime.embedder is not None
        if await connection.value("count_unread_memories", **self.lease.of_agent, embedded=embedded, now=now):
            return True
        if await self._fading_owners(connection) is not None:
            return True
        return await bulletin.is_outdated(self.dreamer.runtime, connection, workspace, agent_id)

    async def _dream(self, running: DreamRun) -> DreamOutcome:
        """Dream once, from its messages to its commit; a failure closes it, and gives the lease back."""
        began = time.monotonic()
        tracker = await self._crash_tracker(running)
        dream = Dream(
            self.dreamer.runtime, self.lease, running, self.dreamer.unsaved, tracker, self.dreamer.on_step,
            self.dreamer.on_progress,
        )  # fmt: skip
        try:
            with (
                self.dreamer.runtime.span("dream"),
                paid_by(replace(payer(), dream_id=running.id, owners=tuple(self.lease.owners))),
            ):
                ended, diff = await dream.run()
        except (LeaseLost, Unavailable):
            raise
        except Exception as error:
            log.exception("dream_failed", dream_id=str(running.id), agent_id=str(self.lease.agent_id))
            report = dream.journal.report() | {"duration_s": round(time.monotonic() - began, 3)}
            await self._fail(running, error, report)
            await self._count(running, "failed")
            return DreamOutcome.FAILED
        await self.dreamer.on_step("committed")
        await self._count(running, "dry_run" if running.dry_run else "succeeded")
        log.info("dream_finished", dream_id=str(running.id), agent_id=str(self.lease.agent_id), **diff.report())
        return ended

    async def _crash_tracker(self, running: DreamRun) -> Tracker:
        """Return what workers have died on that dreamed for this agent before; looked up once in a turn."""
        if self._tracker is None:
            self._tracker = await self.flight.open(
                self.lease.workspace_id, "dream", self.lease.agent_id, exclusive=True, dream_id=running.id
            )
            assert self._tracker is not None
        return self._tracker

    async def _fail(self, running: DreamRun, error: Exception, report: JsonObject) -> None:
        reason = error.message if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
        self.error = replace_unstorable(reason)[:2000]
        async with fenced(self.dreamer.runtime, self.lease) as connection:
            used = await self._used(connection, running)
            await dreams.finish(
                connection, self.lease.workspace_id, running.id, status="failed",
                report=report | {"llm": usage_report(used)},
                error=self.error, now=self.dreamer.runtime.now(),
            )  # fmt: skip
        failures = self.lease.failures + 1
        wait_s = min(RETRY_MAX_S, self.dreamer.retry_s * 2 ** (failures - 1)) * random.uniform(0.8, 1.2)
        await self._release(failures=failures, due_at=self.dreamer.runtime.now() + timedelta(seconds=wait_s))

    async def _count(self, running: DreamRun, outcome: str) -> None:
        """Count the dream for the metrics; what cannot be counted now is not."""
        with suppress(Unavailable):
            async with self.dreamer.runtime.db.transaction(self.lease.workspace_id) as connection:
                used = await self._used(connection, running)
            await count_dream(self.dreamer.runtime, outcome, used)

    async def _used(self, connection: Connection, running: DreamRun) -> Usage:
        return Usage(**await connection.value("dream_usage", workspace=self.lease.workspace_id, id=running.id))

    async def _compact_and_release(self) -> None:
        """Do what else is due of the agent when its dreams are done: pages are written, full windows folded."""
        workspace, agent_id = self.lease.workspace_id, self.lease.agent_id
        await write_due(self.dreamer.runtime, workspace, agent_id, on_step=self.dreamer.on_step)
        await compact_agent(self.dreamer.runtime, workspace, agent_id, self.flight)
        await self._release(failures=0)

    async def _release(self, *, failures: int, due_at: datetime | None = None) -> None:
        """Give the lease back. Without ``due_at`` a scheduled agent is due again after its interval, in its quiet
        hours."""
        async with self.dreamer.runtime.db.transaction(self.lease.workspace_id) as connection:
            if due_at is None and self.lease.scheduled:
                settings = await agent_settings(connection, self.lease.workspace_id, self.lease.agent_id)
                due_at = settings.next_dream(self.dreamer.runtime.now())
            await connection.run(
                "release_lease", **self.lease.held, due_at=due_at, asked=self.lease.asked, failures=failures
            )
        await self.dreamer.on_step("released")
