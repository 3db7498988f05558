"""Observations are "low-importance by default"; what is said explicitly wins."""

from __future__ import annotations

import pytest

from tests.live_api import Tenant

OTHERS = ("fact", "preference", "decision", "identity", "event", "goal", "todo")


async def test_observations_are_of_low_importance_by_default(tenant: Tenant) -> None:
    seen = await tenant.save("Deploys after four in the afternoon are rolled back more often", type="observation")
    assert seen["importance"] == 0.3
    for type_ in OTHERS:
        assert (await tenant.save(f"This is one {type_}", type=type_))["importance"] == 0.5


@pytest.mark.parametrize("importance", [0.0, 0.5, 1.0])
async def test_an_explicit_importance_wins(tenant: Tenant, importance: float) -> None:
    for type_ in ("observation", "fact"):
        saved = await tenant.save(f"A squeaking gate, {type_}", type=type_, importance=importance)
        assert saved["importance"] == importance
        assert (await tenant.get(f"/v1/memories/{saved['id']}"))["importance"] == importance


async def test_a_batch_gives_each_its_own(tenant: Tenant) -> None:
    drafts = [
        {"agent": "a", "type": "observation", "content": "The gate squeaks"},
        {"agent": "a", "type": "fact", "content": "The gate is green"},
    ]
    answer = await tenant.post("/v1/memories/batch", {"items": drafts})
    assert [one["memory"]["importance"] for one in answer["items"]] == [0.3, 0.5]


async def test_the_field_says_so(tenant: Tenant) -> None:
    fields = (await tenant.get("/openapi.json"))["components"]["schemas"]["MemoryDraft"]["properties"]
    assert "0.3" in fields["importance"]["description"]
    assert "observation" in fields["importance"]["description"]


async def test_an_import_without_one_is_as_it_was(tenant: Tenant) -> None:
    line = b'{"type": "observation", "content": "The gate squeaks", "agent": "a"}\n'
    await tenant.call("POST", "/v1/import", content=line, headers={"Content-Type": "application/x-ndjson"})
    page = await tenant.get("/v1/memories", agent="a")
    assert [memory["importance"] for memory in page["items"]] == [0.5]


async def test_null_is_the_usual_and_a_bad_type_is_the_only_complaint(tenant: Tenant) -> None:
    assert (await tenant.save("The gate squeaks", type="observation", importance=None))["importance"] == 0.3
    draft = {"agent": "a", "type": "bogus", "content": "The gate squeaks"}
    refused = await tenant.call("POST", "/v1/memories", json=draft)
    assert [error["loc"] for error in refused.json()["errors"]] == [["body", "type"]]
