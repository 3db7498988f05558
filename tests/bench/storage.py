"""Ways to keep vectors: what each finds, what it costs to compare them, and what they take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, get_args

import asyncpg
import numpy as np
import psutil

from reverie.evaluation import metrics
from reverie.evaluation.conversations import Conversation
from service.domain.search import SearchRequest
from service.embedding.embedder import Storage
from service.memory.ops.engine_status import get_engine_status
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store import hnsw
from tests.bench import corpus, quality
from tests.bench.data import locomo, minilm_folder
from tests.bench.environment import ADMIN, Place, Skipped
from tests.bench.report import Cell, console, show
from tests.bench.speed import bare_connection, statements_of
from tests.tuning import tuned
from worker.maintenance import vectors
from worker.maintenance.vectors import maintain_hnsw

MIDDLE = 20_000
LARGE = {"static": 100_000, "MiniLM": 60_000}
STORAGES: tuple[Storage, ...] = get_args(Storage)
TAKEN_OVER: tuple[Storage, ...] = ("halfvec", "binary")
"""What MiniLM's vectors are measured as at this size: they need not be made again."""
ASKED = 40
WARM_UP = 10
TAG = {"tags": ["t3"]}
ROW_BYTES = """SELECT (pg_relation_size(oid) + pg_relation_size(reltoastrelid)) / reltuples
FROM pg_class WHERE oid = 'search_index'::regclass"""


def prepare(place: Place) -> None:
    """The databases of both embedders."""
    for name, model in _models().items():
        _database(place, name, model)


def run(place: Place) -> None:
    """Print what each way costs and finds in large audiences, and on LoCoMo."""
    models = _models()
    rows: list[list[Cell]] = []
    for name, model in models.items():
        _database(place, name, model)
        place.copy(_kept_name(name), "bench_storage")
        asyncio.run(_costs(place.settings(place.url("bench_storage"), model), name, rows))
    place.drop("bench_storage")
    show(
        f"Agents with {MIDDLE:,} memories and with {LARGE['static']:,} (MiniLM: {LARGE['MiniLM']:,})",
        [
            "embedder",
            "kept as",
            "bytes each",
            "bytes of a row",
            "index MB",
            "s to build",
            "search",
            "CPU ms",
            "overlap@10",
        ],
        rows,
    )
    found: list[list[Cell]] = []
    try:
        chats = locomo()
    except Skipped as reason:
        console.print(f"LoCoMo skipped: {reason}", soft_wrap=True)
        return
    for name, model in models.items():
        for storage in STORAGES:
            with console.status(f"LoCoMo, {name}, {storage}"):
                found.append([name, storage, *asyncio.run(_quality(place, model, storage, chats))])
    place.drop("bench_quality")
    show(
        f"LoCoMo: {len(chats)} chats, recall@10, compared exactly and by an index that their size does not call for",
        ["embedder", "kept as", "hybrid, exact", "hybrid, index", "vectors alone, exact", "vectors alone, index"],
        found,
    )


def _models() -> dict[str, str]:
    try:
        return {"static": "static", "MiniLM": f"local:{minilm_folder()}"}
    except Skipped:
        return {"static": "static"}


def _kept_name(name: str) -> str:
    return f"bench_storage_{name.lower()}"


def _database(place: Place, name: str, model: str) -> None:
    shares = (corpus.Share("big", LARGE[name]), corpus.Share("mid", MIDDLE))
    place.kept(_kept_name(name), lambda url: corpus.fill(place.settings(url, model), shares))


@dataclass(slots=True)
class _Exact:
    """The best ten of each search, as halfvec finds them by an exact scan."""

    found: dict[tuple[str, str], set[Any]]


async def _costs(settings: Settings, name: str, rows: list[list[Cell]]) -> None:
    exact = _Exact({})
    for storage in STORAGES if name == "static" else TAKEN_OVER:
        patient = tuned(settings, embedding_storage=storage, statement_timeout_s=3600)
        with console.status(f"{name}, {storage}"):
            await _change(patient)
            async with open_runtime(patient, "bench-storage") as runtime:
                build_s = await _built(runtime)
                embedder = (await get_engine_status(runtime, ADMIN))["embedder"]
                row_bytes = await _row_bytes(runtime)
                sizes: list[Cell] = [
                    name, storage, embedder["vector_bytes"], row_bytes, embedder["index_bytes"] / 1e6, build_s,
                ]  # fmt: skip
                for label, agent, memories, filters, bounded in (
                    ("20,000, exact", "mid", MIDDLE, {}, False),
                    ("20,000, index", "mid", MIDDLE, {}, True),
                    ("large, exact", "big", LARGE[name], {}, False),
                    ("large, index", "big", LARGE[name], {}, True),
                    ("large, index, a tag (5 %)", "big", LARGE[name], TAG, True),
                ):
                    asked = corpus.queries(agent, memories, ASKED + WARM_UP)
                    cpu_ms = await _cpu_ms(runtime, agent, asked, filters, bounded=bounded)
                    shared = await _overlap(runtime, agent, asked[:ASKED], filters, exact, bounded=bounded)
                    rows.append([*sizes, label, cpu_ms, shared])
                    sizes = [None] * len(sizes)


async def _change(settings: Settings) -> None:
    """Keep all vectors as these settings say, in a table that holds nothing else; all that is left is to index them."""
    tended, vectors.maintain_hnsw = vectors.maintain_hnsw, _later
    connection = await asyncpg.connect(str(settings.database_url), command_timeout=3600)
    try:
        async with open_runtime(settings, "bench-storage") as runtime:
            async with runtime.db.unscoped() as unscoped:
                for name in await hnsw.indexes(unscoped):
                    await connection.execute(f"DROP INDEX {name}")
            await vectors.Reindexer(runtime, "bench", refreshed_within=timedelta(0)).until_done()
        await connection.execute(
            "UPDATE audience_rows r SET part = n.part FROM ("
            "SELECT audience, row_number() OVER (ORDER BY audience) - 1 AS part FROM audience_rows GROUP BY audience"
            ") AS n WHERE n.audience = r.audience"
        )
        await connection.execute(
            "UPDATE search_index i SET ann = true, part = r.part FROM audience_rows r"
            " WHERE r.audience = i.audience AND r.kind = i.kind"
        )
        await connection.execute("VACUUM FULL ANALYZE search_index")
    finally:
        vectors.maintain_hnsw = tended
        await connection.close()


async def _later(_: Runtime) -> int:
    return 0


async def _built(runtime: Runtime) -> float:
    """Build the indexes of both agents; in how many seconds."""
    started = time.perf_counter()
    await maintain_hnsw(runtime)
    return time.perf_counter() - started


async def _row_bytes(runtime: Runtime) -> int:
    """What a search row takes, its vector included."""
    async with runtime.db.unscoped() as connection:
        return int(await connection.raw.fetchval(ROW_BYTES))


@contextmanager
def _bounded(runtime: Runtime, bounded: bool) -> Iterator[None]:
    """By the index there is, or with every vector compared."""
    before = runtime.search_limits
    rows = 0 if bounded else 10**9
    runtime.search_limits = replace(before, exact_rows=rows, exact_rows_filtered=rows)
    try:
        yield
    finally:
        runtime.search_limits = before


async def _cpu_ms(runtime: Runtime, agent: str, asked: list[str], filters: dict[str, Any], *, bounded: bool) -> float:
    """Postgres' processor time of one search."""
    with _bounded(runtime, bounded):
        requests = [SearchRequest(agent=agent, query=text, **filters) for text in asked]
        statements = [await statements_of(runtime, request) for request in requests]
    async with bare_connection(runtime) as raw:
        backend = psutil.Process(await raw.fetchval("SELECT pg_backend_pid()"))
        before = 0.0
        for number, statement in enumerate(statements):
            if number == WARM_UP:
                before = sum(backend.cpu_times()[:2])
            for one in statement:
                await raw.fetch(*one)
        return (sum(backend.cpu_times()[:2]) - before) / (len(asked) - WARM_UP) * 1000


async def _overlap(
    runtime: Runtime, agent: str, asked: list[str], filters: dict[str, Any], exact: _Exact, *, bounded: bool
) -> float:
    shares = []
    for text in asked:
        request = SearchRequest(agent=agent, query=text, **filters)
        key = (agent, f"{text} {filters}")
        if key not in exact.found:
            with _bounded(runtime, False):
                exact.found[key] = await _best(runtime, request)
        with _bounded(runtime, bounded):
            found = await _best(runtime, request)
        shares.append(len(found & exact.found[key]) / max(1, len(exact.found[key])))
    return float(np.mean(shares))


async def _best(runtime: Runtime, request: SearchRequest) -> set[Any]:
    return {one.memory.id for one in (await recall(runtime, ADMIN, request, count_access=False)).results}


async def _quality(place: Place, model: str, storage: Storage, chats: list[Conversation]) -> list[Cell]:
    """recall@10 of hybrid search and of vectors alone, each compared exactly and by an index."""
    settings = tuned(place.settings(place.fresh("bench_quality"), model), embedding_storage=storage)
    figures: dict[tuple[str, bool], float] = {}
    async with open_runtime(settings, "bench-storage") as opened:
        assert opened.embedder is not None
        kept = quality.KeptVectors(opened.embedder, place.folder / "vectors.sqlite")
        runtime = quality.replace_embedder(opened, kept)
        for chat in chats:
            await quality.load(runtime, chat)
        runtime.hnsw_limits = hnsw.HnswLimits(counted_from=1, large_from=1, cost_rows=0)
        await maintain_hnsw(runtime)
        for by_index in (False, True):
            with _bounded(runtime, by_index):
                for method in ("hybrid", "vectors alone"):
                    options = quality.METHODS[method]
                    scores = [one for chat in chats for one in await quality.turn_scores(runtime, chat, options)]
                    figures[method, by_index] = metrics.mean(scores)["recall@10"]
    return [figures[method, by_index] for method in ("hybrid", "vectors alone") for by_index in (False, True)]
