"""The worker's composition root: opens the runtime and keeps the schedule until told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

import structlog

from service.concurrency.garbage_collection import freeze_heap
from service.db.listening import DUE, EVENTS, listen
from service.memory.in_flight import InFlight
from service.memory.ops.health import health_payload
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import dreams
from service.telemetry import open_telemetry
from worker.dreaming.run import Dreamer, Outcome
from worker.maintenance.retention import apply_retention, count_stored
from worker.maintenance.upkeep import (
    backfill_fields,
    compact_next,
    measure_noise,
    rescan_next,
    run_saved_searches,
    schedule_stale_bulletins,
    write_pages,
)
from worker.maintenance.vectors import Reindexer, embed_pending, maintain_hnsw
from worker.schedule import Job, Wakeup, scheduler
from worker.webhooks import WebhookDispatcher

log = structlog.get_logger(__name__)

EACH_MINUTE = "* * * * *"
HEARTBEAT_S = 1.0
REINDEX_S = 1.0
RESCAN_S = 1.0
WEBHOOKS_S = 0.5
WEBHOOKS_CONCURRENCY = 2
"""Of any workspace; as many more are kept for workspaces to whose webhooks nothing is being sent."""
STALE_WORKER_AFTER = timedelta(hours=1)
SHUTDOWN_TIMEOUT_S = 4.5


def worker_name() -> str:
    """Return a name no other worker has, even with the same host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def dreamer(settings: Settings, flight: InFlight) -> Dreamer:
    """Return a dreamer of this process."""
    return Dreamer(
        flight.runtime, flight.worker, settings.tuning.dream_lease_s, settings.tuning.dream_retry_s, in_flight=flight
    )  # fmt: skip


def in_flight(runtime: Runtime, settings: Settings) -> InFlight:
    """Return what this process has in flight, under a name of its own."""
    return InFlight(runtime, worker_name(), settings.tuning.step_deadline_s)


async def run_worker(settings: Settings) -> None:
    """Work until SIGTERM or SIGINT, then stop within five seconds. A worker that cannot, because the database does not
    answer, say, ends with status 1."""
    stopping = asyncio.Event()

    def stop() -> None:
        deadline = threading.Timer(SHUTDOWN_TIMEOUT_S, _give_up)
        deadline.daemon = True
        deadline.start()
        stopping.set()

    _on_signals(asyncio.get_running_loop(), stop)
    async with open_runtime(settings, "reverie-worker", open_telemetry("reverie-worker")) as runtime:
        await work(in_flight(runtime, settings), stopping, freeze_heap)


async def work(flight: InFlight, stopping: asyncio.Event, on_ready: Callable[[], None]) -> None:
    """Dream whenever an agent is due and keep up the rest on its clocks, until told to stop.

    Then what is under way is rolled back or left at its last checkpoint, and its lease is given back.
    """
    runtime, name = flight.runtime, flight.worker
    clocks = scheduler(runtime, schedule(runtime.settings, flight))
    clocks.start()
    tasks = [asyncio.create_task(job) for job in _loops(runtime.settings, flight)]
    on_ready()
    log.info("worker_ready", worker=name)
    await stopping.wait()
    clocks.shutdown(wait=False)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with runtime.db.unscoped() as connection:
        await connection.run("release_embedding", worker=name)
        await connection.run("forget_worker", worker=name, before=runtime.now() - STALE_WORKER_AFTER)
    log.info("worker_stopped", worker=name)


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Have the loop call ``stop`` at SIGTERM and SIGINT, also where its kind takes no signals, as on Windows."""
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))


def _give_up() -> None:
    """End a process that has not stopped in time."""
    log.error("worker_stuck", detail=f"it did not stop within {SHUTDOWN_TIMEOUT_S:g} s")
    os._exit(1)


def schedule(settings: Settings, flight: InFlight) -> list[tuple[str, Job, str]]:
    """Return the scheduled jobs of a worker, by name, and their crontabs in UTC."""
    pending: list[tuple[str, Job, str]] = [
        ("embed_pending", partial(embed_pending, flight=flight), EACH_MINUTE),
        ("measure_noise", measure_noise, EACH_MINUTE),
        ("backfill_fields", backfill_fields, EACH_MINUTE),
    ]
    if not settings.tuning.scheduled_jobs:
        return pending
    return [
        *pending,
        ("schedule_new_agents", schedule_new_agents, "0 */6 * * *"),
        ("look_over_bulletins", schedule_stale_bulletins, "30 3 * * *"),
        ("write_pages", write_pages, EACH_MINUTE),
        ("run_saved_searches", run_saved_searches, "13 4 * * *"),
        ("collect", apply_retention, "43 * * * *"),
        ("tend_large_audiences", maintain_hnsw, "17 * * * *"),
        ("count_stored", count_stored, "17 * * * *"),
    ]


def _loops(settings: Settings, flight: InFlight) -> list[Coroutine[object, object, None]]:
    """Return what a worker does all the time, side by side: half of what dreams or sends is kept for workspaces that
    nobody serves, so that none has to wait for another's slow models and webhooks."""
    assert settings.database_url is not None
    runtime, name, tuning = flight.runtime, flight.worker, settings.tuning
    bell, posted = Wakeup(), Wakeup()
    own = dreamer(settings, flight)
    reindexer = Reindexer(runtime, name, flight)
    sender = WebhookDispatcher(runtime, name)

    async def beat() -> bool:
        async with runtime.db.unscoped() as connection:
            await connection.run("heartbeat", worker=name, health=health_payload(runtime))
        return False

    async def fold() -> bool:
        return await compact_next(runtime, flight)

    return [
        listen(settings.database_url, {DUE: lambda _: bell.notify(), EVENTS: lambda _: posted.notify()}),
        Wakeup().run_forever("heartbeat", beat, HEARTBEAT_S),
        *(bell.run_forever("compaction", fold, tuning.poll_s) for _ in range(tuning.dream_concurrency)),
        *(bell.run_forever("dreaming", own.dream_next, tuning.poll_s) for _ in range(tuning.dream_concurrency)),
        *(
            bell.run_forever("dreaming", partial(own.dream_next, reserved=True), tuning.poll_s)
            for _ in range(tuning.dream_concurrency)
        ),
        *(posted.run_forever("webhooks", sender.send_next, WEBHOOKS_S) for _ in range(WEBHOOKS_CONCURRENCY)),
        *(
            posted.run_forever("webhooks", partial(sender.send_next, reserved=True), WEBHOOKS_S)
            for _ in range(WEBHOOKS_CONCURRENCY)
        ),
        Wakeup().run_forever("reindexing", reindexer.step, REINDEX_S),
        Wakeup().run_forever("rescanning", partial(rescan_next, runtime, name), RESCAN_S),
    ]


async def schedule_new_agents(runtime: Runtime) -> None:
    """Make agents due that have never been scheduled, as the schedule fires. The others follow their intervals."""
    async with runtime.db.unscoped() as connection:
        await dreams.schedule_new(connection, runtime.now())


async def schedule_all_now(runtime: Runtime) -> None:
    """Make every agent due."""
    async with runtime.db.unscoped() as connection:
        await dreams.schedule_all_now(connection, runtime.now())


@dataclass(frozen=True, slots=True)
class OnceReport:
    """For how many agents dreams went well, and those whose dream ``failed``: ``workspace/agent`` and the reason."""

    dreamed: int
    failed: dict[str, str]


async def run_once(settings: Settings) -> OnceReport:
    """Dream once for every agent, do the upkeep, and end."""
    async with open_runtime(settings, "reverie-worker") as runtime:
        flight = in_flight(runtime, settings)
        own = replace(dreamer(settings, flight), any_hour=True)
        await schedule_all_now(runtime)
        dreamed, failed = 0, {}
        while outcome := await own.dream_next():
            if outcome.error is None:
                dreamed += 1
            else:
                failed[await _name_of(runtime, outcome)] = outcome.error
        while await compact_next(runtime, flight):
            pass
        await write_pages(runtime)
        await embed_pending(runtime, flight)
        await backfill_fields(runtime)
        await Reindexer(runtime, flight.worker, flight).until_done()
        while await rescan_next(runtime, flight.worker):
            pass
        await maintain_hnsw(runtime)
        await apply_retention(runtime)
        await count_stored(runtime)
    return OnceReport(dreamed, failed)


async def _name_of(runtime: Runtime, outcome: Outcome) -> str:
    async with runtime.db.transaction(outcome.workspace_id) as connection:
        workspace: str = await connection.value("workspace_name", workspace=outcome.workspace_id)
        agent: str = await connection.value("agent_by_id", workspace=outcome.workspace_id, agent_id=outcome.agent_id)
    return f"{workspace}/{agent}"
