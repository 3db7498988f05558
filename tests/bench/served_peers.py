"""HTTP against HTTP: Reverie and Hindsight's server, each on the same Postgres with the same clients, by turns.

Hindsight runs without a language model, so that what is retained is what was given; its embeddings come from the
static embedder over OpenAI's protocol. Of mem0 and Honcho no server is on the package index.
"""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from reverie.evaluation.peers.environment import NotInstalled, environment
from tests.bench import corpus, writes
from tests.bench.environment import Place, Skipped, free_port, wait_for
from tests.bench.measure import HttpClient, Latencies, Way, median_ratio, per_second, seconds_of
from tests.bench.report import Cell, console, show

PACKAGES = ("hindsight-api-slim==1.1.0",)
STANDING = 2_000
BATCH = 100
CALLS = 50
CLIENTS = (8, 64)
SECONDS = 3.0
ROUNDS = 5
BANK = "/v1/default/banks/a"


@dataclass(frozen=True, slots=True)
class Server:
    """Where a system answers, and the bodies of a search and of a save."""

    port: int
    search_path: str
    save_path: str
    search: Callable[[str], Any]
    save: Callable[[str], Any]


def run(place: Place) -> None:
    """Print the table. Raises Skipped when Hindsight cannot be installed."""
    try:
        with console.status("installing Hindsight, once"):
            python = environment(place.folder / "hindsight", PACKAGES)
    except NotInstalled as error:
        raise Skipped(str(error)) from None
    url = place.fresh("bench_served")
    corpus.fill(place.settings(url, "static"), (corpus.Share("a", STANDING),))
    with place.serving(url) as port, _hindsight(place, python) as hindsight:
        reverie = Server(
            port,
            "/v1/memories/search",
            "/v1/memories",
            lambda text: {"agent": "a", "query": text},
            writes.body_of,
        )
        rows = uvloop.run(_by_turns({"Reverie": reverie, PACKAGES[0]: hindsight}))
    place.drop("bench_served")
    rates = [f"{what}/s, {clients}" for what in ("searches", "writes") for clients in CLIENTS]
    show(
        f"Over HTTP: {STANDING:,} memories of one agent, static embedder, medians of {ROUNDS} turns",
        ["system", "p50 ms", "p95 ms", *(cell for rate in rates for cell in (rate, "× Reverie"))],
        rows,
    )


@contextmanager
def _hindsight(place: Place, python: Path) -> Iterator[Server]:
    """Hindsight's server on an empty database of its own, with its embedder. Raises Skipped when it does not start."""
    port, embedding_port = free_port(), free_port()
    variables = {
        "DATABASE_URL": place.empty("bench_hindsight"),
        "LLM_PROVIDER": "none",
        "EMBEDDINGS_PROVIDER": "openai",
        "EMBEDDINGS_OPENAI_API_KEY": "unused",
        "EMBEDDINGS_OPENAI_BASE_URL": f"http://127.0.0.1:{embedding_port}/v1",
        "EMBEDDINGS_OPENAI_MODEL": "static",
        "RERANKER_PROVIDER": "rrf",
    }
    given = os.environ | {f"HINDSIGHT_API_{name}": value for name, value in variables.items()}
    log = place.folder / "hindsight.log"
    program = ("-m", "uvicorn", "tests.bench.static_embeddings:app", "--port", str(embedding_port))
    with place.process(embedding_port, *program), log.open("wb") as said:
        process = subprocess.Popen(
            [python.with_name("hindsight-api"), "--host", "127.0.0.1", "--port", str(port)],
            cwd=place.folder, env=given, stdout=said, stderr=said,
        )  # fmt: skip
        try:
            wait_for(port, process, log)
            yield Server(
                port, f"{BANK}/memories/recall", f"{BANK}/memories",
                lambda text: {"query": text}, lambda text: {"items": [{"content": text}]},
            )  # fmt: skip
        finally:
            process.terminate()
            process.wait(30)
            place.drop("bench_hindsight")


async def _by_turns(servers: dict[str, Server]) -> list[list[Cell]]:
    """All searches first: every save makes the later ones search more."""
    await _fill(servers[PACKAGES[0]])
    queries = corpus.queries("a", STANDING, CALLS * ROUNDS)
    texts = corpus.texts("writes", 10**9)
    figures: dict[str, dict[str, list[Any]]] = {name: {} for name in servers}
    for phase in ("searches", "writes"):
        for turn, (name, server) in itertools.product(range(ROUNDS), servers.items()):
            with console.status(f"turn {turn + 1}: {phase} of {name}"):
                for clients in CLIENTS:
                    async with _ways(server, phase, clients, queries, texts) as ways:
                        if phase == "searches" and clients == CLIENTS[0]:
                            numbers = range(turn * CALLS, (turn + 1) * CALLS)
                            figures[name].setdefault("seconds", []).extend(await seconds_of(ways[0], numbers))
                        rate = await per_second(ways, SECONDS, warm_up_s=0.5)
                        figures[name].setdefault(f"{phase} {clients}", []).append(rate)
    return [_row(name, figures[name], figures["Reverie"]) for name in servers]


async def _fill(server: Server) -> None:
    texts = list(corpus.texts("a", STANDING))
    async with HttpClient(server.port) as client:
        for first in range(0, STANDING, BATCH):
            items = [{"content": text} for text in texts[first : first + BATCH]]
            await client.post(server.save_path, {"items": items})


@asynccontextmanager
async def _ways(
    server: Server, phase: str, clients: int, queries: list[str], texts: Iterator[str]
) -> AsyncIterator[list[Way]]:
    """A way for each client: a search or a save over a connection of its own."""

    def way(client: HttpClient) -> Way:
        if phase == "searches":
            return lambda number: client.post(server.search_path, server.search(queries[number % len(queries)]))
        return lambda _: client.post(server.save_path, server.save(next(texts)))

    async with AsyncExitStack() as stack:
        yield [way(await stack.enter_async_context(HttpClient(server.port))) for _ in range(clients)]


def _row(name: str, figures: dict[str, list[Any]], reverie: dict[str, list[Any]]) -> list[Cell]:
    latencies = Latencies(figures["seconds"])
    cells: list[Cell] = [name, latencies.p50, latencies.p95]
    for what in (f"{phase} {clients}" for phase in ("searches", "writes") for clients in CLIENTS):
        cells += [median(figures[what]), median_ratio(figures[what], reverie[what])]
    return cells
