"""A workspace's default strategy, and the default budget of 2,000 tokens of a retrieval, are settings."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant

LONG = "Apollo " + "launches in May with a crew of three from the northern pad, weather permitting, " * 6


async def test_the_defaults_are_hybrid_and_2000(tenant: Tenant) -> None:
    retrieval = (await tenant.get("/v1/settings"))["retrieval"]
    assert retrieval["strategy"] == "hybrid"
    assert retrieval["context_max_tokens"] == 2_000


async def test_the_strategy_of_the_workspace_holds_where_none_is_asked_for(static_tenant: Tenant) -> None:
    await static_tenant.save("Apollo launches in May")
    asked = {"agent": "a", "query": "Apollo"}
    assert (await static_tenant.post("/v1/memories/search", asked))["strategy"] == "hybrid"
    for strategy, tier, by_vector in (
        ("keyword", "exact", False),
        ("recent", "recent", False),
        ("semantic", "exact", True),
    ):
        await static_tenant.put("/v1/settings", {"retrieval": {"strategy": strategy}})
        answer = await static_tenant.post("/v1/memories/search", asked)
        assert (answer["strategy"], answer["tier"], answer["embedder"] is not None) == (strategy, tier, by_vector)
        assert (await static_tenant.post("/v1/memories/search", asked | {"strategy": "hybrid"}))["strategy"] == "hybrid"


async def test_a_search_has_the_budget_that_it_names_and_none_else(tenant: Tenant) -> None:
    for number in range(5):
        await tenant.save(f"{LONG} {number}")
    asked = {"agent": "a", "query": "Apollo"}
    whole = await tenant.post("/v1/memories/search", asked)
    assert len(whole["results"]) == 5
    await tenant.put("/v1/settings", {"retrieval": {"context_max_tokens": whole["tokens"] // 2}})
    assert len((await tenant.post("/v1/memories/search", asked))["results"]) == 5
    bounded = await tenant.post("/v1/memories/search", asked | {"max_tokens": whole["tokens"] // 2})
    assert len(bounded["results"]) == 2
    assert bounded["tokens"] <= whole["tokens"] // 2


async def test_a_context_keeps_to_the_budget_of_the_workspace(tenant: Tenant) -> None:
    for number in range(40):
        await tenant.save(f"{LONG} {number}")
    asked = {"agent": "a", "message": "When does Apollo launch?"}
    as_shipped = (await tenant.post("/v1/context", asked))["tokens"]
    assert 1_800 < as_shipped <= 2_000
    await tenant.put("/v1/settings", {"retrieval": {"context_max_tokens": 500}})
    assert 300 < (await tenant.post("/v1/context", asked))["tokens"] <= 500
    assert 900 < (await tenant.post("/v1/context", asked | {"max_tokens": 1_000}))["tokens"] <= 1_000
    answered = await tenant.post("/v1/ask", {"agent": "a", "question": "When does Apollo launch?"})
    assert 2 <= len(answered["memories"]) <= 500 // 70


@pytest.mark.parametrize(
    "wrong",
    [{"strategy": "best"}, {"context_max_tokens": -1}, {"context_max_tokens": None}, {"context_max_tokens": 10**9}],
)
async def test_wrong_values_are_refused(tenant: Tenant, wrong: dict[str, object]) -> None:
    assert await tenant.status("PUT", "/v1/settings", json={"retrieval": wrong}) == 422


async def test_an_agent_has_none_of_its_own(tenant: Tenant) -> None:
    await tenant.save("Apollo launches in May")
    body = {"settings": {"retrieval": {"strategy": "recent"}}}
    assert await tenant.status("PUT", "/v1/agents/a", json=body) == 422
