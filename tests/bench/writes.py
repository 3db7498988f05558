"""Write rates: single and batch, through HTTP and the use case, beside the floor that bare asyncpg sets."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

import asyncpg
import uvloop
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from service.db.pool import Connection, Database
from service.db.queries import query
from service.domain.drafts import MemoryDraft
from service.domain.ids import new_id
from service.domain.json import dumps
from service.memory.saving.remember import remember, remember_one
from service.runtime import Runtime
from service.startup import open_runtime
from service.store.vectors import NO_SPACE
from tests.bench import corpus
from tests.bench.environment import ADMIN, Place
from tests.bench.measure import HttpClient, Way, median_ratio, per_second
from tests.bench.report import Cell, console, show

CLIENTS = 8
SECONDS = 1.5
TURNS = 5
BATCHES = ((100, 1), (1_000, 1), (1_000, 2))
"""Memories in a batch, and clients that send one after the other."""
PREPARED = 50_000
STANDING = 2_000


def run(place: Place) -> None:
    """Print single writes beside their floor, and batch writes."""
    url = place.fresh("bench_writes")
    with console.status(f"{STANDING:,} memories to begin with"):
        corpus.fill(place.settings(url, "static"), (corpus.Share("a", STANDING),))
    singles, batches = uvloop.run(_measure(place, url))
    show(
        f"Single writes per second, static embedder, medians of {TURNS} turns (×: share of the bare insert's rate)",
        ["way", "1 client", f"{CLIENTS} clients", "× plain row, 8", "× same rows, 8"],
        singles,
    )
    show(
        f"Batch writes, memories per second, static embedder, medians of {TURNS} turns",
        ["way", *(f"{size:,} a batch, clients: {clients}" for size, clients in BATCHES)],
        batches,
    )
    place.drop("bench_writes")


async def _measure(place: Place, url: str) -> tuple[list[list[Cell]], list[list[Cell]]]:
    contents = corpus.texts("writes", 10**9)
    async with AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(place.settings(url, "static"), "bench-writes"))
        port = stack.enter_context(place.serving(url))
        raw = [await stack.enter_async_context(_connected(url)) for _ in range(CLIENTS)]
        http = [await stack.enter_async_context(HttpClient(port)) for _ in range(CLIENTS)]
        ways: dict[str, list[Way]] = {
            "bare asyncpg, one plain table": await _plain_rows(runtime, raw, contents),
            "bare asyncpg, the same rows": await _same_rows(runtime, raw, contents),
            "use case": [use_case(runtime, contents)] * CLIENTS,
            "HTTP": [over_http(client, contents) for client in http],
        }
        rates = await _by_turns(
            {(name, count): workers[:count] for count in (1, CLIENTS) for name, workers in ways.items()}
        )
        plain, same = (rates[(name, CLIENTS)] for name in list(ways)[:2])
        singles: list[list[Cell]] = [
            [
                name,
                *(median(rates[(name, count)]) for count in (1, CLIENTS)),
                *(median_ratio(rates[(name, CLIENTS)], floor) for floor in (plain, same)),
            ]
            for name in ways
        ]
        saves = {"use case": [save_batch(runtime)] * 2, "HTTP": [post_batch(client) for client in http[:2]]}
        in_batches = await _by_turns(
            {
                (name, size, clients): [_whole_batches(one, contents, size) for one in ways_to_save[:clients]]
                for name, ways_to_save in saves.items()
                for size, clients in BATCHES
            }
        )
        batches: list[list[Cell]] = [
            [name, *(size * median(in_batches[(name, size, clients)]) for size, clients in BATCHES)] for name in saves
        ]
    return singles, batches


async def _by_turns(ways: dict[Any, list[Way]]) -> dict[Any, list[float]]:
    """How many calls a second of each, one after the other in each turn, so that drift hits all alike."""
    rates: dict[Any, list[float]] = {name: [] for name in ways}
    for turn in range(TURNS):
        for name, workers in ways.items():
            with console.status(f"turn {turn + 1}: {name}"):
                rates[name].append(await per_second(workers, SECONDS, warm_up_s=0.0))
    return rates


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Any]:
    """A connection that plans as the service does when it saves: once."""
    connection = await asyncpg.connect(url)
    await connection.set_type_codec("jsonb", encoder=str, decoder=str, schema="pg_catalog")
    await register_vector(connection)
    await connection.execute("SET plan_cache_mode = force_generic_plan; SET jit = off")
    try:
        yield connection
    finally:
        await connection.close()


async def _plain_rows(runtime: Runtime, raw: list[Any], contents: Any) -> list[Way]:
    """One row with text, vector and time into a table with a primary key and nothing else."""
    await raw[0].execute(
        "CREATE TABLE plain (id uuid PRIMARY KEY, agent text, content text, embedding halfvec(256), at timestamptz)"
    )
    assert runtime.embedder is not None
    some = list(itertools.islice(contents, 1_000))
    vectors = [HalfVector(vector) for vector in await runtime.embedder.embed(some)]
    statement = "INSERT INTO plain VALUES ($1, $2, $3, $4, now())"

    def way(connection: Any) -> Way:
        return lambda number: connection.execute(
            statement, new_id(), "a", f"{some[number % 1_000]} {number}", vectors[number % 1_000]
        )

    return [way(connection) for connection in raw]


async def _same_rows(runtime: Runtime, raw: list[Any], contents: Any) -> list[Way]:
    """The statement that a save sends, with all its rows and indexes, prepared beforehand and sent by bare asyncpg."""
    prepared = await _statements(runtime, [_draft(text) for text in itertools.islice(contents, PREPARED)])

    def way(connection: Any) -> Way:
        return lambda _: connection.execute(*prepared.pop())

    return [way(connection) for connection in raw]


class _Noted(Exception):
    """The statement was noted instead of run; the transaction rolls back."""


@dataclass(slots=True)
class _StopsAtInsert:
    """A raw connection that notes the insert and goes no further."""

    raw: Any
    noted: list[tuple[Any, ...]]

    async def fetch(self, sql: str, *arguments: Any, **options: Any) -> Any:
        if sql == query("insert_memories", NO_SPACE | {"known": False, "membership": False}).sql:
            self.noted.append((sql, *(_as_json(value) for value in arguments)))
            raise _Noted
        return await self.raw.fetch(sql, *arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


async def _statements(runtime: Runtime, drafts: list[MemoryDraft]) -> list[tuple[Any, ...]]:
    """What ``remember`` would send for each draft."""
    await remember(runtime, ADMIN, [_draft("The agent and its session exist.")])
    found: list[tuple[Any, ...]] = []

    class Watched(Database):
        def __init__(self) -> None:
            """Nothing of its own: it is asked for transactions."""

        @asynccontextmanager
        async def generic_plan_transaction(self, workspace: UUID) -> AsyncIterator[Connection]:
            async with runtime.db.generic_plan_transaction(workspace) as connection:
                yield Connection(_StopsAtInsert(connection.raw, found))

    watched = Runtime(Watched(), embedder=runtime.embedder)
    watched._models = runtime._models
    for draft in drafts:
        with suppress(_Noted):
            await remember(watched, ADMIN, [draft])
    return found


def _as_json(value: Any) -> Any:
    """The items as text, so that the bare insert need not encode them."""
    return dumps(value).decode() if isinstance(value, list) and value and isinstance(value[0], dict) else value


def _draft(content: str) -> MemoryDraft:
    return MemoryDraft(**body_of(content))


def body_of(content: str) -> dict[str, Any]:
    return {"agent": "a", "type": "event", "content": content, "session": "now", "tags": ["t1"], "user": "u1"}


def use_case(runtime: Runtime, contents: Any) -> Way:
    """Save one memory in this process."""
    return lambda _: remember_one(runtime, ADMIN, _draft(next(contents)))


def over_http(client: HttpClient, contents: Any) -> Way:
    """Save one memory through the API."""
    return lambda _: client.post("/v1/memories", body_of(next(contents)))


def save_batch(runtime: Runtime) -> Callable[[list[str]], Any]:
    """Save a batch in this process."""
    return lambda texts: remember(runtime, ADMIN, [_draft(text) for text in texts])


def post_batch(client: HttpClient) -> Callable[[list[str]], Any]:
    """Save a batch through the API."""
    return lambda texts: client.post("/v1/memories/batch", {"items": [body_of(text) for text in texts]})


def _whole_batches(save: Callable[[list[str]], Any], contents: Any, size: int) -> Way:
    return lambda _: save(list(itertools.islice(contents, size)))


async def batches_per_second(save: Callable[[list[str]], Any], contents: Any, size: int, seconds: float) -> float:
    """Memories a second by a client that sends batches of ``size``."""
    return size * await per_second([_whole_batches(save, contents, size)], seconds, warm_up_s=0.0)
