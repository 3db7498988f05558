"""Search latency: the bare SQL, the use case, and HTTP to a real server process, side by side on the same queries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import uvloop

from service.db.pool import Connection, Database
from service.domain.search import SearchRequest
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.startup import open_runtime
from service.store.search.plan import SearchLimits
from tests.bench import corpus
from tests.bench.environment import ADMIN, Place
from tests.bench.measure import HttpClient, Latencies, Way, in_turn, per_second
from tests.bench.report import Cell, console, show

CALLS = 200
WARM_UP = 30
CLIENTS = 8
UNLIMITED = SearchLimits(exact_rows=10**9)
"""With these nothing is approximate."""
COMPARED = 100
FILTERS: dict[str, dict[str, Any]] = {
    "SQL, a tag (5 %)": {"tags": ["t3"]},
    "SQL, a type (20 %)": {"types": ["fact"]},
    "SQL, a user (10 %)": {"user": "u3"},
    "SQL, a session (20)": {"session": "s4"},
}


def prepare(place: Place) -> tuple[str, str]:
    """The databases of 2,000 and of 500,000 memories."""
    return corpus.kept(place, "bench_small", (corpus.Share("a", 2_000),)), corpus.large_database(place)


def run(place: Place) -> None:
    """Print the tables of the small and of the large database."""
    small_url, url = prepare(place)
    small = uvloop.run(_small(place, small_url))
    show(
        "One agent with 2,000 memories, static embedder",
        ["hybrid search", "p50 ms", "p95 ms", "× bare SQL", f"searches/s, {CLIENTS} clients"],
        small,
    )
    rows: list[list[Cell]] = []
    for agent, count in (("small-7", corpus.SMALL), ("middle-2", 20_000), ("big", 200_000)):
        with console.status(f"an agent of {count:,}"):
            rows += uvloop.run(_large(place, url, agent, count))
    show(
        "Hybrid search in a database of 500,000 memories, static embedder",
        ["memories of the agent", "way", "p50 ms", "p95 ms", "× bare SQL", "found", "overlap@10 with exact"],
        rows,
    )


async def _small(place: Place, url: str) -> list[list[Cell]]:
    asked = corpus.queries("a", 2_000, CALLS + WARM_UP)
    async with open_runtime(place.settings(url, "static"), "bench-speed") as runtime:
        with place.serving(url) as port:
            taken = await side_by_side(runtime, port, "a", asked)
            rate = await searches_per_second(port, "a", asked)
    bare = taken["SQL"].p50
    rates = {"HTTP": rate}
    return [[name, one.p50, one.p95, one.p50 / bare, rates.get(name)] for name, one in taken.items()]


async def _large(place: Place, url: str, agent: str, count: int) -> list[list[Cell]]:
    asked = corpus.queries(agent, count, CALLS + WARM_UP)
    rows: list[list[Cell]] = []
    async with open_runtime(place.settings(url, "static"), "bench-speed") as runtime:
        with place.serving(url) as port:
            taken = await side_by_side(runtime, port, agent, asked, FILTERS)
            for name, one in taken.items():
                found = shared = None
                if name == "SQL" or name in FILTERS:
                    filters = FILTERS.get(name, {})
                    found, shared = await compared_with_exact(runtime, agent, asked[:COMPARED], filters)
                label = f"{count:,}" if not rows else ""
                rows.append([label, name, one.p50, one.p95, one.p50 / taken["SQL"].p50, found, shared])
    return rows


async def side_by_side(
    runtime: Runtime, port: int, agent: str, asked: list[str], filtered: dict[str, dict[str, Any]] | None = None
) -> dict[str, Latencies]:
    """The same hybrid searches as bare SQL, through the use case and over HTTP, and the bare SQL with each filter."""
    async with bare_connection(runtime) as raw, HttpClient(port) as http:

        async def bare(filters: dict[str, Any]) -> Way:
            requests = [SearchRequest(agent=agent, query=text, **filters) for text in asked]
            statements = [await statements_of(runtime, request) for request in requests]

            async def way(number: int) -> None:
                for statement in statements[number]:
                    await raw.fetch(*statement)

            return way

        def over_http(number: int) -> Any:
            return http.post("/v1/memories/search", {"agent": agent, "query": asked[number]})

        ways = {"SQL": await bare({}), "use case": use_case(runtime, agent, asked), "HTTP": over_http}
        for name, filters in (filtered or {}).items():
            ways[name] = await bare(filters)
        return await in_turn(ways, len(asked) - WARM_UP, warm_up=WARM_UP)


def use_case(runtime: Runtime, agent: str, asked: list[str]) -> Way:
    """Search in this process."""
    return lambda number: recall(runtime, ADMIN, SearchRequest(agent=agent, query=asked[number % len(asked)]))


async def searches_per_second(port: int, agent: str, asked: list[str]) -> float:
    """Searches a second over HTTP with 8 clients."""
    clients = [await HttpClient(port).__aenter__() for _ in range(CLIENTS)]

    def way(http: HttpClient) -> Any:
        return lambda number: http.post("/v1/memories/search", {"agent": agent, "query": asked[number % len(asked)]})

    try:
        return await per_second([way(http) for http in clients])
    finally:
        for http in clients:
            await http.__aexit__()


@dataclass(slots=True)
class _Noting:
    """A raw connection that notes every statement it fetches rows with."""

    raw: Any
    noted: list[tuple[Any, ...]]

    async def fetch(self, *statement: Any, **options: Any) -> Any:
        self.noted.append(statement)
        return await self.raw.fetch(*statement, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


async def statements_of(runtime: Runtime, request: SearchRequest) -> list[tuple[Any, ...]]:
    """The search statements, with their arguments, that the use case sends for a request."""
    noted: list[tuple[Any, ...]] = []

    class Watched(Database):
        def __init__(self) -> None:
            """Nothing of its own: it is asked for connections."""

        @property
        def has_autocommit_pool(self) -> bool:
            return runtime.db.has_autocommit_pool

        @asynccontextmanager
        async def search_connection(self, workspace: UUID) -> AsyncIterator[Connection]:
            async with runtime.db.search_connection(workspace) as connection:
                yield Connection(_Noting(connection.raw, noted))

    watched = Runtime(Watched(), embedder=runtime.embedder)
    watched._models = runtime._models
    watched.search_limits = runtime.search_limits
    await runtime.space()
    await recall(watched, ADMIN, request, count_access=False)
    return noted


async def compared_with_exact(
    runtime: Runtime, agent: str, asked: list[str], filters: dict[str, Any]
) -> tuple[str, float]:
    """How many were found, least and most, and the share of the top ten that a search without any bound finds too."""
    limits = runtime.search_limits
    counts, shares = [], []
    for text in asked:
        request = SearchRequest(agent=agent, query=text, **filters)
        found = [one.memory.id for one in (await recall(runtime, ADMIN, request, count_access=False)).results]
        runtime.search_limits = UNLIMITED
        try:
            exact = [one.memory.id for one in (await recall(runtime, ADMIN, request, count_access=False)).results]
        finally:
            runtime.search_limits = limits
        counts.append(len(found))
        shares.append(len(set(found) & set(exact)) / max(1, len(exact)))
    return f"{min(counts)}–{max(counts)}", sum(shares) / len(shares)


@asynccontextmanager
async def bare_connection(runtime: Runtime) -> AsyncIterator[Any]:
    """A raw asyncpg connection, set up as those that the service searches on.

    A task of its own holds it, so that the guard against outside calls does not see it here.
    """
    opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with runtime.db.search_connection(ADMIN.workspace_id) as connection:
            opened.set_result(connection.raw)
            await done.wait()

    holder = asyncio.create_task(hold())
    try:
        yield await opened
    finally:
        done.set()
        await holder
