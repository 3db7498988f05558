"""Searching over HTTP."""

from __future__ import annotations

import pytest

from service.memory.counters import AccessCounter
from tests.live_api import Api, Caller, Tenant

pytestmark = pytest.mark.first_tier

DECISION = "We agreed to use tiered pricing with a free starter plan"


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def test_a_natural_question_is_answered_by_keyword_alone(api: Caller) -> None:
    await api.save("Ana is allergic to peanuts")
    await api.save(DECISION, type="decision")
    await api.save("The office is in Bergen")
    answer = await api.post(
        "/v1/memories/search", {"agent": "a", "query": "what did we decide about the pricing model?"}
    )
    assert answer["results"][0]["memory"]["content"] == DECISION
    assert answer["results"][0]["keyword_rank"] == 1
    assert answer["degraded"]["fallback"] == "keyword"


async def test_an_answer_begins_with_what_is_used(api: Caller) -> None:
    await api.save(DECISION, type="decision")
    (result,) = (await api.post("/v1/memories/search", {"agent": "a", "query": "tiered pricing"}))["results"]
    assert list(result)[:6] == ["kind", "memory", "message", "document", "score", "rank"]
    names = list(result["memory"])
    assert names[:7] == ["id", "type", "content", "summary", "user", "owners", "created_at"]
    assert names[-5:] == ["dream_id", "effective_importance", "embedding", "access_count", "last_accessed_at"]


AWKWARD = (
    '"-*:(', "'; DROP TABLE memories;--", "\x00", "a\x00b", "🙂🙃", "&|!<->", "x" * 8000, "w " * 4000, "", " ", "%_",
)  # fmt: skip


@pytest.mark.parametrize("strategy", ["hybrid", "semantic", "keyword", "recent"])
async def test_no_query_breaks_a_search(static_api: Caller, strategy: str) -> None:
    await static_api.save("Something to find")
    for query in AWKWARD:
        body = {"agent": "a", "query": query, "strategy": strategy}
        response = await static_api.call("POST", "/v1/memories/search", json=body)
        assert response.status_code == 200, (query[:40], response.text)


async def test_a_query_that_is_no_unicode_is_422(api: Caller) -> None:
    body = '{"agent": "a", "query": "\\ud800"}'
    headers = {"Content-Type": "application/json"}
    assert await api.status("POST", "/v1/memories/search", content=body, headers=headers) == 422


async def test_a_query_past_its_bound_is_422(api: Caller) -> None:
    assert await api.status("POST", "/v1/memories/search", json={"agent": "a", "query": "x" * 8001}) == 422


async def test_both_lists_show_their_ranks_and_scores(static_api: Caller) -> None:
    await static_api.save("Ana drinks green tea every morning")
    await static_api.save("The server room is on floor three")
    answer = await static_api.post(
        "/v1/memories/search", {"agent": "a", "query": "tea in the morning", "min_relevance": 0}
    )
    first = answer["results"][0]
    assert first["memory"]["content"].startswith("Ana")
    assert (first["keyword_rank"], first["semantic_rank"]) == (1, 1)
    assert first["keyword_score"] > 0
    assert 0 < first["semantic_score"] <= 1
    last = answer["results"][-1]
    assert (last["keyword_rank"], last["semantic_rank"]) == (None, 2)
    assert answer["degraded"] is None


async def test_a_short_statement_is_found_before_a_longer_one_about_something_else(static_api: Caller) -> None:
    for content in ("Sam moved to Bergen in March for a new job", "Sam loves Go", "The office is in Oslo"):
        await static_api.save(content)
    found = await static_api.search("which programming languages does Sam like?")
    assert found[0]["content"] == "Sam loves Go"


async def test_rrf_is_exact(static_api: Caller) -> None:
    for content in ("green tea", "tea of all kinds and origins", "coffee beans", "a green house"):
        await static_api.save(content)
    answer = await static_api.post("/v1/memories/search", {"agent": "a", "query": "green tea", "fusion": "rrf"})
    for result in answer["results"]:
        expected = sum(
            1 / (60 + result[rank]) for rank in ("keyword_rank", "semantic_rank") if result[rank] is not None
        )
        assert result["score"] == pytest.approx(expected)
    scores = [result["score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)


async def test_every_filter_works_inside_the_search(static_api: Caller) -> None:
    for number in range(120):
        await static_api.save(f"tea note number {number}")
    wanted = await static_api.save(
        "tea for the needle", type="event", user="u1", session="s1", task="t1", tags=["red", "hot"], importance=0.9,
        metadata={"a": 1, "b": {"c": 2}}, occurred_at="2026-03-01T00:00:00Z",
    )  # fmt: skip
    filters: list[dict[str, object]] = [
        {"types": ["event"]}, {"about": "u1"}, {"session": "s1"}, {"task": "t1"}, {"tags": ["red", "blue"]},
        {"tags": ["red", "hot"], "tags_mode": "all"}, {"metadata": {"a": 1}}, {"metadata": {"b": {"c": 2}}},
        {"min_importance": 0.8}, {"until": "2026-03-02T00:00:00Z"},
    ]  # fmt: skip
    for one in filters:
        for strategy in ("hybrid", "keyword", "semantic", "recent"):
            found = await static_api.search("tea", strategy=strategy, **one)
            assert [memory["id"] for memory in found] == [wanted["id"]], (strategy, one)
    assert await static_api.search("tea", tags=["red", "blue"], tags_mode="all") == []
    assert await static_api.search("tea", scopes=["team"]) == []


async def test_the_budget_is_never_exceeded_and_smaller_items_still_come(api: Caller) -> None:
    await api.save("tea " * 100)
    await api.save("tea is fine")
    answer = await api.post("/v1/memories/search", {"agent": "a", "query": "tea", "max_tokens": 10})
    assert [result["memory"]["content"] for result in answer["results"]] == ["tea is fine"]
    assert answer["tokens"] == sum(result["tokens"] for result in answer["results"]) <= 10
    nothing = await api.post("/v1/memories/search", {"agent": "a", "query": "tea", "max_tokens": 0})
    assert nothing["results"] == []
    assert nothing["omitted"]["count"] == 2
    assert answer["omitted"] == {"count": 1, "tokens": nothing["omitted"]["tokens"] - answer["tokens"]}
    whole = await api.post("/v1/memories/search", {"agent": "a", "query": "tea"})
    assert whole["omitted"] == {"count": 0, "tokens": 0}
    assert (
        await api.status("POST", "/v1/memories/search", json={"query": "x", "agent": "a", "max_tokens": 16001}) == 422
    )


async def test_preview_ranks_as_search_does_and_counts_nothing(own_static_api: Api) -> None:
    memory = await own_static_api.save("tea")
    body = {"agent": "a", "query": "tea"}
    preview = await own_static_api.post("/v1/memories/search/preview", body)
    await own_static_api.runtime.part(AccessCounter).flush()
    assert (await own_static_api.get(f"/v1/memories/{memory['id']}"))["access_count"] == 0
    search = await own_static_api.post("/v1/memories/search", body)
    await own_static_api.runtime.part(AccessCounter).flush()
    counted = await own_static_api.get(f"/v1/memories/{memory['id']}")
    assert (counted["access_count"], counted["version"]) == (1, 1)
    assert counted["last_accessed_at"] is not None
    for answer in (preview, search):
        for result in answer["results"]:
            result.pop("memory")
    assert {name: preview[name] for name in search} == search


async def test_as_of_answers_what_was_known_then(api: Caller) -> None:
    await api.save("Known since March about tea", created_at="2026-03-01T00:00:00Z")
    assert await api.search("tea", as_of="2026-02-01T00:00:00Z") == []
    assert len(await api.search("tea", as_of="2026-04-01T00:00:00Z")) == 1


async def test_the_newest_come_first_when_asked(api: Caller) -> None:
    for number in range(3):
        await api.save(f"note {number}")
    assert [memory["content"] for memory in await api.search("", strategy="recent", limit=2)] == ["note 2", "note 1"]


async def test_an_agent_nobody_has_heard_of_finds_nothing(api: Caller) -> None:
    assert await api.search("tea", agent="stranger") == []
    assert (await api.get("/v1/agents"))["items"] == []


async def test_a_time_named_decades_away_from_a_memory_is_no_error(static_api: Caller) -> None:
    await static_api.save("Tea was drunk here", occurred_at="1970-01-01T00:00:00Z")
    await static_api.save("Tea will be drunk here", occurred_at="2090-01-01T00:00:00Z")
    assert len(await static_api.search("who drank tea on 8 May 2023?")) == 2
