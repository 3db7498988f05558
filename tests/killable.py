"""Processes made to be killed: workers that stop at chosen steps of a dream, the API, and a Postgres of their own."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import uvicorn

from service.app import create_app
from service.db import embedded
from service.errors import ReverieError
from service.runtime import Runtime
from service.settings import Settings
from service.startup import configure_logging, open_runtime
from tests.live_api import UNENCRYPTED, HttpClient
from tests.processes import forked, free_port, kill_postgres
from tests.worker.dreaming import model_at
from worker.app import schedule_all_now, worker_name
from worker.dreaming.run import Dreamer

TIMEOUT_S = 600


class KillableWorker:
    """A worker that dreams until nothing is due, and waits for orders when it reaches a step it is to stop at."""

    def __init__(self, process: Any, orders: Connection) -> None:
        self._process = process
        self._orders = orders

    @property
    def pid(self) -> int:
        """Of its process."""
        pid: int = self._process.pid
        return pid

    async def wait_for_step(self) -> str | None:
        """The step it has stopped at; None when it has ended, with nothing left to do."""
        if not await asyncio.to_thread(self._orders.poll, TIMEOUT_S):
            raise TimeoutError("the worker neither stopped nor ended")
        try:
            step: str = self._orders.recv()
        except EOFError:
            await asyncio.to_thread(self._process.join, TIMEOUT_S)
            assert self._process.exitcode == 0
            return None
        return step

    def resume(self) -> None:
        """Let it go on from the step it stopped at."""
        self._orders.send(None)

    async def kill(self) -> None:
        """End it as ``kill -9`` does, if it still runs."""
        self._process.kill()
        await asyncio.to_thread(self._process.join, TIMEOUT_S)


@asynccontextmanager
async def dreaming(
    settings: Settings, llm_at: str | None, stop_at: Mapping[str, int] | None = None, **options: Any
) -> AsyncIterator[KillableWorker]:
    """A worker in a process of its own, stopping at each of these steps once: the nth time it gets there.

    ``options``: ``for_ever`` keeps it looking for work until it is killed.
    """
    orders, its_orders = forked.Pipe()
    process = forked.Process(target=_dream, args=(settings, llm_at, dict(stop_at or {}), its_orders), kwargs=options)
    process.start()
    its_orders.close()
    worker = KillableWorker(process, orders)
    try:
        yield worker
    finally:
        await worker.kill()
        orders.close()


class KillableApi:
    """The API in a process of its own, at the same address whenever it is started."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._port = free_port()
        self._process: Any = None
        self.base_url = f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Start, and wait until it answers."""
        self._process = forked.Process(target=_serve, args=(self._settings, self._port))
        self._process.start()
        async with HttpClient(base_url=self.base_url, verify=UNENCRYPTED) as http:
            for _ in range(TIMEOUT_S * 50):
                with suppress(httpx.TransportError):
                    if (await http.get("/readyz")).is_success:
                        return
                assert self._process.is_alive()
                await asyncio.sleep(0.02)
        raise TimeoutError("the API did not become ready")

    async def kill(self) -> None:
        """End it as ``kill -9`` does."""
        self._process.kill()
        await asyncio.to_thread(self._process.join, TIMEOUT_S)


class KillablePostgres:
    """An embedded Postgres of its own, as shipped, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = embedded.start(folder)

    def start(self) -> None:
        """Start again; it recovers."""
        embedded.start(self._folder)

    def kill(self) -> None:
        """``kill -9`` of every one of its processes, and of the watchdog that would start it again."""
        kill_postgres(self._folder)

    def close(self) -> None:
        """End it for good."""
        embedded.stop(self._folder)


async def expire_leases(url: str) -> None:
    """The time passes after which a dead worker's lease is free to take."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("UPDATE dream_schedule SET lease_until = now() WHERE lease_until IS NOT NULL")
    finally:
        await connection.close()


def _serve(settings: Settings, port: int) -> None:
    configure_logging("critical")
    uvicorn.run(create_app(settings), port=port, log_config=None, access_log=False)


def _dream(
    settings: Settings, llm_at: str | None, stop_at: dict[str, int], orders: Connection, for_ever: bool = False
) -> None:
    configure_logging("critical")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_dream_until_done(settings, llm_at, stop_at, orders, for_ever))


async def _dream_until_done(
    settings: Settings, llm_at: str | None, stop_at: dict[str, int], orders: Connection, for_ever: bool
) -> None:
    async def reached(step: str) -> None:
        if step not in stop_at:
            return
        stop_at[step] -= 1
        if stop_at[step] == 0:
            del stop_at[step]
            orders.send(step)
            orders.recv()

    name = worker_name()
    async with open_runtime(settings, name) as runtime:
        runtime.llm = model_at(llm_at) if llm_at else None
        await schedule_all_now(runtime)
        await _until_nothing_is_due(
            runtime, Dreamer(runtime, name, settings.tuning.dream_lease_s, 0.1, reached), for_ever
        )


async def _until_nothing_is_due(runtime: Runtime, dreamer: Dreamer, for_ever: bool) -> None:
    while True:
        try:
            if await dreamer.dream_next():
                continue
            async with runtime.db.unscoped() as connection:
                waiting = await connection.raw.fetchval(
                    "SELECT count(*) FROM dream_schedule"
                    " WHERE due_at < now() + interval '1 minute' OR asked > answered OR lease_until IS NOT NULL"
                )
        except ReverieError:
            waiting = 1
        if not waiting and not for_ever:
            return
        await asyncio.sleep(0.05)
