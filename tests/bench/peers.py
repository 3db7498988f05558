"""The same work through mem0 and LangGraph's store: same Postgres, same texts, same embedder, by turns.

The peers live in a virtual environment of their own under the benchmark's folder, made at the first run; without a
package index they are skipped.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from reverie.evaluation.peers.environment import PACKAGES, NotInstalled, environment
from reverie.evaluation.peers.environment import PROGRAMS as SHARED
from service.startup import open_runtime
from tests.bench import corpus, served_peers, speed, writes
from tests.bench.environment import Place, Skipped
from tests.bench.measure import HttpClient, Latencies, Way, median_ratio, per_second, seconds_of
from tests.bench.report import Cell, console, show

PROGRAMS = Path(__file__).parent / "peer_programs"
STANDING = 2_000
CALLS = 50
CLIENTS = 8
SECONDS = 2.0
ROUNDS = 5
RATES = ("searches", "write", "writes", "batch")
ANSWER = b"answer: "

Measure = Callable[[str], Awaitable[Any]]
"""Measures what is named: ``latencies`` of searches in seconds, ``searches`` a second, and what is written a second by
one client (``write``), by eight (``writes``) and in batches (``batch``)."""


def prepare(place: Place) -> Path:
    """The peers' environment. Raises Skipped when it cannot be made."""
    try:
        with console.status("installing the peers, once"):
            return environment(place.folder / "peers")
    except NotInstalled as error:
        raise Skipped(str(error)) from None


def run(place: Place) -> None:
    """Print searches and writes of Reverie and of each peer. Raises Skipped when the peers cannot be installed."""
    python = prepare(place)
    with console.status("Reverie's memories"):
        url = place.fresh("bench_peers")
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", STANDING),))
    found = uvloop.run(_by_turns(place, url, python))
    place.drop("bench_peers")
    versions = ", ".join(package for package in PACKAGES if "==" in package)
    show(
        f"{STANDING:,} memories of one agent, top 10, static embedder, medians of {ROUNDS} turns ({versions})",
        [
            "system",
            "search",
            "p50 ms",
            "p95 ms",
            f"searches/s, {CLIENTS}",
            "× HTTP",
            "writes/s, 1",
            f"writes/s, {CLIENTS}",
            "batch, memories/s",
        ],
        found,
    )
    served_peers.run(place)


async def _by_turns(place: Place, url: str, python: Path) -> list[list[Cell]]:
    """All searches first: every save makes the later ones search more."""
    async with AsyncExitStack() as stack:
        with console.status("the peers' memories"):
            http, in_process = await stack.enter_async_context(_reverie(place, url))
            mem0 = await stack.enter_async_context(_peer(place, python, "mem0_program.py"))
            langgraph = await stack.enter_async_context(_peer(place, python, "langgraph_program.py"))
        systems: dict[str, tuple[str, Measure]] = {
            "Reverie, over HTTP": ("hybrid", http),
            "Reverie, in-process": ("hybrid", in_process),
            "mem0, in-process": ("vectors and words", mem0),
            "LangGraph store, in-process": ("vectors only", langgraph),
        }
        figures: dict[str, dict[str, list[Any]]] = {name: {} for name in systems}
        for phase in (("latencies", "searches"), ("write", "writes", "batch")):
            for turn in range(ROUNDS):
                for name, (_, measure) in systems.items():
                    for what in phase:
                        with console.status(f"turn {turn + 1}: {what} of {name}"):
                            figures[name].setdefault(what, []).append(await measure(what))
    return [_row(name, kind, figures[name], figures["Reverie, over HTTP"]) for name, (kind, _) in systems.items()]


def _row(name: str, kind: str, figures: dict[str, list[Any]], http: dict[str, list[Any]]) -> list[Cell]:
    latencies = Latencies([second for turn in figures["latencies"] for second in turn])
    ratio = median_ratio(figures["searches"], http["searches"])
    rates = [None if None in figures[what] else median(figures[what]) for what in RATES]
    return [name, kind, latencies.p50, latencies.p95, rates[0], ratio, *rates[1:]]


@asynccontextmanager
async def _reverie(place: Place, url: str) -> AsyncIterator[tuple[Measure, Measure]]:
    """How Reverie is measured over HTTP and in this process, on one database."""
    contents = corpus.texts("writes", 10**9)
    queries = corpus.queries("a", STANDING, CALLS * ROUNDS)
    bodies = [{"agent": "a", "query": text} for text in queries]
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(place.settings(url, "static"), "bench-peers"))
        port = stack.enter_context(place.serving(url))
        clients = [await stack.enter_async_context(HttpClient(port)) for _ in range(CLIENTS)]

        def searching(client: HttpClient) -> Way:
            return lambda number: client.post("/v1/memories/search", bodies[number % len(bodies)])

        yield (
            _measured(
                [searching(client) for client in clients],
                [writes.over_http(client, contents) for client in clients],
                writes.post_batch(clients[0]),
                contents,
            ),
            _measured(
                [speed.use_case(runtime, "a", queries)] * CLIENTS,
                [writes.use_case(runtime, contents)] * CLIENTS,
                writes.save_batch(runtime),
                contents,
            ),
        )


def _measured(searches: list[Way], saves: list[Way], save_batch: Callable[[list[str]], Any], texts: Any) -> Measure:
    numbers = itertools.count()

    async def measure(what: str) -> Any:
        if what == "latencies":
            return await seconds_of(searches[0], itertools.islice(numbers, CALLS))
        if what == "batch":
            return await writes.batches_per_second(save_batch, texts, 100, SECONDS)
        ways = {"searches": searches, "write": saves[:1], "writes": saves}[what]
        return await per_second(ways, SECONDS, warm_up_s=0.0)

    return measure


@asynccontextmanager
async def _peer(place: Place, python: Path, program: str) -> AsyncIterator[Measure]:
    """How one peer's program is measured, on an empty database of its own. Raises Skipped when it fails."""
    name = program.partition("_")[0]
    folder = place.folder / "peer-work" / name
    folder.mkdir(parents=True, exist_ok=True)
    for left_over in folder.iterdir():
        left_over.unlink()
    work = {
        "url": await asyncio.to_thread(place.empty, f"bench_peer_{name}"),
        "folder": str(folder),
        "texts": list(itertools.islice(corpus.texts("a", 10**9), 60_000)),
        "queries": corpus.queries("a", STANDING, CALLS * ROUNDS),
        "standing": STANDING,
        "calls": CALLS,
        "clients": CLIENTS,
        "seconds": SECONDS,
    }
    (folder / "work.json").write_text(json.dumps(work), encoding="utf-8")
    said = folder / "stderr.log"
    quiet = {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "LANGSMITH_TRACING": "false"}
    quiet["PYTHONPATH"] = str(SHARED)
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            python, PROGRAMS / program, folder / "work.json", stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=stderr, limit=2**20,
            env=os.environ | quiet,
        )  # fmt: skip
    asked, answers = process.stdin, process.stdout
    assert asked is not None
    assert answers is not None

    async def answer() -> Any:
        async for line in answers:
            if line.startswith(ANSWER):
                return json.loads(line.removeprefix(ANSWER))
        raise Skipped(f"{program} failed: {(said.read_text().strip().splitlines() or ['it ended'])[-1]}")

    async def measure(what: str) -> Any:
        asked.write(f"{what}\n".encode())
        return await answer()

    try:
        await answer()
        yield measure
    finally:
        asked.close()
        await process.wait()
        await asyncio.to_thread(place.drop, f"bench_peer_{name}")
