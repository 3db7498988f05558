"""Scheduled jobs: each run is done by one of several workers."""

from __future__ import annotations

import asyncio
from datetime import datetime

import asyncpg
import pytest
from apscheduler.triggers.cron import CronTrigger

from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from tests.tuning import tuned
from worker.app import in_flight
from worker.app import schedule as jobs_of
from worker.schedule import SAME_RUN_S, run_claimed, scheduler


@pytest.mark.first_tier
async def test_of_two_workers_one_runs_a_job(runtime: Runtime, settings: Settings, database_url: str) -> None:
    runs: list[Runtime] = []

    async def job(runtime: Runtime) -> None:
        runs.append(runtime)

    async with open_runtime(settings, "second worker") as other:
        ran = await asyncio.gather(*(run_claimed(one, "job", job) for one in (runtime, other) * 3))
        assert sum(ran) == 1
        assert len(runs) == 1
        assert await run_claimed(other, "another job", job)
        connection = await asyncpg.connect(database_url)
        await connection.execute("UPDATE cron_runs SET started_at = started_at - make_interval(secs => $1)", SAME_RUN_S)
        await connection.close()
        assert await run_claimed(other, "job", job)
        assert not await run_claimed(runtime, "job", job)
    assert len(runs) == 3


async def test_every_job_of_a_worker_is_claimed(runtime: Runtime, settings: Settings) -> None:
    jobs = jobs_of(settings, in_flight(runtime, settings))
    made = scheduler(runtime, jobs)
    made.start(paused=True)
    scheduled = made.get_jobs()
    made.shutdown(wait=False)
    assert [job.func for job in scheduled] == [run_claimed] * len(jobs)
    assert len({job.args[1] for job in scheduled}) == len(jobs)


def test_without_scheduled_jobs_a_worker_does_what_is_pending(runtime: Runtime, settings: Settings) -> None:
    quiet = tuned(settings, scheduled_jobs=False)
    jobs = {name for name, _, _ in jobs_of(quiet, in_flight(runtime, quiet))}
    assert jobs == {"embed_pending", "measure_noise", "backfill_fields"}


def test_no_crontab_fires_twice_within_one_claim() -> None:
    trigger = CronTrigger.from_crontab("* * * * *")
    first = trigger.get_next_fire_time(None, datetime.now(trigger.timezone))
    assert first is not None
    second = trigger.get_next_fire_time(first, first)
    assert second is not None
    assert (second - first).total_seconds() > SAME_RUN_S
