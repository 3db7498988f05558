"""The type of what dreams conclude: nobody saves it, and filters know it."""

from __future__ import annotations

import pytest

from service.domain.types import SAVED_TYPES
from service.memory.prompts import Noted
from tests.live_api import Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def test_nobody_saves_an_insight(api: Tenant) -> None:
    answer = await api.call("POST", "/v1/memories", json={"agent": "a", "type": "insight", "content": "Sam often runs"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["body", "type"]
    assert "concluded by dreams" in answer.json()["errors"][0]["msg"]
    saved = await api.save("Sam ran by the river")
    patch = {"version": 1, "type": "insight"}
    assert await api.status("PATCH", f"/v1/memories/{saved['id']}", json=patch) == 422


async def test_filters_take_insights(api: Tenant) -> None:
    await api.save("Sam ran by the river")
    assert (await api.get("/v1/memories", agent="a", type="insight"))["items"] == []
    every = [*SAVED_TYPES, "insight"]
    found = await api.post("/v1/memories/search", {"agent": "a", "query": "river", "types": every})
    assert len(found["results"]) == 1


def test_a_model_extracts_no_insight() -> None:
    noted = Noted.model_validate({"type": "insight", "content": "Sam often runs", "evidence": [1]})
    assert noted.type == "observation"
