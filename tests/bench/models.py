"""Changing the embedding model under load: static to MiniLM, the worker killed halfway, nobody denied anything."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import orjson
import uvloop

from tests.bench import corpus
from tests.bench.data import minilm_folder
from tests.bench.environment import ROOT, Place
from tests.bench.measure import HttpClient, Latencies
from tests.bench.report import Cell, show

MEMORIES = 20_000
ASKED = 200
QUIET_S = 5.0
PAUSE_S = 0.02
LOOK_S = 0.25
GIVE_UP_S = 900.0


def run(place: Place) -> None:
    """Print what clients saw before, during and after the change. Raises Skipped without the local model."""
    model = f"local:{minilm_folder()}"
    url = place.fresh("bench_models")
    corpus.fill(place.settings(url, "static"), (corpus.Share("a", MEMORIES),))
    with place.serving(url, model) as port:
        phases, progress = uvloop.run(_change(place, url, port, model))
    rows: list[list[Cell]] = [
        [name, seen.seconds, len(seen.searches.seconds), seen.searches.p50, seen.searches.p95, seen.saves, seen.wrong]
        for name, seen in phases.items()
    ]
    show(
        f"Static to MiniLM, {MEMORIES:,} memories, 2 searching clients and 1 saving, through real processes",
        ["phase", "s", "searches", "p50 ms", "p95 ms", "saves", "failed, empty or degraded"],
        rows,
        f"progress as the API shows it: {', '.join(progress)}",
    )
    place.drop("bench_models")


@dataclass(slots=True)
class Seen:
    """What the clients saw in one phase."""

    searches: Latencies = field(default_factory=Latencies)
    saves: int = 0
    wrong: int = 0
    seconds: float = 0.0


class _Traffic:
    """Clients that search and save all the time; ``seen`` is where they note it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._asked = corpus.queries("a", MEMORIES, ASKED)
        self.seen = Seen()

    async def search(self, strategy: str) -> None:
        async with HttpClient(self._port) as client:
            for number in range(10**9):
                body = {"agent": "a", "query": self._asked[number % ASKED], "strategy": strategy}
                started = time.perf_counter()
                answer = await self._posted(client, "/v1/memories/search", body)
                self.seen.searches.seconds.append(time.perf_counter() - started)
                self.seen.wrong += answer is not None and (len(answer["results"]) < 10 or bool(answer["degraded"]))
                await asyncio.sleep(PAUSE_S)

    async def save(self) -> None:
        texts = corpus.texts("meanwhile", 10**9)
        async with HttpClient(self._port) as client:
            for text in texts:
                await self._posted(client, "/v1/memories", {"agent": "a", "type": "event", "content": text})
                self.seen.saves += 1
                await asyncio.sleep(PAUSE_S)

    async def _posted(self, client: HttpClient, path: str, body: Any) -> Any:
        try:
            return orjson.loads(await client.post(path, body))
        except RuntimeError:
            self.seen.wrong += 1
            return None


async def _change(place: Place, url: str, port: int, model: str) -> tuple[dict[str, Seen], list[str]]:
    traffic = _Traffic(port)
    clients = [asyncio.create_task(traffic.search(how)) for how in ("hybrid", "semantic")]
    clients.append(asyncio.create_task(traffic.save()))
    phases: dict[str, Seen] = {}
    shown: list[str] = []

    async def phase(name: str, over: Any) -> None:
        traffic.seen = phases[name] = Seen()
        started = time.perf_counter()
        while not await over():
            await asyncio.sleep(LOOK_S)
            if time.perf_counter() - started > GIVE_UP_S:
                raise RuntimeError(f"{name} does not end; last seen {shown[-1:]}")
        traffic.seen.seconds = time.perf_counter() - started

    async with HttpClient(port) as http:

        async def change() -> Any:
            return orjson.loads(await http.get("/v1/engine"))["embedder"]["change"]

        async def quiet() -> bool:
            return time.perf_counter() - began >= QUIET_S

        async def half() -> bool:
            done = (await change() or {}).get("done", 0)
            return bool(done >= MEMORIES / 2)

        async def done() -> bool:
            now = await change()
            if now is not None and now["total"] and (percent := f"{100 * now['done'] // now['total']} %") not in shown:
                shown.append(percent)
            return now is None

        began = time.perf_counter()
        await phase("before", quiet)
        with _worker(place, url, model) as worker:
            await phase("first half", half)
            worker.kill()
        began = time.perf_counter()
        await phase("worker killed", quiet)
        with _worker(place, url, model):
            await phase("second half", done)
            began = time.perf_counter()
            await phase("after", quiet)
    for client in clients:
        client.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*clients)
    return phases, shown[:: max(1, len(shown) // 8)]


@contextmanager
def _worker(place: Place, url: str, model: str) -> Iterator[subprocess.Popen[bytes]]:
    """``python -m worker run`` in a process of its own."""
    environment = os.environ | {"DATABASE_URL": url, "REVERIE_DATA_DIR": str(place.folder), "EMBEDDING_MODEL": model}
    with (place.folder / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker", "run"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)
