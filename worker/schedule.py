"""The worker's scheduled jobs. Every worker has the whole schedule; each run is done by the one that claims it.

The claim is a row, not an advisory lock: it works through a pooler in transaction mode, and it outlasts a job that is
over before the next worker's clock fires. A run whose worker dies is not repeated; the job runs at its next time.

A background job is done again at once while there is more of it, else when the bell rings or a while has passed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

from service.errors import ReverieError
from service.runtime import Runtime

log = structlog.get_logger(__name__)

SAME_RUN_S = 30.0
"""Claims this close together are for the same run: half of the shortest time between two runs of a crontab."""

Job = Callable[[Runtime], Awaitable[object]]


def scheduler(runtime: Runtime, jobs: Sequence[tuple[str, Job, str]]) -> AsyncIOScheduler:
    """Return a scheduler, not started, of jobs by name, each with its crontab (UTC)."""
    made = AsyncIOScheduler(timezone=UTC)
    for name, job, crontab in jobs:
        made.add_job(
            run_claimed,
            CronTrigger.from_crontab(crontab, UTC),
            args=[runtime, name, job],
            max_instances=1,
            coalesce=True,
        )
    return made


async def run_claimed(runtime: Runtime, name: str, job: Job) -> bool:
    """Run the job unless another worker has claimed this run of it. Whether it ran. Raises what the job raises, which
    the scheduler logs."""
    async with runtime.db.unscoped() as connection:
        claimed = await connection.row("claim_cron_run", job=name, within_s=SAME_RUN_S) is not None
    if claimed:
        await job(runtime)
    return claimed


@dataclass(slots=True)
class Wakeup:
    """Wakes everyone who waits for it."""

    _waiters: set[asyncio.Event] = field(default_factory=set)

    def notify(self) -> None:
        """Wake all who wait now, and those about to."""
        for event in self._waiters:
            event.set()

    async def run_forever(self, name: str, job: Callable[[], Awaitable[object]], poll_s: float) -> None:
        """Do ``job`` for ever: at once again when it gives something true, else on the next ring or look.

        What goes wrong is tried again after the same pause. Of failures in a row, the 1st, 2nd, 4th, 8th … are logged.
        """
        rung = asyncio.Event()
        failures = 0
        self._waiters.add(rung)
        while True:
            rung.clear()
            try:
                more = await job()
                failures = 0
                if more:
                    continue
            except ReverieError as error:
                failures += 1
                if failures.bit_count() == 1:
                    log.warning(
                        f"{name}_interrupted", error=f"{type(error).__name__}: {error.message}", failures=failures
                    )
            except Exception:
                log.exception(f"{name}_failed")
            try:
                async with asyncio.timeout(poll_s):
                    await rung.wait()
            except TimeoutError:
                pass
