"""Lists of what filters may let pass: always those of the rows, and searches by them find what scans do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.search import SearchRequest
from service.domain.types import MemoryType
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.store.search.plan import SearchLimits
from tests.captured_queries import queries_sent_by
from tests.live_api import Api
from tests.worker.large_audience import ADMIN, LOW_HNSW_LIMITS, LOW_LIMITS, notes, opened
from worker.maintenance.vectors import maintain_hnsw

DAY = datetime(2026, 3, 1, tzinfo=UTC)
ASTRAY = """
    WITH wanted AS (
        SELECT reverie_term_v1(i.audience, i.kind, f.facet) AS term, i.id
        FROM search_index i,
            unnest(reverie_facets_v1(CASE WHEN i.kind = 0 THEN i.type END, i.user_name, i.tags, i.owners)) AS f(facet)
        WHERE i.workspace_id = $1
    ), spoken AS (
        SELECT reverie_term_v1(m.audience, 0::smallint, unnest(tsvector_to_array(m.lexemes))) AS term, m.id
        FROM memories m WHERE m.workspace_id = $1
    ), kept AS (
        SELECT t.term, t.id FROM search_terms t
        WHERE t.workspace_id = $1
            AND t.id IN (SELECT i.id FROM search_index i WHERE i.workspace_id = $1 AND i.kind = 0)
    )
    SELECT 'missing' AS why, term, id FROM wanted w
    WHERE NOT EXISTS (
        SELECT 1 FROM search_terms t WHERE t.workspace_id = $1 AND t.term = w.term AND t.id = w.id)
    UNION ALL
    (SELECT 'left over', term, id FROM kept
     EXCEPT SELECT 'left over', term, id FROM wanted EXCEPT SELECT 'left over', term, id FROM spoken)
"""
"""Rows that are not on a list they belong on, and memories on one where they do not."""

LIMITS = replace(LOW_LIMITS, listed_from=100)
HNSW_LIMITS = replace(LOW_HNSW_LIMITS, common_from=200)
WITHOUT_LISTS = SearchLimits(exact_rows=100, listed_from=10**9)
FILTERS: list[dict[str, Any]] = [
    {"about": "u"},
    {"where": {"metadata.shelf": 4}},
    {"where": {"metadata.shelf": {"in": [4, 7]}, "not": {"tags": "often"}}, "tags": ["rare"]},
    {"tags": ["rare"]},
    {"tags": ["rare", "odd"], "tags_mode": "all"},
    {"tags": ["rare", "nobody's"]},
    {"types": ["goal"]},
    {"types": ["goal", "preference"]},
    {"session": "one"},
    {"since": DAY + timedelta(hours=3), "until": DAY + timedelta(hours=40)},
    {"until": DAY + timedelta(hours=20)},
    {"tags": ["odd"], "types": ["goal", "event"]},
    {"tags": ["often"], "min_importance": 0.9},
    {"tags": ["often"], "include": ["memories", "messages"]},
    {"about": "nobody"},
    {"types": []},
]


async def astray(runtime: Runtime) -> list[tuple[Any, ...]]:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        return [tuple(row) for row in await connection.raw.fetch(ASTRAY, DEFAULT_WORKSPACE)]


@pytest.fixture
async def filled(settings: Settings) -> AsyncIterator[Runtime]:
    """A large audience in which every filter above lets few pass."""
    drafts = notes(400)
    for n, draft in enumerate(drafts):
        draft.occurred_at = DAY + timedelta(hours=n)
        draft.metadata = {"shelf": n % 37}
        if n % 40 == 1:
            draft.tags = [*draft.tags, "rare", "rare"]
        if n % 5 == 2:
            draft.tags = [*draft.tags, "often"]
            draft.importance = 1 if n % 25 == 2 else 0.5
        if n % 90 == 3:
            draft.type = MemoryType.GOAL if n % 180 == 3 else MemoryType.PREFERENCE
        if n % 60 == 7:
            draft.session = "one"
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, drafts)
        await maintain_hnsw(runtime)
        yield runtime


@pytest.mark.parametrize("filters", FILTERS, ids=str)
async def test_a_short_list_finds_what_a_scan_does(filled: Runtime, filters: dict[str, Any]) -> None:
    searched = queries_sent_by(filled.db)

    async def found(strategy: str, limits: SearchLimits) -> tuple[list[tuple[Any, ...]], bool]:
        filled.search_limits = limits
        searched.clear()
        request = SearchRequest.model_validate(
            {
                "agent": "a",
                "query": "who repairs the roof, note 41",
                "limit": 50,
                "strategy": strategy,
                "min_relevance": 0,
            }
            | filters
        )
        results = (await recall(filled, ADMIN, request)).results
        by_list = [one.flags["listed"] for one in searched]
        assert len(by_list) == 1
        ranks = [(one.memory.id, round(one.score, 6), one.keyword_rank, one.semantic_rank) for one in results]
        return ranks, by_list[0]

    for strategy in ("hybrid", "semantic", "keyword"):
        by_list, listed = await found(strategy, LIMITS)
        assert listed == (filters != {"types": []})
        assert await found(strategy, WITHOUT_LISTS) == (by_list, False)
        assert bool(by_list) == (filters not in ({"about": "nobody"}, {"types": []}))


@pytest.mark.parametrize(
    ("filters", "count", "listed"), [({"tags": ["odd"]}, 20, False), ({"tags": ["odd"], "types": ["goal"]}, 3, True)]
)
async def test_a_long_list_is_not_gone_through(
    filled: Runtime, filters: dict[str, Any], count: int, listed: bool
) -> None:
    searched = queries_sent_by(filled.db)
    request = SearchRequest.model_validate(
        {"agent": "a", "query": "green tea", "limit": 20, "min_relevance": 0} | filters
    )
    assert len((await recall(filled, ADMIN, request)).results) == count
    assert [one.flags["listed"] for one in searched] == [listed]


async def test_lists_follow_every_change(static_api: Api, runtime: Runtime) -> None:
    saved = await static_api.save("The roof leaks in autumn", tags=["house", "urgent"], user="sam", session="s")
    await static_api.save("The roof leaks in autumn", tags=["wet"], user="sam", session="s")
    twin = await static_api.save("Sam prefers tea", type="preference", user="sam")
    path = f"/v1/memories/{saved['id']}"

    async def changed(path: str, **fields: Any) -> None:
        await static_api.patch(path, {"version": (await static_api.get(path))["version"]} | fields)

    await changed(path, tags=["house", "done"], type="event", user=None)
    await changed(path, content="The roof leaked in autumn")
    await changed(f"/v1/memories/{twin['id']}", scope="prime")
    assert (await static_api.call("DELETE", path)).status_code == 204
    await static_api.post(f"{path}/restore")
    said = [{"role": "user", "content": "Hello there"}]
    await static_api.post("/v1/sessions/s/messages", {"agent": "a", "user": "sam", "messages": said})
    document = await static_api.post(
        "/v1/documents", {"agent": "a", "title": "Roofs", "text": "Slate lasts for a century.", "user": "sam"}
    )
    assert await astray(runtime) == []
    listed = await static_api.call("DELETE", f"/v1/documents/{document['id']}")
    assert listed.status_code == 204
    assert await astray(runtime) == []
