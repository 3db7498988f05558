"""One workspace among a thousand: its searches cost what they cost when it is alone."""

from __future__ import annotations

import asyncio
import itertools

import asyncpg
import uvloop

from service.domain.ids import new_id
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.startup import open_runtime
from tests.bench import corpus, speed
from tests.bench.environment import ADMIN, Place
from tests.bench.measure import Latencies, Way, in_turn
from tests.bench.report import Cell, console, show

OTHERS = 999
MEMORIES = 200
CALLS = 200


def prepare(place: Place) -> dict[str, str]:
    """The databases of one and of 1,000 workspaces."""
    shares = (corpus.Share("a", MEMORIES),)

    def crowded(url: str) -> None:
        corpus.fill(place.settings(url, "static"), shares)
        with console.status(f"{OTHERS} more workspaces of {MEMORIES} memories"):
            uvloop.run(_others(place, url))
        asyncio.run(_settle(url))

    return {
        "1 workspace": corpus.kept(place, "bench_alone", shares),
        "1,000 workspaces": place.kept("bench_among", crowded),
    }


def run(place: Place) -> None:
    """Print latencies of one workspace, alone and among 999 others, measured in turn."""
    urls = prepare(place)
    indexes = {name: asyncio.run(_indexes(url)) for name, url in urls.items()}
    taken = uvloop.run(_measure(place, urls))
    alone = next(iter(taken.values())).p50
    rows: list[list[Cell]] = [[name, indexes[name], one.p50, one.p95, one.p50 / alone] for name, one in taken.items()]
    show(
        f"Hybrid search of a workspace with {MEMORIES} memories, through the use case",
        ["database", "indexes", "p50 ms", "p95 ms", "× alone"],
        rows,
    )


async def _others(place: Place, url: str) -> None:
    async with open_runtime(place.settings(url, "static"), "bench-tenants") as runtime:
        for number in range(OTHERS):
            workspace = new_id()
            async with runtime.db.unscoped() as connection:
                await connection.run("add_workspace", workspace=workspace, name=f"workspace {number}")
            owner = Principal(workspace, new_id(), "admin", None)
            await remember(runtime, owner, list(itertools.islice(corpus.drafts(f"a{number}", MEMORIES), MEMORIES)))


async def _settle(url: str) -> None:
    """Bring statistics up to date, as autovacuum would."""
    connection = await asyncpg.connect(url, command_timeout=600)
    try:
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


async def _indexes(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        count: int = await connection.fetchval("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'")
        return count
    finally:
        await connection.close()


async def _measure(place: Place, urls: dict[str, str]) -> dict[str, Latencies]:
    asked = corpus.queries("a", MEMORIES, CALLS + speed.WARM_UP)
    alone, among = urls.values()
    async with (
        open_runtime(place.settings(alone, "static"), "bench-tenants") as first,
        open_runtime(place.settings(among, "static"), "bench-tenants") as second,
    ):

        def way(runtime: Runtime) -> Way:
            return lambda number: recall(runtime, ADMIN, SearchRequest(agent="a", query=asked[number]))

        ways = {name: way(runtime) for name, runtime in zip(urls, (first, second), strict=True)}
        return await in_turn(ways, CALLS, warm_up=speed.WARM_UP)
