"""Mixed load on one API and one worker for ten minutes: neither their memory nor their connections grow."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field

import asyncpg
import psutil
import uvloop

from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, ROOT, Place, free_port
from tests.bench.measure import HttpClient, Latencies
from tests.bench.report import Cell, show

SECONDS = float(os.environ.get("SOAK_S", "600"))
STRETCHES = 10
LOOK_S = 2.0
CLIENTS = 6
AGENTS = 20
MEMORIES = 200
KEYS = 50
"""Saves go to so many keys of an agent, so that the size of the database is not what grows."""
PAUSE_S = 0.02
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@dataclass(slots=True)
class Stretch:
    """A tenth of the time."""

    taken: Latencies = field(default_factory=Latencies)
    api_mb: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)


def run(place: Place) -> None:
    """Print a row for each tenth of the time."""
    url = place.fresh("bench_soak")
    corpus.fill(place.settings(url, "static"), tuple(corpus.Share(f"a{n}", MEMORIES) for n in range(AGENTS)))
    port = free_port()
    environment = {
        "DATABASE_URL": url, "REVERIE_ADMIN_KEY": ADMIN_KEY, "REVERIE_PORT": str(port), "EMBEDDING_MODEL": "static",
    }  # fmt: skip
    with place.process(port, "-m", "service", "serve", **environment) as api, _working(place, environment) as worker:
        stretches = uvloop.run(_soak(url, port, psutil.Process(api), psutil.Process(worker)))
    place.drop("bench_soak")
    rows: list[list[Cell]] = [
        [
            f"{number * SECONDS / STRETCHES:.0f} s", len(one.taken.seconds), one.taken.p50, one.taken.p95,
            max(one.api_mb), max(one.worker_mb), max(one.connections),
        ]
        for number, one in enumerate(stretches, 1)
    ]  # fmt: skip
    show(
        f"{SECONDS:.0f} s of searches, saves, messages, contexts and dreams by {CLIENTS} clients of {AGENTS} agents",
        ["until", "requests", "p50 ms", "p95 ms", "API, MB", "worker, MB", "connections"],
        rows,
        note="memory: the largest resident set of the stretch; connections: the most to the database",
    )


@contextmanager
def _working(place: Place, environment: dict[str, str]) -> Iterator[int]:
    """A worker in a process of its own; its process id."""
    with (place.folder / "soak-worker.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker", "run"], cwd=ROOT, stdout=log, stderr=log,
            env=os.environ | environment | {"REVERIE_DATA_DIR": str(place.folder)},
        )  # fmt: skip
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


async def _soak(url: str, port: int, api: psutil.Process, worker: psutil.Process) -> list[Stretch]:
    stretches = [Stretch() for _ in range(STRETCHES)]
    begin = time.perf_counter()

    def now() -> Stretch | None:
        number = int((time.perf_counter() - begin) / SECONDS * STRETCHES)
        return stretches[number] if number < STRETCHES else None

    async def client(number: int, http: HttpClient) -> None:
        draw = random.Random(number)
        asked = corpus.queries("a0", MEMORIES, 200)
        while (stretch := now()) is not None:
            path, body = _request(draw, asked)
            started = time.perf_counter()
            await http.post(path, body)
            stretch.taken.seconds.append(time.perf_counter() - started)
            await asyncio.sleep(PAUSE_S)

    async def look(connection: asyncpg.Connection) -> None:
        while (stretch := now()) is not None:
            stretch.api_mb.append(api.memory_info().rss / 2**20)
            stretch.worker_mb.append(worker.memory_info().rss / 2**20)
            stretch.connections.append(await connection.fetchval(CONNECTIONS))
            await asyncio.sleep(LOOK_S)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(HttpClient(port)) for _ in range(CLIENTS)]
        connection = await asyncpg.connect(url)
        stack.push_async_callback(connection.close)
        await asyncio.gather(look(connection), *(client(number, http) for number, http in enumerate(clients)))
    return stretches


def _request(draw: random.Random, asked: list[str]) -> tuple[str, dict[str, object]]:
    """One request of the mix: 50 % searches, 20 % saves, 15 % messages, 10 % contexts, 5 % dreams asked for."""
    agent, kind = f"a{draw.randrange(AGENTS)}", draw.random()
    text = draw.choice(asked)
    if kind < 0.5:
        return "/v1/memories/search", {"agent": agent, "query": text}
    if kind < 0.7:
        key = f"k{draw.randrange(KEYS)}"
        return "/v1/memories", {"agent": agent, "type": "fact", "key": key, "content": f"{text} {draw.random()}"}
    if kind < 0.85:
        said = [{"role": "user", "content": f"I like {text}"}]
        return f"/v1/sessions/s{draw.randrange(5)}-{agent}/messages", {"agent": agent, "user": "u", "messages": said}
    if kind < 0.95:
        return "/v1/context", {"agent": agent, "message": text}
    return f"/v1/agents/{agent}/dream", {}
