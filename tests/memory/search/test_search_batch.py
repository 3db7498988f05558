"""Concurrent searches of a workspace share statements, and each finds what it finds alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import CachedCredential, Principal
from service.domain.search import SearchRequest
from service.errors import StaleCredential
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.memory.search_results import SearchAnswer
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store.search.plan import SearchLimits
from tests.captured_queries import queries_sent_by

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
TEXTS = (
    "The kettle is on the shelf",
    "The shelf in the kitchen is blue",
    "Ann painted the kitchen on Monday",
    "The kettle whistles on Monday",
    "Trains to Bergen leave at nine",
)
REQUESTS: tuple[dict[str, Any], ...] = (
    {"query": "kettle"},
    {"query": "blue shelf"},
    {"query": "kitchen", "limit": 1},
    {"query": "kitchen", "types": ["event"]},
    {"query": "kettle on Monday", "tags": ["odd"]},
    {"query": "shelf", "strategy": "keyword"},
    {"query": "pots and pans", "strategy": "semantic"},
    {"query": "", "strategy": "recent", "limit": 3},
    {"query": "kettle", "agent": "nobody"},
    {"query": "kettle", "agent": "b"},
    {"query": "kettle", "session": "unheard of"},
    {"query": "Bergen", "fusion": "rrf", "include": ["memories", "messages"]},
    {"query": "what about the kettle in March 2026?"},
)


@pytest.fixture
async def runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """A runtime with the static embedder."""
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as opened:
        yield opened


async def _save(runtime: Runtime, principal: Principal = ADMIN, agent: str = "a") -> None:
    drafts = [
        MemoryDraft(agent=agent, type="event" if n % 2 else "fact", content=text, tags=["odd"] if n % 2 else ["even"])
        for n, text in enumerate(TEXTS)
    ]
    await remember(runtime, principal, drafts)


def _search(runtime: Runtime, principal: Principal = ADMIN, **fields: Any) -> Any:
    """Without a floor, so that all that is there is found."""
    request = SearchRequest(**({"agent": "a", "min_relevance": 0} | fields))
    return recall(runtime, principal, request, count_access=False)


def _told(answer: SearchAnswer) -> list[tuple[Any, ...]]:
    return [(hit.record.content, hit.score, hit.keyword_rank, dict(hit.boosts)) for hit in answer.results]


@pytest.mark.parametrize("limits", [SearchLimits(), SearchLimits(exact_rows=2, listed_from=1)])
async def test_each_finds_what_it_finds_alone(runtime: Runtime, limits: SearchLimits) -> None:
    runtime.search_limits = limits
    await _save(runtime)
    await _save(runtime, agent="b")
    alone = [_told(await _search(runtime, **request)) for request in REQUESTS]
    assert [len(one) for one in alone].count(0) == 2
    together = await asyncio.gather(*(_search(runtime, **request) for request in REQUESTS * 4))
    assert [_told(one) for one in together] == alone * 4


async def test_questions_of_one_agent_share_a_statement(runtime: Runtime) -> None:
    searched = queries_sent_by(runtime.db)
    await _save(runtime)
    await asyncio.gather(*(_search(runtime, query=text) for text in TEXTS * 4))
    sizes = [len(one.values["texts"]) for one in searched]
    assert sum(sizes) == 4 * len(TEXTS)
    assert max(sizes) > 1


async def test_workspaces_are_searched_apart(runtime: Runtime) -> None:
    searched = queries_sent_by(runtime.db)
    other = replace(ADMIN, workspace_id=new_id())
    async with runtime.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=other.workspace_id, name="other")
    await _save(runtime)
    drafts = [MemoryDraft(agent="a", type="fact", content="The kettle of somebody else")]
    await remember(runtime, other, drafts)
    answers = await asyncio.gather(*(_search(runtime, who, query="kettle") for who in (ADMIN, other) * 6))
    contents = [sorted(hit.record.content for hit in answer.results) for answer in answers]
    assert contents == [sorted(TEXTS), [drafts[0].content]] * 6
    assert {UUID(str(one.values["workspace"])) for one in searched} == {ADMIN.workspace_id, other.workspace_id}


async def test_a_key_that_holds_no_more_fails_its_own_search_only(runtime: Runtime) -> None:
    await _save(runtime)
    stale = CachedCredential(ADMIN, b"revoked", None)
    request = SearchRequest(agent="a", query="kettle", min_relevance=0)
    searches = [recall(runtime, ADMIN, request, key=stale if n == 3 else None) for n in range(8)]
    answers = await asyncio.gather(*searches, return_exceptions=True)
    assert isinstance(answers.pop(3), StaleCredential)
    assert [len(one.results) for one in answers if isinstance(one, SearchAnswer)] == [len(TEXTS)] * 7


async def test_a_search_that_is_given_up_disturbs_no_other(runtime: Runtime, caplog: pytest.LogCaptureFixture) -> None:
    await _save(runtime)
    tasks = [asyncio.create_task(_search(runtime, query="kettle")) for _ in range(8)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert [len(one.results) for one in answers[1:] if isinstance(one, SearchAnswer)] == [len(TEXTS)] * 7
    assert not caplog.records
