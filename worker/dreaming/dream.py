"""One dream, from its messages to its commit. Reads as a contents page: gather, extract, reconcile, apply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any
from uuid import UUID

import structlog

from service.domain.workspace import PiiSettings
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable, Usage
from service.memory import bulletin
from service.memory.bulletin import Bulletin
from service.memory.engine import Engine
from service.memory.prompts import WrittenBulletin
from service.store import bulletins, dreams
from service.store.dreams import Lease
from service.store.settings import workspace_settings
from worker.dreaming.apply import PlanOutdated, Work, apply, rehearse
from worker.dreaming.checkpoints import Checkpoints, LeaseLost, Unsaved, open_checkpoints
from worker.dreaming.diff import Diff, usage_report
from worker.dreaming.extract.by_llm import extract_by_llm
from worker.dreaming.extract.by_rules import extract_by_rules
from worker.dreaming.extract.outcome import Extraction
from worker.dreaming.gather import Batch, gather
from worker.dreaming.journal import Journal
from worker.dreaming.known import look_around
from worker.dreaming.personal_data import allowed_candidates, masked_turns
from worker.dreaming.reconcile import Plan, reconcile
from worker.dreaming.settle import settle

log = structlog.get_logger(__name__)

PLANS_MAX = 5
PROGRESS_S = 1.0

Json = dict[str, Any]


class Ended(Enum):
    """How a dream ended: all is read, more is due, the budget was reached, or it failed."""

    DONE = 1
    MORE = 2
    STOPPED = 3
    FAILED = 4


@dataclass(frozen=True, slots=True)
class Running:
    """The dream under way. ``stretches``: what it was going to read when it was begun before."""

    id: UUID
    trigger: str
    dry_run: bool
    spent: Usage
    stretches: list[Json] | None


@dataclass(slots=True)
class Dream:
    """One dream. Reads as a contents page."""

    engine: Engine
    lease: Lease
    running: Running
    unsaved: Unsaved
    reached: Callable[[str], Awaitable[None]]
    progress: Callable[[int, int], None]
    journal: Journal = field(default_factory=Journal)
    stretches: list[Json] | None = field(init=False)
    _read_so_far: int = 0
    _told_at: float = 0.0

    def __post_init__(self) -> None:
        self.stretches = self.running.stretches

    async def run(self) -> tuple[Ended, Diff]:
        """Gather, extract, reconcile, apply; made again when someone changes what the plan touches: they win."""
        began = time.monotonic()
        engine, reached = self.engine, self.reached
        checkpoints = None
        if engine.llm is not None:
            checkpoints = await open_checkpoints(
                engine, engine.llm, self.lease, self.running.id, self.running.spent, self.unsaved, self.journal,
                reached,
            )  # fmt: skip
        for _ in range(PLANS_MAX):
            batch, extraction = await self._read(checkpoints)
            await reached("extracted")
            with self.journal.step("reconcile"):
                plan = await self._reconcile(batch, extraction, checkpoints)
            await reached("reconciled")
            work = Work(self.running.id, batch, extraction, plan)
            try:
                with self.journal.step("bulletin"):
                    written = await self._bulletin(work, checkpoints) if checkpoints else None
                diff = await apply(
                    engine, self.lease, work, written=written, dry_run=self.running.dry_run, reached=reached,
                    report=self.journal.report()
                    | _report(batch, extraction, plan, checkpoints, time.monotonic() - began),
                )  # fmt: skip
            except PlanOutdated:
                continue
            if extraction.stopped:
                return Ended.STOPPED, diff
            return (Ended.MORE if batch.more else Ended.DONE), diff
        raise PlanOutdated(f"The memories kept changing under {PLANS_MAX} plans; the dream will be tried again.")

    async def _read(self, checkpoints: Checkpoints | None) -> tuple[Batch, Extraction]:
        """The messages due and what they state; only as many of them as could be read.

        Which messages is settled the first time, so that reading them again costs nothing that was paid before.
        """
        engine = self.engine
        with self.journal.step("gather"):
            batch, rule = await self._gather()
        await self.reached("gathered")
        self._read_so_far = 0
        done = partial(self._read_more, of=len(batch.turns))
        with self.journal.step("extract"):
            if checkpoints is None:
                extraction = await extract_by_rules(batch.turns, done)
            else:
                extraction = await extract_by_llm(batch.turns, checkpoints, done)
            extraction.candidates = await allowed_candidates(engine, rule, extraction.candidates)
        return batch.first(extraction.covered), extraction

    async def _gather(self) -> tuple[Batch, PiiSettings]:
        engine = self.engine
        async with engine.db.transaction(self.lease.workspace_id) as connection:
            if not await dreams.fence(connection, self.lease, engine.now()):
                raise LeaseLost
            batch = await gather(connection, self.lease, self.stretches)
            if self.stretches is None:
                self.stretches = batch.watermarks()
                await dreams.note_stretches(connection, self.lease.workspace_id, self.running.id, self.stretches)
            rule = (await workspace_settings(connection, self.lease.workspace_id)).pii
        return replace(batch, turns=await masked_turns(engine, rule, batch.turns)), rule

    async def _read_more(self, turns: int, *, of: int) -> None:
        """So many more turns have been read: said to whoever watches, and now and then to everyone."""
        self._read_so_far += turns
        self.progress(self._read_so_far, of)
        if time.monotonic() - self._told_at < PROGRESS_S:
            return
        self._told_at = time.monotonic()
        async with self.engine.db.transaction(self.lease.workspace_id) as connection:
            await dreams.note_progress(
                connection, self.lease.workspace_id, self.running.id, read=self._read_so_far, messages=of
            )

    async def _reconcile(self, batch: Batch, extraction: Extraction, checkpoints: Checkpoints | None) -> Plan:
        """What the candidates mean beside what is known; pairs that only a reader can tell apart are read."""
        around = await look_around(self.engine, self.lease, extraction.candidates)
        told = {turn.id: (turn.at, place) for place, turn in enumerate(batch.turns)}
        plan = await asyncio.to_thread(reconcile, around, told, {})
        if plan.undecided and checkpoints is not None:
            verdicts = await settle(plan.undecided, checkpoints)
            plan = await asyncio.to_thread(reconcile, around, told, verdicts)
        return plan

    async def _bulletin(self, work: Work, checkpoints: Checkpoints) -> Bulletin | None:
        """The bulletin in the model's words; None, and the rules write it, when nothing changed or the model fails."""
        workspace = self.lease.workspace_id
        rows = await rehearse(self.engine, self.lease, work)
        async with self.engine.db.transaction(workspace) as connection:
            latest = await bulletins.latest_hash(connection, workspace, self.lease.agent_id)
            tokens_max = (await workspace_settings(connection, workspace)).dream.bulletin_tokens_max
        if not rows or not bulletin.is_stale(latest, rows, checkpoints.llm.model):
            return None
        question = bulletin.prompt(rows, tokens_max)

        async def call(llm: LLM) -> dict[str, Any]:
            answer = await llm.structured(question, WrittenBulletin, tokens_max=bulletin.answer_max(tokens_max))
            return answer.value.model_dump(mode="json")

        try:
            written = await checkpoints.once("bulletin", question, [turn.id for turn in work.batch.turns], call)
        except (LLMInvalidOutput, LLMUnavailable, BudgetReached) as error:
            log.warning("bulletin_by_rules", dream_id=str(self.running.id), error=error.message)
            return None
        return bulletin.from_written(
            checkpoints.llm.model, work.batch.agent, rows, WrittenBulletin.model_validate(written), tokens_max
        )


def _report(batch: Batch, extraction: Extraction, plan: Plan, checkpoints: Checkpoints | None, seconds: float) -> Json:
    """What a dream says of itself besides the counts of its diff."""
    return {
        "sessions": len(batch.stretches),
        "candidates": len(extraction.candidates),
        "rejected": extraction.rejected,
        "kept_apart": len(plan.undecided),
        "stopped": extraction.stopped,
        "extractor": checkpoints.llm.model if checkpoints else "rules",
        "llm": usage_report(checkpoints.llm.meter.usage) if checkpoints else usage_report(Usage()),
        "duration_s": round(seconds, 3),
    }
