"""The worker's composition root: opens the runtime and keeps the schedule until told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import uuid
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

from service.memory.engine import Engine
from service.runtime import open_runtime
from service.settings import Settings
from worker.dreaming.run import Dreamer
from worker.upkeep.drop_answers import drop_answers
from worker.upkeep.embed_pending import embed_pending
from worker.upkeep.large_audiences import tend_large_audiences

log = structlog.get_logger(__name__)

POLL_S = 1.0


def worker_name() -> str:
    """A name no other worker has, even with the same host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def dreamer(engine: Engine, settings: Settings) -> Dreamer:
    """A dreamer of this process."""
    return Dreamer(engine, worker_name(), settings.dream_lease_s)


async def run_worker(settings: Settings) -> None:
    """Dream whenever an agent is due and keep up the rest on its clocks, until SIGTERM or SIGINT."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with open_runtime(settings, "reverie-worker") as engine:
        scheduler = AsyncIOScheduler(timezone=UTC)
        for job, cron in (
            (make_all_due, settings.dream_cron),
            (embed_pending, settings.upkeep_cron),
            (drop_answers, settings.upkeep_cron),
            (tend_large_audiences, settings.statistics_cron),
        ):
            scheduler.add_job(job, CronTrigger.from_crontab(cron, UTC), args=[engine], max_instances=1, coalesce=True)
        scheduler.start()
        log.info("worker_ready")
        dreaming = asyncio.create_task(_dream_on(engine, settings))
        stop = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait({dreaming, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            scheduler.shutdown(wait=False)
            for task in (dreaming, stop):
                task.cancel()
            await asyncio.gather(stop, return_exceptions=True)
        try:
            await dreaming
        except asyncio.CancelledError:
            log.info("worker_stopped")


async def make_all_due(engine: Engine) -> None:
    """The schedule fires: every agent is due."""
    async with engine.db.unscoped() as connection:
        await connection.run("make_all_due", now=engine.now())


async def _dream_on(engine: Engine, settings: Settings) -> None:
    """Dream for whoever is due; look again every second when nobody is."""
    own = dreamer(engine, settings)
    while True:
        try:
            if await own.dream_next():
                continue
        except Exception:
            log.exception("claim_failed")
        await asyncio.sleep(POLL_S)


async def run_once(settings: Settings) -> int:
    """Dream once for every agent, do the upkeep, and end; the number of dreams."""
    async with open_runtime(settings, "reverie-worker") as engine:
        own = dreamer(engine, settings)
        await make_all_due(engine)
        count = 0
        while await own.dream_next():
            count += 1
        await embed_pending(engine)
        await tend_large_audiences(engine)
    return count
