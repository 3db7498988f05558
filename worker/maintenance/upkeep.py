"""The smaller jobs of a worker: stale bulletins, due pages, saved searches, full windows, requested scans for secrets,
memories from before their fields were searched, and the noise of embedding models.

An agent whose bulletin no longer tells what it knows is due to dream. Windows are folded as soon as they are full. A
scan that is killed is gone through again by the next worker: of what is masked already, nothing is left to find.
Progress of indexing fields is kept with each batch, so that a worker that dies leaves the rest to the next run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.domain.field_types import replace_unstorable
from service.domain.ids import new_id
from service.domain.spending import INSTALLATION, Payer, paid_by
from service.embedding.embedder import EmbeddingFailed, noise_level
from service.errors import ReverieError, Unavailable
from service.memory import bulletin
from service.memory.access.rescan import Rescan
from service.memory.access.workspace import active_workspaces
from service.memory.agents import payer_for
from service.memory.in_flight import InFlight
from service.memory.pages import write_due
from service.memory.saved_searches import run_scheduled
from service.memory.sessions.compaction import compact_agent
from service.runtime import Runtime
from service.store import dreams, memories
from worker.lease import LeaseLost, work_under_lease

log = structlog.get_logger(__name__)

AGENTS_AT_ONCE = 200

COMPACTION_LEASE = timedelta(minutes=5)
SCAN_LEASE_S = 15.0
ATTEMPTS_MAX = 5
"""After so many workers that died over it, a scan is given up."""
PASSES, PASSES_OF_DRY_RUN = 3, 2
FIELDS_BATCH = 100


async def schedule_stale_bulletins(runtime: Runtime) -> int:
    """Make every agent due whose bulletin is out of date; how many. Its dream writes it, within its budget."""
    due = [
        (workspace, agent)
        for workspace in await active_workspaces(runtime)
        for agent in await _stale(runtime, workspace)
    ]
    async with runtime.db.unscoped() as connection:
        await dreams.schedule_now(connection, due, runtime.now())
    return len(due)


async def _stale(runtime: Runtime, workspace: UUID) -> list[UUID]:
    stale: list[UUID] = []
    after: str | None = None
    while True:
        async with runtime.db.transaction(workspace) as connection:
            page = await connection.fetch(
                "list_agents", workspace=workspace, only=None, text=None, after=after, limit=AGENTS_AT_ONCE
            )
            for row in page:
                if await bulletin.is_outdated(runtime, connection, workspace, row["id"]):
                    stale.append(row["id"])
        if len(page) < AGENTS_AT_ONCE:
            return stale
        after = page[-1]["agent"]


async def write_pages(runtime: Runtime) -> int:
    """Write what is due in every workspace; how many pages were looked at."""
    return sum([await write_due(runtime, workspace) for workspace in await active_workspaces(runtime)])


async def run_saved_searches(runtime: Runtime) -> int:
    """Run all saved searches; how many results were stored."""
    return sum([await run_scheduled(runtime, workspace) for workspace in await active_workspaces(runtime)])


@dataclass(frozen=True, slots=True)
class _Claim:
    """An agent whose windows are to be folded, and until when it is leased for that."""

    workspace_id: UUID
    agent_id: UUID
    compact_at: datetime


async def compact_next(runtime: Runtime, flight: InFlight | None = None) -> bool:
    """Fold the full windows of one agent that was asked for; return False when there is none.

    An agent whose windows cannot be folded now is taken up again in five minutes.
    """
    now = runtime.now()
    async with runtime.db.unscoped() as connection:
        claim = await connection.first(_Claim, "claim_compaction", now=now, until=now + COMPACTION_LEASE)
    if claim is None:
        return False
    with paid_by(await payer_for(runtime, claim.workspace_id, claim.agent_id)):
        done = await compact_agent(runtime, claim.workspace_id, claim.agent_id, flight or InFlight(runtime))
    if not done:
        return True
    async with runtime.db.unscoped() as connection:
        await connection.run(
            "finish_compaction", workspace=claim.workspace_id, agent_id=claim.agent_id, claimed=claim.compact_at
        )
    return True


@dataclass(frozen=True, slots=True)
class _Scan:
    """A scan that this worker holds; ``attempts`` counts this one."""

    workspace: UUID
    id: UUID
    dry_run: bool
    attempts: int
    worker: str

    async def extend(self, connection: Connection, *, done: int = 0, total: int | None = None) -> bool:
        """Note that ``done`` more rows have been read, of ``total``; False when another worker has taken over."""
        return bool(
            await connection.run(
                "extend_rescan", workspace=self.workspace, worker=self.worker, lease_s=SCAN_LEASE_S, done=done,
                total=total,
            )
        )  # fmt: skip


async def rescan_next(runtime: Runtime, worker: str) -> bool:
    """Do the scan that has waited longest, of any workspace; False where none waits.

    A scan that fails is closed with its error; one that the database fails waits for another attempt.
    """
    async with runtime.db.unscoped() as connection:
        claim = await connection.first(
            _Scan, "claim_rescan", worker=worker, lease_s=SCAN_LEASE_S, id=new_id()
        )  # fmt: skip
    if claim is None:
        return False

    async def extend() -> bool:
        async with runtime.db.unscoped() as connection:
            return await claim.extend(connection)

    async def release() -> None:
        async with runtime.db.unscoped() as connection:
            await connection.run("release_rescan", workspace=claim.workspace, worker=worker)

    try:
        with paid_by(Payer(claim.workspace)):
            await work_under_lease(_rescan(runtime, claim), lease_s=SCAN_LEASE_S, extend=extend, abandon=release)
    except LeaseLost:
        log.warning("lease_lost", workspace_id=str(claim.workspace))
    except Unavailable:
        await release()
        raise
    return True


async def _rescan(runtime: Runtime, claim: _Scan) -> None:
    error: str | None = f"{claim.attempts - 1} workers have died over it."
    if claim.attempts <= ATTEMPTS_MAX:
        error = await _scan(runtime, claim)
    async with runtime.db.unscoped() as connection:
        await connection.run(
            "finish_rescan", workspace=claim.workspace, worker=claim.worker, now=runtime.now(), error=error
        )


async def _scan(runtime: Runtime, claim: _Scan) -> str | None:
    """Run the scan; why it failed, None where it did not."""
    scan = Rescan(runtime, claim.workspace, id_=claim.id, on_batch=partial(_advance, claim))
    try:
        total = await scan.count_rows() * (PASSES_OF_DRY_RUN if claim.dry_run else PASSES)
        async with runtime.db.unscoped() as connection:
            await claim.extend(connection, total=total)
        await scan.prepare()
        if claim.dry_run:
            async for _ in scan.preview():
                pass
        else:
            await scan.apply()
    except (LeaseLost, Unavailable):
        raise
    except Exception as error:
        log.exception("rescan_failed", workspace_id=str(claim.workspace))
        reason = error.message if isinstance(error, ReverieError) else str(error)
        return replace_unstorable(f"{type(error).__name__}: {reason}")[:2000]
    log.info("rescan_finished", workspace_id=str(claim.workspace), dry_run=claim.dry_run, rows=dict(scan.report.rows))
    return None


async def _advance(claim: _Scan, connection: Connection, rows: int) -> None:
    """Note a batch in its own transaction, which fails once another worker has taken over."""
    if not await claim.extend(connection, done=rows):
        raise LeaseLost


async def backfill_fields(runtime: Runtime) -> None:
    """Do all there is to do, except in workspaces that another worker is at."""
    waiting = await active_workspaces(runtime)
    while waiting:
        going_on = []
        for workspace in waiting:
            async with runtime.db.transaction(workspace) as connection:
                if await memories.backfill_fields(connection, workspace, FIELDS_BATCH):
                    going_on.append(workspace)
        waiting = going_on


async def measure_noise(runtime: Runtime) -> None:
    """Keep the noise level of the embedder in use if it is not known; a model that fails is asked the next time."""
    embedder = runtime.embedder
    if embedder is None:
        return
    async with runtime.db.unscoped() as connection:
        known: bool | None = await connection.value("noise_is_known", signature=embedder.signature)
    if known is not False:  # None: nothing has been embedded with it
        return
    try:
        with paid_by(INSTALLATION):
            noise = await noise_level(embedder, runtime.embedding_deadline_s)
    except EmbeddingFailed as error:
        log.warning("noise_not_measured", model=embedder.model, error=error.message)
        return
    async with runtime.db.unscoped() as connection:
        await connection.run("set_noise", signature=embedder.signature, noise=noise)
    log.info("noise_measured", model=embedder.model, noise=noise)
