"""Apply: the one transaction of a dream. It checks the lease and that nothing it touches has changed, writes
everything, moves the watermark and closes the dream; or it leaves nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from service.domain.json import JsonObject
from service.errors import ReverieError
from service.extraction.candidates import Extraction
from service.memory.bulletin import NewBulletin
from service.memory.pages import mark_due
from service.runtime import Runtime
from service.store import dreams
from service.store.dreams import Lease
from service.store.settings import agent_settings
from worker.dreaming.gather import Batch
from worker.dreaming.plan import Diff, Plan
from worker.dreaming.readings import Reading
from worker.dreaming.reflect.insight import Conclusions
from worker.dreaming.writer import Writer
from worker.lease import fenced


class PlanOutdated(ReverieError):
    """Something the plan touches has changed since it was made; it has to be made again."""


@dataclass(frozen=True, slots=True)
class DreamWrite:
    """Everything a dream is about to write."""

    dream_id: UUID
    batch: Batch
    extraction: Extraction
    readings: list[Reading]
    plan: Plan
    conclusions: Conclusions


async def apply(
    runtime: Runtime,
    lease: Lease,
    work: DreamWrite,
    *,
    written: NewBulletin | None,
    report: JsonObject,
    dry_run: bool,
    on_step: Callable[[str], Awaitable[None]],
) -> Diff:
    """Commit the work, or with ``dry_run`` do it whole and roll it back; the dream is closed with its diff either way.

    ``written`` is a bulletin in a model's words; it is used if it was made of what is known after this dream.
    ``report`` is added to the counts. Raises LeaseLost, and PlanOutdated when someone's change came in between.
    """
    now = runtime.now()
    workspace = lease.workspace_id
    diff = Diff()
    try:
        async with fenced(runtime, lease) as connection:
            await on_step("applying")
            writer = Writer(connection, lease, work.dream_id, now, diff, runtime.executor)
            await _write(runtime, writer, work, written)
            if dry_run:
                raise _RolledBack
            await dreams.finish(
                connection, workspace, work.dream_id, status="succeeded", report=diff.report() | report,
                changes=diff.changes, watermarks=work.batch.ranges,
                memory_ids=[memory.id for memory in work.batch.saved], error=None, now=now,
            )  # fmt: skip
            await connection.run(
                "forget_steps", workspace=workspace, agent_id=lease.agent_id, hashes=work.extraction.steps
            )
            await on_step("written")
    except _RolledBack:
        async with fenced(runtime, lease) as connection:
            await dreams.finish(
                connection, workspace, work.dream_id, status="dry_run", report=diff.report() | report,
                changes=diff.changes, error=None, now=now,
            )  # fmt: skip
    return diff


async def _write(runtime: Runtime, writer: Writer, work: DreamWrite, written: NewBulletin | None) -> None:
    if not await writer.memories(work.batch, work.extraction, work.readings, work.plan, work.conclusions):
        raise PlanOutdated
    if not await writer.advance(work.batch):
        raise PlanOutdated
    await writer.decay()
    settings = await agent_settings(writer.connection, writer.lease.workspace_id, writer.lease.agent_id)
    llm = runtime.model("bulletin", writer.lease.workspace_id, settings.llm)
    await writer.bulletin(work.batch.agent, written, llm, settings.dream)
    read = [memory.id for memory in work.batch.saved]
    changed = [change.memory_id for change in writer.diff.changes if change.memory_id is not None]
    await mark_due(
        writer.connection, writer.lease.workspace_id, writer.lease.agent_id,
        dream_id=work.dream_id, changed=[*read, *changed], now=writer.now,
    )  # fmt: skip


class _RolledBack(Exception):
    pass
