"""Very large audiences: indexed in the background, and found as exactly as small ones meanwhile and afterwards."""

from __future__ import annotations

from uuid import uuid4

import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.engine import Engine
from service.memory.recall import recall
from service.memory.remember import remember
from service.runtime import open_runtime
from service.settings import Settings
from service.store import large, search
from worker.upkeep.large_audiences import tend_large_audiences

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
QUERIES = ("cups of green tea", "who repairs the roof", "budget of the third quarter", "tea")


@pytest.fixture
def thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "COUNTED_FROM", 50)
    monkeypatch.setattr(large, "COMMON_FROM", 20)
    monkeypatch.setattr(search, "EXACT_ROWS_MAX", 100)
    monkeypatch.setattr(search, "POSTINGS_MAX", 30)


def notes(count: int, start: int = 0) -> list[MemoryDraft]:
    things = ("cups of green tea", "a roof to repair", "the quarterly budget", "a train to Bergen", "two old maps")
    return [
        MemoryDraft(
            agent="a",
            type="fact",
            content=f"Note {n} is about {things[n % 5]} and shelf {n % 37}",
            tags=["odd"] if n % 2 else [],
            user="u" if n % 50 == 0 else None,
        )
        for n in range(start, start + count)
    ]


async def best(engine: Engine, query: str, **fields: object) -> list[str]:
    request = SearchRequest.model_validate({"agent": "a", "query": query} | fields)
    return [result.memory["content"] for result in (await recall(engine, ADMIN, request)).results]


async def test_an_indexed_audience_answers_as_an_exact_scan_does(settings: Settings, thresholds: None) -> None:
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as engine:
        await remember(engine, ADMIN, notes(600))
        exact = {query: await best(engine, query) for query in QUERIES}
        assert await tend_large_audiences(engine) == 600
        assert await tend_large_audiences(engine) == 0
        for query in QUERIES:
            overlap = set(exact[query]) & set(await best(engine, query))
            assert len(overlap) >= 9, query


async def test_what_is_not_indexed_yet_is_found_too(settings: Settings, thresholds: None) -> None:
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as engine:
        await remember(engine, ADMIN, notes(300))
        await tend_large_audiences(engine)
        await remember(engine, ADMIN, [MemoryDraft(agent="a", type="fact", content="The swordfish swims at dawn")])
        for strategy in ("hybrid", "semantic", "keyword"):
            found = await best(engine, "swordfish at dawn", strategy=strategy)
            assert found[0] == "The swordfish swims at dawn", strategy


async def test_a_narrow_filter_never_leaves_the_answer_short(settings: Settings, thresholds: None) -> None:
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as engine:
        await remember(engine, ADMIN, notes(600))
        await tend_large_audiences(engine)
        for strategy in ("hybrid", "semantic"):
            assert len(await best(engine, "a train to Bergen", user="u", strategy=strategy, limit=50)) == 12
            assert len(await best(engine, "green tea", tags=["odd"], strategy=strategy, limit=20)) == 20


async def test_an_audience_that_has_shrunk_is_small_again(settings: Settings, thresholds: None) -> None:
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as engine:
        await remember(engine, ADMIN, notes(120))
        await tend_large_audiences(engine)
        async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute("DELETE FROM search_index WHERE words > 0")
            await connection.raw.execute("DELETE FROM search_terms")
        await tend_large_audiences(engine)
        async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
            assert await connection.raw.fetchval("SELECT count(*) FROM audience_rows") == 0
