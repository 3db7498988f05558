"""The worker's composition root: opens the runtime and keeps the schedule until told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, timedelta
from typing import Any

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

from service.db.listening import DUE, EVENTS, listen
from service.memory.engine import Engine
from service.memory.health import told
from service.runtime import open_runtime
from service.settings import Settings
from service.store import health
from service.telemetry import open_telemetry
from worker.dreaming.run import Dreamer
from worker.loops import Bell
from worker.upkeep.bulletins import look_over_bulletins
from worker.upkeep.collect import collect
from worker.upkeep.compact import fold_next
from worker.upkeep.embed_pending import embed_pending
from worker.upkeep.large_audiences import tend_large_audiences
from worker.upkeep.reindex import Reindexer
from worker.webhooks import Sender

log = structlog.get_logger(__name__)

BEAT_S = 1.0
REINDEX_S = 1.0
WEBHOOKS_S = 0.5
WEBHOOKS_AT_ONCE = 4
FORGOTTEN_AFTER = timedelta(hours=1)
STOP_S = 4.5


def worker_name() -> str:
    """A name no other worker has, even with the same host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def dreamer(engine: Engine, settings: Settings, name: str | None = None) -> Dreamer:
    """A dreamer of this process."""
    return Dreamer(engine, name or worker_name(), settings.dream_lease_s, settings.dream_retry_s)


async def run_worker(settings: Settings) -> None:
    """Dream whenever an agent is due and keep up the rest on its clocks, until SIGTERM or SIGINT.

    Then it stops within five seconds: what is under way is rolled back or left at its last checkpoint, and its lease
    is given back.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        deadline = threading.Timer(STOP_S, os._exit, (0,))
        deadline.daemon = True
        deadline.start()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    async with open_runtime(settings, "reverie-worker", open_telemetry("reverie-worker")) as engine:
        name = worker_name()
        scheduler = _scheduler(engine, settings)
        scheduler.start()
        tasks = [asyncio.create_task(job) for job in _jobs(engine, settings, name)]
        log.info("worker_ready", worker=name)
        await stopping.wait()
        scheduler.shutdown(wait=False)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with engine.db.unscoped() as connection:
            await connection.run("release_embedding", worker=name)
            await connection.run("forget_worker", worker=name, before=engine.now() - FORGOTTEN_AFTER)
        log.info("worker_stopped", worker=name)


def _scheduler(engine: Engine, settings: Settings) -> AsyncIOScheduler:
    scheduler = AsyncIOScheduler(timezone=UTC)
    clocks: tuple[tuple[Callable[[Engine], Awaitable[object]], str], ...] = (
        (make_all_due, settings.dream_cron),
        (look_over_bulletins, settings.bulletin_cron),
        (embed_pending, settings.upkeep_cron),
        (collect, settings.collect_cron),
        (tend_large_audiences, settings.statistics_cron),
    )
    for job, cron in clocks:
        scheduler.add_job(job, CronTrigger.from_crontab(cron, UTC), args=[engine], max_instances=1, coalesce=True)
    return scheduler


def _jobs(engine: Engine, settings: Settings, name: str) -> list[Coroutine[Any, Any, None]]:
    """What a worker does all the time, side by side."""
    assert settings.database_url is not None
    bell, posted = Bell(), Bell()
    own = dreamer(engine, settings, name)
    reindexer = Reindexer(engine, name)
    sender = Sender(
        engine,
        name,
        timeout_s=settings.webhook_timeout_s,
        failures_max=settings.webhook_failures_max,
        private=settings.webhooks_private,
    )

    async def beat() -> bool:
        async with engine.db.unscoped() as connection:
            await health.beat(connection, name, told(engine))
        return False

    async def fold() -> bool:
        return await fold_next(engine)

    return [
        listen(settings.database_url, {DUE: lambda _: bell.ring(), EVENTS: lambda _: posted.ring()}),
        Bell().keep_doing("heartbeat", beat, BEAT_S),
        bell.keep_doing("compaction", fold, settings.poll_s),
        *(bell.keep_doing("dreaming", own.dream_next, settings.poll_s) for _ in range(settings.dreams_at_once)),
        *(posted.keep_doing("webhooks", sender.send_next, WEBHOOKS_S) for _ in range(WEBHOOKS_AT_ONCE)),
        Bell().keep_doing("reindexing", reindexer.step, REINDEX_S),
    ]


async def make_all_due(engine: Engine) -> None:
    """The schedule fires: every agent is due."""
    async with engine.db.unscoped() as connection:
        await connection.run("make_all_due", now=engine.now())
        await connection.run("wake_workers")


async def run_once(settings: Settings) -> int:
    """Dream once for every agent, do the upkeep, and end; the number of agents."""
    async with open_runtime(settings, "reverie-worker") as engine:
        own = dreamer(engine, settings)
        await make_all_due(engine)
        count = 0
        while await own.dream_next():
            count += 1
        while await fold_next(engine):
            pass
        await embed_pending(engine)
        await Reindexer(engine, worker_name()).until_done()
        await tend_large_audiences(engine)
        await collect(engine)
    return count
