"""One agent of constant size in databases of 100 to 1,000,000 memories: does it notice how much there is around it?"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import uvloop

from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.ids import new_id
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.memory.sessions.conversations import append_messages
from service.runtime import Runtime
from service.startup import open_runtime
from service.store.agents import get_agent
from tests.bench import corpus, speed
from tests.bench.environment import ADMIN, ROOT, Place
from tests.bench.measure import Latencies, Way, in_turn
from tests.bench.report import Cell, console, show
from worker.dreaming.run import Dreamer

OWN = 100
"""Memories of the agent that is measured."""
MODEL = 500
"""Memories of each other workspace."""
SIZES = {"100": 0, "1,000": 2, "10,000": 20, "100,000": 200, "1,000,000": 1_999}
"""By how many other workspaces there are, of which the model is one."""
AT_ONCE = 50
CALLS = 150
SECONDS = 25.0
DREAMS = 3
TURNS = 60
PLOT = ROOT / "docs" / "images" / "scale.svg"

COPIED = ("agents", "sessions", "memories", "search_index")
UUIDS = """SELECT column_name::text AS name, udt_name = 'uuid' AND column_name <> 'workspace_id' AS moved
FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'
ORDER BY ordinal_position"""
MOVED = "overlay({0}::text PLACING left(md5({0}::text || w.workspace_id), 12) FROM 25)::uuid"
"""Another id made at the same time, the same one wherever it is mentioned in that workspace."""
POST = """INSERT INTO search_terms (workspace_id, term, id, frequency, length)
SELECT m.workspace_id, reverie_term_v1(m.audience, 0::smallint, l.lexeme), m.id,
    coalesce(cardinality(l.positions), 1), reverie_length_v1(m.lexemes)
FROM memories m, unnest(m.lexemes) AS l(lexeme, positions, weights)
WHERE m.workspace_id = ANY($1) ORDER BY 1, 2, 3"""


def prepare(place: Place) -> dict[str, str]:
    """A database of each size, each grown out of the one before."""
    urls: dict[str, str] = {}
    before: str | None = None
    for size, others in SIZES.items():
        name = f"bench_scale_{size.replace(',', '')}"
        urls[size] = place.url(name)
        if not place.exists(name):
            with console.status(f"a database of {size} memories"):
                _make(place, name, before, others)
        before = name
    return urls


def run(place: Place) -> None:
    """Print latencies and rates by size, and draw them."""
    urls = prepare(place)
    searches, saves, dreams = uvloop.run(_measure(place, urls))
    least = searches["10,000"].p50
    rows: list[list[Cell]] = [
        [
            size, _bytes(place, size), one.p50, one.p95, one.p50 / least, saves[size].p50,
            1000 / saves[size].p50, dreams[size],
        ]
        for size, one in searches.items()
    ]  # fmt: skip
    columns = [
        "memories in all", "MB", "search p50 ms", "p95 ms", "× 10,000", "save p50 ms", "saves/s, one client",
        "messages dreamed/s",
    ]  # fmt: skip
    show(f"An agent of {OWN} memories among workspaces of {MODEL}, through the use cases", columns, rows)
    _draw(rows, PLOT)


def _make(place: Place, name: str, before: str | None, others: int) -> None:
    making = f"{name}_making"
    if before is None:
        url = place.fresh(making)
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", OWN),))
    else:
        place.copy(before, making)
        asyncio.run(_grow(place, place.url(making), others))
    place.rename(making, name)


async def _grow(place: Place, url: str, others: int) -> None:
    connection = await asyncpg.connect(url, command_timeout=3600)
    try:
        await connection.execute("SET synchronous_commit = off; SET work_mem = '256MB'")
        there: int = await connection.fetchval("SELECT count(*) FROM workspaces WHERE name LIKE 'other %'")
        model = await connection.fetchval("SELECT workspace_id FROM workspaces WHERE name = 'other 0'")
        if model is None:
            model = await connection.fetchval(
                "INSERT INTO workspaces (workspace_id, name) VALUES (uuidv7(), 'other 0') RETURNING workspace_id"
            )
            await _fill_model(place, url, model)
            there = 1
        tables = {table: await connection.fetch(UUIDS, table) for table in COPIED}
        for first in range(there, others, AT_ONCE):
            await _copy(connection, tables, model, range(first, min(first + AT_ONCE, others)))
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _fill_model(place: Place, url: str, workspace: UUID) -> None:
    async with open_runtime(place.settings(url, "static"), "bench-scale") as runtime:
        owner = Principal(workspace, new_id(), "admin", None)
        await remember(runtime, owner, list(corpus.drafts("a", MODEL)))


async def _copy(connection: asyncpg.Connection, tables: dict[str, list[Any]], model: UUID, numbers: range) -> None:
    async with connection.transaction():
        rows = await connection.fetch(
            "INSERT INTO workspaces (workspace_id, name) SELECT uuidv7(), 'other ' || n FROM unnest($1::int[]) n"
            " RETURNING workspace_id", list(numbers),
        )  # fmt: skip
        made = [row["workspace_id"] for row in rows]
        for table, columns in tables.items():
            names = [column["name"] for column in columns]
            values = [
                "w.workspace_id" if column["name"] == "workspace_id"
                else MOVED.format(f"t.{column['name']}") if column["moved"] else f"t.{column['name']}"
                for column in columns
            ]  # fmt: skip
            await connection.execute(
                f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)}"  # noqa: S608 (names of columns)
                f" FROM {table} t, unnest($2::uuid[]) AS w(workspace_id) WHERE t.workspace_id = $1 ORDER BY 1",
                model, made,
            )  # fmt: skip
        await connection.execute(POST, made)


async def _measure(
    place: Place, urls: dict[str, str]
) -> tuple[dict[str, Latencies], dict[str, Latencies], dict[str, float]]:
    asked = corpus.queries("a", OWN, CALLS + speed.WARM_UP)
    draw = random.Random(time.time_ns())
    said = [f"note {draw.getrandbits(64):x} on {query}" for query in asked]
    async with AsyncExitStack() as stack:
        runtimes = {
            size: await stack.enter_async_context(open_runtime(place.settings(url, "static"), "bench-scale"))
            for size, url in urls.items()
        }

        def search(runtime: Runtime) -> Way:
            return lambda number: recall(
                runtime, ADMIN, SearchRequest(agent="a", query=asked[number]), count_access=False
            )

        def save(runtime: Runtime) -> Way:
            return lambda number: remember(runtime, ADMIN, [MemoryDraft(agent="b", type="fact", content=said[number])])

        searches = {size: search(runtime) for size, runtime in runtimes.items()}
        found = await in_turn(searches, CALLS, warm_up=speed.WARM_UP, seconds=SECONDS)
        written = await in_turn(
            {size: save(runtime) for size, runtime in runtimes.items()}, CALLS, warm_up=speed.WARM_UP, seconds=SECONDS
        )
        taken: dict[str, list[float]] = {size: [] for size in runtimes}
        for _ in range(DREAMS):
            for size, runtime in runtimes.items():
                taken[size].append(await _dream(runtime, f"{draw.getrandbits(32):x}"))
    return found, written, {size: TURNS / min(seconds) for size, seconds in taken.items()}


async def _dream(runtime: Runtime, name: str) -> float:
    """Seconds of one dream of a new agent about what was said to it."""
    drafts = [MessageDraft(role="user", content=f"I live in Town {n}, and I like game {n}.") for n in range(TURNS)]
    await append_messages(runtime, ADMIN, name, "s", drafts, user="u")
    async with runtime.db.transaction(ADMIN.workspace_id) as connection:
        row = await get_agent(connection, ADMIN.workspace_id, name)
    assert row is not None
    started = time.perf_counter()
    done = await Dreamer(runtime, "bench", 60).dream_for(ADMIN.workspace_id, row.id)
    assert done[-1].status == "succeeded", done
    return time.perf_counter() - started


def _bytes(place: Place, size: str) -> int:
    async def ask() -> int:
        connection = await asyncpg.connect(place.url(f"bench_scale_{size.replace(',', '')}"))
        found: int = await connection.fetchval("SELECT pg_database_size(current_database())")
        await connection.close()
        return found

    return asyncio.run(ask()) // 2**20


def _draw(rows: list[list[Cell]], file: Path) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    sizes = [int(str(row[0]).replace(",", "")) for row in rows]
    figure = Figure(figsize=(10, 3), layout="constrained")
    panels = figure.subplots(1, 3)
    for panel, title, series in (
        (panels[0], "search, ms", {"p50": 2, "p95": 3}),
        (panels[1], "saves/s, one client", {"": 6}),
        (panels[2], "messages dreamed/s", {"": 7}),
    ):
        for label, column in series.items():
            panel.plot(sizes, [row[column] for row in rows], marker="o", label=label or None)
        highest = max(float(row[column] or 0) for row in rows for column in series.values())
        panel.set(xscale="log", title=title, xlabel="memories in all", ylim=(0, 1.1 * highest))
        if "" not in series:
            panel.legend()
    file.parent.mkdir(exist_ok=True)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "scale"}):
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    console.print(f"drawn to {file}")
