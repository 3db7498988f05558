"""Memories in any number for the speed benchmarks: one agent of many, a few of middle size, thousands of small ones.

Their text is made of real sentences where the evaluation data is at hand, so that words and vectors are spread as they
are in life; elsewhere of words drawn by Zipf's law from made-up topics.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

import asyncpg

from service.domain.drafts import MemoryDraft
from service.memory.saving.remember import remember
from service.settings import Settings
from service.startup import configure_logging, open_runtime
from tests.bench.data import sentences
from tests.bench.environment import ADMIN, Place, Skipped
from tests.bench.report import console
from tests.tuning import tuned
from worker.maintenance.vectors import maintain_hnsw

SMALL = 100
BATCH = 1000
SESSION_TURNS = 20
TAGS = 20
USERS = 10
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Share:
    """How many memories one agent has."""

    agent: str
    memories: int


LARGE = (
    Share("big", 200_000),
    *(Share(f"middle-{number}", 20_000) for number in range(5)),
    *(Share(f"small-{number}", SMALL) for number in range(2_000)),
)
"""The database of 500,000."""


@cache
def real_sentences() -> tuple[str, ...]:
    """The sentences of the evaluation data, or made ones."""
    try:
        return tuple(sentences())
    except Skipped:
        return tuple(_made_sentences(100_000))


def texts(agent: str, count: int) -> Iterator[str]:
    """``count`` different memory texts of an agent, always the same ones: one or two sentences each."""
    pieces = real_sentences()
    draw = random.Random(agent)
    seen: set[tuple[int, ...]] = set()
    while len(seen) < count:
        first = draw.randrange(len(pieces))
        chosen = (first, first + 1) if draw.random() < 0.3 and first + 1 < len(pieces) else (first,)
        if chosen in seen:
            chosen = (first, draw.randrange(len(pieces)))
        if chosen not in seen:
            seen.add(chosen)
            yield " ".join(pieces[number] for number in chosen)


def drafts(agent: str, count: int) -> Iterator[MemoryDraft]:
    """The memories of an agent: sessions of 20 turns, a minute apart, with users, tags and importance."""
    draw = random.Random(f"{agent} fields")
    for number, content in enumerate(texts(agent, count)):
        yield MemoryDraft(
            agent=agent,
            type=draw.choices(("event", "fact", "preference"), (70, 20, 10))[0],
            content=content,
            session=f"s{number // SESSION_TURNS}",
            user=f"u{draw.randrange(USERS)}",
            occurred_at=FIRST_DAY + timedelta(minutes=number),
            tags=[f"t{draw.randrange(TAGS)}"],
            importance=round(draw.random(), 2),
        )


def queries(agent: str, count: int, asked: int) -> list[str]:
    """``asked`` different questions about what the agent remembers: three to six words of one of its memories."""
    pool = list(texts(agent, count))
    draw = random.Random(f"{agent} queries")
    found: dict[str, None] = {}
    while len(found) < asked:
        words = draw.choice(pool).split()
        begin = draw.randrange(max(1, len(words) - 6))
        found[f"what did I say about {' '.join(words[begin : begin + draw.randint(3, 6)])}?"] = None
    return list(found)


def large_database(place: Place) -> str:
    """The URL of the database of 500,000 memories: made at the first run (minutes), kept for the next ones."""
    return kept(place, "bench_large", LARGE)


def kept(place: Place, name: str, shares: tuple[Share, ...]) -> str:
    """The URL of a database that holds these memories: made once, then migrated to the newest schema, and tended."""
    url = place.kept(name, lambda url: fill(place.settings(url, "static"), shares))
    asyncio.run(_tend(place.settings(url, "static")))
    return url


def fill(settings: Settings, shares: tuple[Share, ...]) -> None:
    """Write the memories of all shares by two processes, then let upkeep do its work."""
    total = sum(share.memories for share in shares)
    halves: tuple[list[Share], list[Share]] = ([], [])
    for share in sorted(shares, key=lambda one: -one.memories):
        min(halves, key=lambda half: sum(one.memories for one in half)).append(share)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(settings, half)) for half in halves if half]
    with console.status(f"writing {total:,} memories"):
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("loading failed; its traceback is above")
    with console.status("upkeep: counts, indexes, statistics"):
        asyncio.run(settle(settings))


def _write(settings: Settings, shares: list[Share]) -> None:
    configure_logging("error")
    asyncio.run(_remember(settings, shares))


async def _remember(settings: Settings, shares: list[Share]) -> None:
    async with open_runtime(settings, "bench-load") as runtime:
        batch: list[MemoryDraft] = []
        for share in shares:
            for draft in drafts(share.agent, share.memories):
                batch.append(draft)
                if len(batch) == BATCH:
                    await remember(runtime, ADMIN, batch)
                    batch = []
        if batch:
            await remember(runtime, ADMIN, batch)


async def settle(settings: Settings) -> None:
    """What the worker and autovacuum would do in time: counts and index of large audiences, statistics."""
    assert settings.database_url is not None
    await _tend(settings)
    connection = await asyncpg.connect(settings.database_url, command_timeout=3600)
    try:
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _tend(settings: Settings) -> None:
    async with open_runtime(tuned(settings, statement_timeout_s=3600), "bench-load") as runtime:
        await maintain_hnsw(runtime)


def _made_sentences(count: int) -> Iterator[str]:
    draw = random.Random("sentences")
    words = [
        "".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(draw.randint(1, 4)))
        for _ in range(20_000)
    ]
    common = [1 / rank for rank in range(1, 301)]
    topics = [draw.sample(words[300:], 80) for _ in range(500)]
    for _ in range(count):
        topic = draw.choice(topics)
        length = draw.randint(5, 25)
        said = draw.choices(words[:300], common, k=length // 2) + draw.choices(topic, k=length - length // 2)
        draw.shuffle(said)
        yield " ".join(said)
