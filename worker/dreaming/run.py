"""A dream from claim to commit. Reads as a contents page: gather, extract, reconcile, apply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from service.memory.engine import Engine
from service.store import dreams
from service.store.dreams import Lease
from worker.dreaming.apply import LeaseLost, PlanOutdated, apply
from worker.dreaming.extract.rules import extract
from worker.dreaming.gather import gather
from worker.dreaming.reconcile import reconcile

log = structlog.get_logger(__name__)

PLANS_MAX = 5
RETRY_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Dreamer:
    """Dreams for whoever is due, under this worker's name."""

    engine: Engine
    worker: str
    lease_s: float

    async def dream_next(self) -> bool:
        """Dream for the agent that has been due longest; False when nobody is."""
        async with self.engine.db.unscoped() as connection:
            lease = await dreams.claim_due(connection, worker=self.worker, lease_s=self.lease_s, now=self.engine.now())
        if lease is None:
            return False
        await self.dream(lease, trigger="schedule")
        return True

    async def dream_for(self, workspace: UUID, agent_id: UUID, *, dry_run: bool = False) -> dict[str, Any] | None:
        """Dream for one agent now; None while another worker does."""
        async with self.engine.db.unscoped() as connection:
            lease = await dreams.claim(
                connection, workspace, agent_id, worker=self.worker, lease_s=self.lease_s, now=self.engine.now()
            )
        return await self.dream(lease, trigger="manual", dry_run=dry_run) if lease else None

    async def dream(self, lease: Lease, *, trigger: str, dry_run: bool = False) -> dict[str, Any]:
        """Dream about everything due, batch after batch, each a dream of its own; the last one's record.

        A failure is recorded with its reason; its messages stay due and are tried again in five minutes.
        """
        due_at: datetime | None = None
        async with self._heartbeat(lease):
            while True:
                dream_id, dry_run = await self._begin(lease, trigger, dry_run)
                try:
                    more = await self._dream_once(lease, dream_id, dry_run)
                except asyncio.CancelledError:
                    await asyncio.shield(self._let_go(lease))
                    raise
                except LeaseLost:
                    log.warning("lease_lost", dream_id=str(dream_id))
                    break
                except Exception as error:
                    log.exception("dream_failed", dream_id=str(dream_id))
                    await self._fail(lease, dream_id, error)
                    due_at = self.engine.now() + RETRY_AFTER
                    break
                if not more or dry_run:
                    break
        async with self.engine.db.transaction(lease.workspace_id) as connection:
            await dreams.release(connection, lease, due_at)
            done = await dreams.get(connection, lease.workspace_id, dream_id)
            assert done is not None
            done["changes"] = await dreams.changes(connection, lease.workspace_id, dream_id)
        return done

    async def _dream_once(self, lease: Lease, dream_id: UUID, dry_run: bool) -> bool:
        """One batch; whether more is due."""
        batch = await gather(self.engine, lease)
        candidates = await asyncio.to_thread(extract, batch.turns)
        for _ in range(PLANS_MAX):
            plan = await reconcile(self.engine, lease, candidates)
            try:
                outcome = await apply(self.engine, lease, dream_id, batch, plan, dry_run=dry_run)
            except PlanOutdated:
                continue
            log.info("dreamed", dream_id=str(dream_id), agent_id=str(lease.agent_id), **outcome.report())
            return batch.more
        raise PlanOutdated(f"The memories kept changing under {PLANS_MAX} plans; the dream will be tried again.")

    async def _begin(self, lease: Lease, trigger: str, dry_run: bool) -> tuple[UUID, bool]:
        """The dream to run: the one a dead worker left, else one that waits, else a new one."""
        now = self.engine.now()
        async with self.engine.db.transaction(lease.workspace_id) as connection:
            held = await dreams.get(connection, lease.workspace_id, lease.dream_id) if lease.dream_id else None
            if held is not None and held["status"] == "running":
                dream_id, dry_run = held["id"], held["dry_run"]
            else:
                waiting = await connection.row("take_queued", workspace=lease.workspace_id, agent_id=lease.agent_id)
                if waiting is not None:
                    dream_id, dry_run = waiting["id"], waiting["dry_run"]
                else:
                    dream_id = await dreams.queue(
                        connection, lease.workspace_id, lease.agent_id, trigger=trigger, dry_run=dry_run, now=now
                    )
            await connection.run("start_dream", workspace=lease.workspace_id, id=dream_id, now=now)
            await connection.run(
                "hold_dream",
                workspace=lease.workspace_id,
                agent_id=lease.agent_id,
                token=lease.token,
                dream_id=dream_id,
            )
        return dream_id, dry_run

    async def _fail(self, lease: Lease, dream_id: UUID, error: Exception) -> None:
        async with self.engine.db.transaction(lease.workspace_id) as connection:
            await dreams.finish(
                connection, lease.workspace_id, dream_id, status="failed", report={},
                error=f"{type(error).__name__}: {error}"[:2000], now=self.engine.now(),
            )  # fmt: skip

    async def _let_go(self, lease: Lease) -> None:
        async with self.engine.db.transaction(lease.workspace_id) as connection:
            await dreams.let_go(connection, lease)

    @asynccontextmanager
    async def _heartbeat(self, lease: Lease) -> AsyncIterator[None]:
        """Extend the lease every third of its term while the block runs."""

        async def beat() -> None:
            while True:
                await asyncio.sleep(self.lease_s / 3)
                try:
                    async with self.engine.db.unscoped() as connection:
                        await dreams.extend(connection, lease, lease_s=self.lease_s, now=self.engine.now())
                except Exception:
                    log.exception("heartbeat_failed")

        task = asyncio.create_task(beat())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
