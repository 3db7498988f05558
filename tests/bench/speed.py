"""Search latency: the bare SQL, the use case, and HTTP to a real server process, side by side on the same queries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import uvloop

from service.db.pool import Connection, Database
from service.db.queries import query
from service.domain.search import SearchRequest
from service.memory.engine import Engine
from service.memory.recall import recall
from service.runtime import open_runtime
from tests.bench import corpus
from tests.bench.measure import HttpClient, Latencies, Way, in_turn, per_second
from tests.bench.place import ADMIN, Place
from tests.bench.report import Cell, console, show

CALLS = 200
WARM_UP = 30
CLIENTS = 8
FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "a tag (5 %)": {"tags": ["t3"]},
    "a type (20 %)": {"types": ["fact"]},
    "a user (10 %)": {"user": "u3"},
}


def run(place: Place) -> None:
    """Print the tables of the small and of the large database."""
    url = place.fresh("bench_small")
    with console.status("2,000 memories"):
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", 2_000),))
    small = uvloop.run(_small(place, url))
    show(
        "One agent with 2,000 memories, static embedder",
        ["hybrid search", "p50 ms", "p95 ms", "× bare SQL", f"searches/s, {CLIENTS} clients"],
        small,
    )
    url = corpus.large_database(place)
    rows: list[list[Cell]] = []
    for agent, count in (("small-7", corpus.SMALL), ("middle-2", 20_000), ("big", 200_000)):
        with console.status(f"an agent of {count:,}"):
            rows += uvloop.run(_large(place, url, agent, count))
    show(
        "In a database of 500,000 memories, static embedder (ms; × is the bare SQL's p50 over the unfiltered one)",
        [
            "memories of the agent",
            "filter",
            "SQL p50",
            "SQL p95",
            "use case p50",
            "p95",
            "HTTP p50",
            "p95",
            "×",
            "found",
        ],
        rows,
    )


async def _small(place: Place, url: str) -> list[list[Cell]]:
    asked = corpus.queries("a", 2_000, CALLS + WARM_UP)
    async with open_runtime(place.settings(url, "static"), "bench-speed") as engine:
        with place.serving(url) as port:
            taken = await side_by_side(engine, port, "a", asked, {})
            rate = await searches_per_second(port, "a", asked)
    bare = taken["SQL"].p50
    rates = {"HTTP": rate}
    return [[name, one.p50, one.p95, one.p50 / bare, rates.get(name)] for name, one in taken.items()]


async def _large(place: Place, url: str, agent: str, count: int) -> list[list[Cell]]:
    asked = corpus.queries(agent, count, CALLS + WARM_UP)
    rows: list[list[Cell]] = []
    async with open_runtime(place.settings(url, "static"), "bench-speed") as engine:
        with place.serving(url) as port:
            for label, filters in FILTERS.items():
                taken = await side_by_side(engine, port, agent, asked, filters)
                found = [
                    len((await recall(engine, ADMIN, SearchRequest(agent=agent, query=text, **filters))).results)
                    for text in asked[:20]
                ]
                base = rows[0][2] if rows else taken["SQL"].p50
                assert isinstance(base, float)
                rows.append(
                    [
                        f"{count:,}" if not rows else "",
                        label,
                        *(value for one in taken.values() for value in (one.p50, one.p95)),
                        taken["SQL"].p50 / base,
                        f"{min(found)}–{max(found)}",
                    ]
                )
    return rows


async def side_by_side(
    engine: Engine, port: int, agent: str, asked: list[str], filters: dict[str, Any]
) -> dict[str, Latencies]:
    """The same hybrid searches as bare SQL, through the use case, and over HTTP, one after the other."""
    requests = [SearchRequest(agent=agent, query=text, **filters) for text in asked]
    statements = [await statement_of(engine, request) for request in requests]
    bodies = [{"agent": agent, "query": text} | filters for text in asked]
    async with bare_connection(engine) as raw, HttpClient(port) as http:

        async def sql(number: int) -> None:
            await raw.fetch(*statements[number])

        async def use_case(number: int) -> None:
            await recall(engine, ADMIN, requests[number])

        async def over_http(number: int) -> None:
            await http.post("/v1/memories/search", bodies[number])

        return await in_turn(
            {"SQL": sql, "use case": use_case, "HTTP": over_http}, len(asked) - WARM_UP, warm_up=WARM_UP
        )


def use_case(engine: Engine, agent: str, asked: list[str]) -> Way:
    """Search in this process."""
    return lambda number: recall(engine, ADMIN, SearchRequest(agent=agent, query=asked[number % len(asked)]))


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
class _Recording(Connection):
    """A connection that notes the hybrid statement it runs."""

    raw: Any
    noted: list[tuple[Any, ...]] = field(default_factory=list)

    async def fetch(self, name: str, /, **values: Any) -> Any:
        if name == "hybrid_search":
            statement = query(name)
            self.noted.append((statement.sql, *statement.arguments(values)))
        return await self.raw.fetch(query(name).sql, *query(name).arguments(values))


async def statement_of(engine: Engine, request: SearchRequest) -> tuple[Any, ...]:
    """The SQL and the arguments that the use case sends for a request."""
    noted: list[tuple[Any, ...]] = []

    class Watched(Database):
        def __init__(self) -> None:
            """Nothing of its own: it is asked for one transaction."""

        @asynccontextmanager
        async def searching(self, workspace: UUID) -> AsyncIterator[Connection]:
            async with engine.db.searching(workspace) as connection:
                yield _Recording(connection.raw, noted)

    watched = Engine(Watched(), engine.embedder)
    watched._models = engine._models
    await engine.model()
    await recall(watched, ADMIN, request, count_access=False)
    return noted[-1]


@asynccontextmanager
async def bare_connection(engine: Engine) -> AsyncIterator[Any]:
    """A raw asyncpg connection inside one open transaction, set up as the service's own are.

    A task of its own holds the transaction, so that the guard against outside calls does not see it here.
    """
    opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with engine.db.searching(ADMIN.workspace_id) as connection:
            opened.set_result(connection.raw)
            await done.wait()

    holder = asyncio.create_task(hold())
    try:
        yield await opened
    finally:
        done.set()
        await holder
