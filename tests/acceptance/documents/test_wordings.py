"""A question in two or three wordings finds what none of them finds alone; each result says which found it."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant

NOTES = (
    "The gateway listens on port 8443",
    "Ingress traffic enters through the edge proxy",
    "Maria likes tea",
    "The invoice was paid twice",
)


async def test_lists_of_all_wordings_are_fused_and_explained(static_tenant: Tenant) -> None:
    for note in NOTES:
        await static_tenant.save(note)
    body = {"agent": "a", "query": "gateway port?", "queries": ["edge proxy ingress", "gateway port?"]}
    answer = await static_tenant.post("/v1/memories/search/preview", body)
    contents = {one["memory"]["content"]: one for one in answer["results"]}
    assert set(contents) == set(NOTES[:2])
    for note, wording in zip(NOTES[:2], ("gateway port?", "edge proxy ingress"), strict=True):
        assert {one["query"]: one["rank"] for one in contents[note]["queries"]}[wording] == 1
        total = sum(one["score"] for one in contents[note]["queries"]) / 2
        assert contents[note]["score"] == pytest.approx(total)
    assert [one["rank"] for one in answer["results"]] == [1, 2]
    alone = await static_tenant.post("/v1/memories/search/preview", {"agent": "a", "query": "gateway port?"})
    assert not any(one["queries"] for one in alone["results"])
    for limit in (1, 2):
        limited = await static_tenant.post("/v1/memories/search/preview", body | {"limit": limit})
        assert limited["results"] == answer["results"][:limit]


async def test_contexts_and_questions_take_wordings_too(static_tenant: Tenant) -> None:
    for note in NOTES:
        await static_tenant.save(note)
    wordings = ["edge proxy ingress"]
    context = await static_tenant.post("/v1/context", {"agent": "a", "message": "Hello!", "queries": wordings})
    assert NOTES[1] in str(context["sections"])
    asked = await static_tenant.post("/v1/ask", {"agent": "a", "question": "Hello?", "queries": wordings})
    assert [memory["content"] for memory in asked["memories"]] == [NOTES[1]]


async def test_expanding_without_a_model_says_so(static_tenant: Tenant) -> None:
    await static_tenant.save(NOTES[0])
    answer = await static_tenant.post("/v1/memories/search", {"agent": "a", "query": "gateway", "expand": True})
    assert len(answer["results"]) == 1
    assert "LLM_MODEL" in answer["degraded"]["reason"]


async def test_more_than_five_are_refused(static_tenant: Tenant) -> None:
    body = {"agent": "a", "query": "tea", "queries": ["tea"] * 6}
    answer = await static_tenant.call("POST", "/v1/memories/search", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "queries"]
