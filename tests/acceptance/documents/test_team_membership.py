"""An admin key saves into the teams that the agent it names is in, as the agent's own key does."""

from __future__ import annotations

from typing import Any

from tests.live_api import Tenant


async def refused(tenant: Tenant, method: str, path: str, body: Any) -> dict[str, Any]:
    """The problem that a request is refused with."""
    response = await tenant.call(method, path, json=body)
    assert response.status_code == 422
    problem: dict[str, Any] = response.json()
    return problem


async def test_a_team_the_agent_is_not_in_is_refused(tenant: Tenant) -> None:
    await tenant.call("PUT", "/v1/agents/b", json={"teams": ["crew"]})
    draft = {"agent": "a", "type": "fact", "content": "The gate is green", "scope": "team", "team": "crew"}
    single = await refused(tenant, "POST", "/v1/memories", draft)
    assert single["errors"][0]["loc"] == ["body", "team"]
    assert "not a member" in single["errors"][0]["msg"]
    batch = await refused(tenant, "POST", "/v1/memories/batch", {"items": [draft]})
    assert batch["errors"][0]["loc"][-1] == "team"
    saved = await tenant.save("The gate is green")
    await refused(tenant, "PATCH", f"/v1/memories/{saved['id']}", {"version": 1, "scope": "team", "team": "crew"})
    assert (await tenant.get("/v1/memories", agent="b"))["items"] == []


async def test_a_member_saves_and_the_others_find_it(tenant: Tenant) -> None:
    for agent in ("a", "b"):
        await tenant.call("PUT", f"/v1/agents/{agent}", json={"teams": ["crew"]})
    saved = await tenant.save("The gate is green", scope="team", team="crew")
    found = await tenant.post("/v1/memories/search", {"agent": "b", "query": "gate"})
    assert [one["memory"]["id"] for one in found["results"]] == [saved["id"]]
