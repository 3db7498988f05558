"""Scans workspaces for stored secrets, where an admin has asked for it.

A scan that is killed is gone through again by the next worker: of what is masked already, nothing is left to find.
"""

from __future__ import annotations

from functools import partial

import structlog

from service.db.pool import Connection
from service.domain.field_types import replace_unstorable
from service.domain.spending import Payer, paid_by
from service.errors import ReverieError, Unavailable
from service.memory.access.rescan import Rescan
from service.memory.engine import Engine
from service.store import rescans
from service.store.rescans import Claim
from worker.lease import LeaseLost, work_under_lease

log = structlog.get_logger(__name__)

LEASE_S = 15.0
ATTEMPTS_MAX = 5
"""After so many workers that died over it, a scan is given up."""
PASSES, PASSES_OF_DRY_RUN = 3, 2


async def rescan_next(engine: Engine, worker: str) -> bool:
    """Do the scan that has waited longest, of any workspace; False where none waits.

    A scan that fails is closed with its error; one that the database fails waits for another attempt.
    """
    async with engine.db.unscoped() as connection:
        claim = await rescans.claim(connection, worker, LEASE_S)
    if claim is None:
        return False

    async def extend() -> bool:
        async with engine.db.unscoped() as connection:
            return await rescans.extend(connection, claim, LEASE_S)

    async def release() -> None:
        async with engine.db.unscoped() as connection:
            await rescans.release(connection, claim)

    try:
        with paid_by(Payer(claim.workspace)):
            await work_under_lease(_rescan(engine, claim), lease_s=LEASE_S, extend=extend, abandon=release)
    except LeaseLost:
        log.warning("lease_lost", workspace_id=str(claim.workspace))
    except Unavailable:
        await release()
        raise
    return True


async def _rescan(engine: Engine, claim: Claim) -> None:
    error: str | None = f"{claim.attempts - 1} workers have died over it."
    if claim.attempts <= ATTEMPTS_MAX:
        error = await _scan(engine, claim)
    async with engine.db.unscoped() as connection:
        await rescans.finish(connection, claim, engine.now(), error)


async def _scan(engine: Engine, claim: Claim) -> str | None:
    """Run the scan; why it failed, None where it did not."""
    scan = Rescan(engine, claim.workspace, id_=claim.id, on_batch=partial(_advance, claim))
    try:
        total = await scan.count_rows() * (PASSES_OF_DRY_RUN if claim.dry_run else PASSES)
        async with engine.db.unscoped() as connection:
            await rescans.extend(connection, claim, LEASE_S, total=total)
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


async def _advance(claim: Claim, connection: Connection, rows: int) -> None:
    """Note a batch in its own transaction, which fails once another worker has taken over."""
    if not await rescans.extend(connection, claim, LEASE_S, done=rows):
        raise LeaseLost
