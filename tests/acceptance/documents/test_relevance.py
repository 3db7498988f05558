"""Only what is relevant is found: "rows with zero score are filtered out", and a context brings only memories
"relevant to the current message"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Api, Tenant

NOTES = (
    "The wifi network is called hunter2",
    "Maria likes tea",
    "The quarterly budget for marketing is 60000 euros",
    "Ana moved to Bergen to study architecture",
    "Tom plays bass guitar in a jazz trio",
)


async def found(tenant: Tenant | Api, query: str, **fields: Any) -> list[str]:
    return [memory["content"] for memory in await tenant.search(query, **fields)]


@pytest.mark.parametrize("strategy", ["hybrid", "semantic", "keyword"])
@pytest.mark.parametrize("fusion", ["relative", "rrf"])
@pytest.mark.parametrize("query", ["zxqvwk", "zxqvwk blormip vashken", "what is tronfen?"])
async def test_made_up_words_find_nothing(static_tenant: Tenant, strategy: str, fusion: str, query: str) -> None:
    for note in NOTES:
        await static_tenant.save(note)
    assert await found(static_tenant, query, strategy=strategy, fusion=fusion) == []
    everything = await found(static_tenant, query, strategy=strategy, fusion=fusion, min_relevance=0)
    assert len(everything) == (0 if strategy == "keyword" else len(NOTES))


async def test_a_context_has_nothing_that_is_not_relevant_to_the_message(static_tenant: Tenant) -> None:
    await static_tenant.save("The wifi network is called hunter2")
    context = await static_tenant.post("/v1/context", {"agent": "a", "message": "valve pressure?"})
    assert "hunter2" not in str(context)
    context = await static_tenant.post("/v1/context", {"agent": "a", "message": "What was the wifi network called?"})
    assert "hunter2" in str(context)


async def test_what_is_meant_is_found_without_a_word_in_common(static_tenant: Tenant) -> None:
    for note in ("She adopted a kitten from the shelter", "The invoice was paid twice"):
        await static_tenant.save(note)
    (result,) = (await static_tenant.post("/v1/memories/search", {"agent": "a", "query": "does anybody own cats"}))[
        "results"
    ]
    assert result["memory"]["content"].startswith("She adopted")
    assert result["keyword_rank"] is None
    assert result["relevance"] == pytest.approx(result["semantic_score"])


async def test_the_floor_is_in_the_answer_in_the_request_and_in_the_settings(static_tenant: Tenant) -> None:
    for note in NOTES:
        await static_tenant.save(note)
    asked = {"agent": "a", "query": "Maria likes what?"}
    (result,) = (await static_tenant.post("/v1/memories/search", asked))["results"]
    assert 0.9 < result["relevance"] <= 1
    for floor, results in ((0, len(NOTES)), (0.95, 1), (None, 1)):
        await static_tenant.put("/v1/settings", {"retrieval": {"min_relevance": floor}})
        assert len(await found(static_tenant, "Maria likes what?")) == results
    assert len(await found(static_tenant, "Maria likes what?", min_relevance=0)) == len(NOTES)
    for wrong in (-0.1, 1.1, "much"):
        answer = await static_tenant.call("POST", "/v1/memories/search", json=asked | {"min_relevance": wrong})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"] == ["body", "min_relevance"]


async def test_without_an_embedder_only_words_find(tenant: Tenant) -> None:
    for note in NOTES:
        await tenant.save(note)
    assert await found(tenant, "zxqvwk") == []
    assert await found(tenant, "tea") == ["Maria likes tea"]
