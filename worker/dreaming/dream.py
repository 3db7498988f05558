"""One dream, from its messages to its commit. Reads as a contents page: gather, extract, reconcile, reflect, apply."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from functools import partial
from uuid import UUID

import structlog

from service.domain.dreams import Trigger
from service.domain.json import JsonObject
from service.domain.spending import Usage
from service.domain.workspace import WorkspaceSettings
from service.extraction.candidates import Candidate, Extraction, evidence_of
from service.extraction.trust import attest, with_origins
from service.memory import bulletin
from service.memory.bulletin import NewBulletin
from service.memory.dreams.extraction import Masked, extract, masked_turns, only_allowed, with_stored_names
from service.memory.in_flight import Tracker
from service.memory.prompts import WrittenBulletin
from service.runtime import Runtime
from service.store.dreams import Lease
from service.store.settings import agent_settings
from worker.dreaming.adjudicate import judge_pairs
from worker.dreaming.apply import DreamWrite, PlanOutdated, apply
from worker.dreaming.checkpoints import NO_ANSWER, Checkpoints, Trace, UnsavedResults, open_checkpoints
from worker.dreaming.corrections import Corrections, StoredFact
from worker.dreaming.gather import Batch, Ranges, find_people, gather
from worker.dreaming.neighbours import find_related
from worker.dreaming.plan import Diff, Plan, usage_report
from worker.dreaming.proposing import split_rejected
from worker.dreaming.readings import Reading, read_saved
from worker.dreaming.reconcile import reconcile
from worker.dreaming.reflect.reflection import reflect
from worker.dreaming.slots import with_slots
from worker.lease import fenced

log = structlog.get_logger(__name__)

PLANS_MAX = 5
PROGRESS_S = 1.0
NEWEST_MAX = 20
"""So many of the candidates of a dream under way are shown."""


class DreamOutcome(Enum):
    """Outcome of a dream: all is read, more is due, the budget was reached, or it failed."""

    DONE = 1
    MORE = 2
    STOPPED = 3
    FAILED = 4


@dataclass(frozen=True, slots=True)
class DreamRun:
    """The dream under way. ``ranges``: what it was going to read when it was begun before."""

    id: UUID
    trigger: Trigger
    dry_run: bool
    spent: Usage
    ranges: Ranges | None


@dataclass(slots=True)
class Dream:
    """One dream. Reads as a contents page."""

    runtime: Runtime
    lease: Lease
    running: DreamRun
    unsaved: UnsavedResults
    tracker: Tracker
    on_step: Callable[[str], Awaitable[None]]
    on_progress: Callable[[int, int], None]
    journal: Trace = field(default_factory=Trace)
    ranges: Ranges | None = field(init=False)
    _decisions: dict[str, int] = field(default_factory=dict)
    _messages: int = 0
    _read_so_far: int = 0
    _candidates: int = 0
    _newest: deque[Candidate] = field(default_factory=lambda: deque(maxlen=NEWEST_MAX))
    _has_read: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.ranges = self.running.ranges

    async def run(self) -> tuple[DreamOutcome, Diff]:
        """Gather, extract, reconcile, reflect, apply; again when someone changes what the plan touches: they win."""
        began = time.monotonic()
        runtime, reached = self.runtime, self.on_step
        checkpoints = await open_checkpoints(
            runtime, self.lease, self.running.id, self.running.spent, self.unsaved, self.journal, reached
        )
        for _ in range(PLANS_MAX):
            batch, extraction, readings = await self._read(checkpoints)
            await self._show_progress("compare", checkpoints, extraction.candidates)
            await reached("extracted")
            with self.journal.step("reconcile"):
                plan, readings = await self._reconcile(batch, extraction, readings, checkpoints)
            await reached("reconciled")
            with self.journal.step("reflect"):
                conclusions = await reflect(runtime, self.lease, plan, readings, checkpoints)
            await reached("reflected")
            await self._show_progress("write", checkpoints, extraction.candidates)
            work = DreamWrite(self.running.id, batch, extraction, readings, plan, conclusions)
            try:
                with self.journal.step("bulletin"):
                    written = await self._bulletin(work, checkpoints)
                diff = await apply(
                    runtime, self.lease, work, written=written, dry_run=self.running.dry_run, on_step=reached,
                    report=self.journal.report()
                    | conclusions.report()
                    | _report(batch, extraction, plan, checkpoints, time.monotonic() - began)
                    | {"decisions": self._decisions},
                )  # fmt: skip
            except PlanOutdated:
                continue
            self.tracker.mark_processed([*(turn.id for turn in batch.turns), *(memory.id for memory in batch.saved)])
            if extraction.stopped:
                return DreamOutcome.STOPPED, diff
            return (DreamOutcome.MORE if batch.more else DreamOutcome.DONE), diff
        raise PlanOutdated(f"The memories kept changing under {PLANS_MAX} plans; the dream will be tried again.")

    async def _read(self, checkpoints: Checkpoints) -> tuple[Batch, Extraction, list[Reading]]:
        """Return the messages and memories due and what they state; only as many of the messages as could be read.

        Which they are is settled the first time, so that reading them again costs nothing that was paid before.
        """
        runtime = self.runtime
        with self.journal.step("gather"):
            batch, settings, stored = await self._gather()
        await self.on_step("gathered")
        self._read_so_far = self._candidates = 0
        self._newest.clear()
        self._messages = len(batch.turns)
        masked = Masked(batch.turns, stored)
        with self.journal.step("extract"):
            calls = checkpoints if checkpoints.model("extract") is not None else None
            async with self._progress_shown(partial(self._show_reading, checkpoints, settings, masked)):
                extraction = await extract(runtime, settings, masked, calls, self._read_more, self.tracker)
            extraction.candidates = with_slots(extraction.candidates)
            readings = await read_saved(runtime, settings.masking, batch.saved, self.tracker)
        named = replace(batch, turns=with_stored_names(batch.turns, stored))
        return named.first(extraction.covered), extraction, readings

    async def _gather(self) -> tuple[Batch, WorkspaceSettings, Mapping[str, str]]:
        runtime = self.runtime
        async with fenced(runtime, self.lease) as connection:
            limit = self.tracker.batch_max
            within = None if limit else self.ranges
            settings = await agent_settings(connection, self.lease.workspace_id, self.lease.agent_id)
            batch = await gather(
                connection, self.lease, self.running.id, within, limit=limit, embedded=runtime.embedder is not None,
                zone=settings.time_zone, now=runtime.now(),
            )  # fmt: skip
            self.tracker.crashes |= batch.retried
            if within is None:
                self.ranges = batch.ranges_read()
                await connection.run(
                    "save_ranges", workspace=self.lease.workspace_id, id=self.running.id,
                    watermarks=self.ranges.stretches, memory_ids=self.ranges.memory_ids,
                )  # fmt: skip
        masked = await masked_turns(runtime, self.lease.workspace_id, settings.masking, batch.turns, self.tracker)
        return replace(batch, turns=masked.turns), settings, masked.stored

    def _read_more(self, turns: int, candidates: Sequence[Candidate]) -> None:
        """Count so many more turns as read, and let ``_progress_shown`` write it."""
        self._read_so_far += turns
        self._candidates += len(candidates)
        self._newest.extend(candidates)
        self.on_progress(self._read_so_far, self._messages)
        self._has_read.set()

    @asynccontextmanager
    async def _progress_shown(self, show: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Call ``show`` within the block after each ``_read_more``, at most once per PROGRESS_S; the last one counts
        too.

        Raises at the end of the block what ``show`` raised.
        """

        async def follow() -> None:
            while await self._has_read.wait():
                self._has_read.clear()
                await show()
                await asyncio.sleep(PROGRESS_S)

        following = asyncio.create_task(follow())
        try:
            yield
        finally:
            following.cancel()
            await asyncio.wait([following])
        if not following.cancelled():
            following.result()

    async def _show_reading(self, checkpoints: Checkpoints, settings: WorkspaceSettings, masked: Masked) -> None:
        found = Extraction(covered=0, candidates=list(self._newest))
        allowed = await only_allowed(self.runtime, settings, masked, found, self.tracker)
        await self._show_progress("read", checkpoints, allowed.candidates)

    async def _show_progress(self, step: str, checkpoints: Checkpoints, found: Sequence[Candidate]) -> None:
        """Write how far the dream has come, the newest of what it has ``found`` and what it has cost so far, into its
        report. Raises LeaseLost, so that nothing is written again that a purge has removed meanwhile."""
        newest = {one.content: one.type for one in found[: -NEWEST_MAX - 1 : -1]}
        report = {
            "step": step,
            "read": self._read_so_far,
            "messages": self._messages,
            "candidates": self._candidates,
            "newest": [{"type": type_, "content": content} for content, type_ in newest.items()],
            "llm": usage_report(checkpoints.meter.usage),
        }
        async with fenced(self.runtime, self.lease) as connection:
            await connection.run("note_progress", workspace=self.lease.workspace_id, id=self.running.id, report=report)

    async def _reconcile(
        self, batch: Batch, extraction: Extraction, readings: list[Reading], checkpoints: Checkpoints
    ) -> tuple[Plan, list[Reading]]:
        """Return what the candidates and saved memories mean beside what is known, and the readings with what is clear
        only beside it; pairs that only a reader can tell apart are read."""
        read = [*evidence_of(extraction.candidates), *(memory.id for memory in batch.saved)]
        async with self.tracker.step("compare", read):
            corrections = await asyncio.to_thread(
                Corrections, batch, self.lease.agent_id, extraction.candidates, readings
            )
        async with self.runtime.db.transaction(self.lease.workspace_id) as connection:
            known = await connection.many(
                StoredFact, "facts_of_attributes", **self.lease.of_owners, attributes=corrections.attributes,
                audiences=corrections.audiences, now=self.runtime.now(),
            ) if corrections.attributes else []  # fmt: skip
            candidates, readings = corrections.settled(known)
            people = await find_people(connection, self.lease, batch.turns, candidates)
            settings = await agent_settings(connection, self.lease.workspace_id, self.lease.agent_id)
            rows = await connection.fetch("rejected_proposals", **self.lease.of_owners)
            rejected = {row["fingerprint"]: row["confidence"] for row in rows}
        async with self.tracker.step("compare", read):
            attested = await asyncio.to_thread(attest, candidates, batch.turns, people)
            candidates = with_origins(attested, batch.turns, settings.origins)
        kept, again = await split_rejected(self.runtime.executor, candidates, rejected)
        extraction.ignored += [(one, "it was rejected") for one in again]
        around = await find_related(self.runtime, self.lease, kept, readings, self.tracker)
        said_at = {turn.id: (turn.at, place) for place, turn in enumerate(batch.turns)}
        planned = partial(reconcile, propose_below=settings.dream.propose_below)
        async with self.tracker.step("compare", read):
            plan = await asyncio.to_thread(planned, around, said_at, {})
        self._decisions = {}
        if plan.undecided:
            judged = await judge_pairs(plan.undecided, checkpoints, settings.dream)
            self._decisions = dict(judged.decisions)
            if judged.verdicts:
                async with self.tracker.step("compare", read):
                    plan = await asyncio.to_thread(planned, around, said_at, judged.verdicts)
        return plan, readings

    async def _bulletin(self, work: DreamWrite, checkpoints: Checkpoints) -> NewBulletin | None:
        """Return the bulletin in the model's words; None, and the rules write it, when nothing changed or no model
        answers."""
        llm = checkpoints.model("bulletin")
        if llm is None:
            return None
        workspace = self.lease.workspace_id
        now = self.runtime.now()
        async with fenced(self.runtime, self.lease) as connection:
            rows = await bulletin.inputs(
                connection, workspace, self.lease.agent_id, self.lease.owners, now,
                left_out=work.plan.left_out(), reinforced=list(work.plan.reinforced),
                added=[new.bulletin_input(now) for new in work.plan.new if new.replaced_by is None and not new.done],
            )  # fmt: skip
            latest: str | None = await connection.value(
                "bulletin_hash", **self.lease.of_agent, owners=self.lease.owners
            )
            choices = (await agent_settings(connection, workspace, self.lease.agent_id)).dream
        writer, tokens_max = f"{bulletin.writer_of(llm, choices)}", choices.bulletin_tokens_max
        if not rows or not bulletin.is_stale(latest, rows, writer):
            return None
        try:
            written = await checkpoints.structured(
                "bulletin", bulletin.prompt(rows, choices), WrittenBulletin,
                tokens_max=bulletin.answer_max(tokens_max), about=[turn.id for turn in work.batch.turns],
            )  # fmt: skip
            return bulletin.from_written(writer, work.batch.agent, rows, written, tokens_max)
        except NO_ANSWER as error:
            log.warning("bulletin_by_rules", dream_id=str(self.running.id), error=error.message)
            return None


def _report(batch: Batch, extraction: Extraction, plan: Plan, checkpoints: Checkpoints, seconds: float) -> JsonObject:
    """Return what a dream says of itself besides the counts of its diff."""
    extractor = checkpoints.model("extract")
    return {
        "sessions": len({batch.session_of[turn.id] for turn in batch.turns}),
        "candidates": len(extraction.candidates),
        "rejected": extraction.rejected.total(),
        "ignored": len(extraction.ignored),
        "read_by_rules": extraction.by_rules,
        "left_out": extraction.left_out() | dict(checkpoints.rejected),
        "set_aside": [*map(asdict, batch.set_aside), *map(asdict, batch.memories_set_aside)],
        "kept_apart": len(plan.undecided),
        "stopped": extraction.stopped,
        "extractor": extractor.model if extractor else "rules",
        "llm": usage_report(checkpoints.meter.usage) | {"models": dict(checkpoints.meter.answered)},
        "duration_s": round(seconds, 3),
    }
