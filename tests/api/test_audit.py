"""The audit log, and the rate of a key."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.live_api import Api, Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def actions(api: Api | Tenant, **filters: str) -> list[tuple[str, str | None]]:
    return [(line["action"], line["target"]) for line in (await api.get("/v1/audit", **filters))["items"]]


async def test_acts_are_recorded_newest_first(api: Tenant) -> None:
    made = await api.post("/v1/keys", {"role": "agent", "agent": "a", "name": "one"})
    await api.post(f"/v1/keys/{made['id']}/rotate")
    await api.put("/v1/settings", {"window": {"idle_s": 60}})
    await api.delete(f"/v1/keys/{made['id']}")
    lines = (await api.get("/v1/audit"))["items"]
    assert [line["action"] for line in lines] == ["key.revoked", "settings.changed", "key.rotated", "key.created"]
    assert lines[1]["details"] == {"window": {"idle_s": 60}}
    granted = lines[3]["details"]
    assert set(granted.pop("limits").values()) == {None}
    assert granted == {"role": "agent", "agent": "a", "user": None, "scopes": None, "expires_at": None}
    assert {line["actor"] for line in lines} == {lines[0]["actor"]}
    assert made["key"] not in str(lines)
    assert await actions(api, action="key.rotated") == [("key.rotated", made["id"])]


async def test_what_failed_leaves_no_line(api: Tenant) -> None:
    own = (await api.get("/v1/keys"))["items"][0]
    assert await api.status("DELETE", f"/v1/keys/{own['id']}") == 409
    assert await actions(api) == []


async def test_reads_of_what_is_not_ones_own_are_counted(api: Tenant) -> None:
    for agent in ("a", "b"):
        await api.put(f"/v1/agents/{agent}", {"teams": ["red"]})
    await api.save("Our harbour", agent="a", scope="team", team="red")
    own = await api.as_role("agent", "a")
    mate = await api.as_role("agent", "b")
    await api.get("/v1/audit")
    for reader in (api, api, own, mate):
        await reader.post("/v1/memories/search", {"agent": "a", "query": "harbour"})
    lines = [line for line in (await api.get("/v1/audit"))["items"] if line["action"].startswith("read.")]
    counts: Counter[tuple[str, str]] = Counter()
    for line in lines:  # two where they were written between the reads of one key
        counts[line["actor"][:5], line["target"]] += line["details"]["count"]
    assert counts == {("admin", "a"): 2, ("agent", "a"): 1}
    assert all("harbour" not in str(line).lower() for line in lines)


async def test_only_an_admin_reads_the_log(api: Tenant) -> None:
    for role, agent in (("agent", "a"), ("reader", None)):
        other = await api.as_role(role, agent)
        assert await other.status("GET", "/v1/audit") == 403


async def test_a_key_past_its_rate_is_told_when_to_come_back(own_api: Api) -> None:
    api = own_api
    other = await api.as_role("agent", "b")
    await api.put("/v1/settings", {"rate_limit": {"requests_per_minute": 6, "burst": 3}})
    answers = [await api.call("GET", "/v1/agents") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 10
    assert answers[-1].headers["content-type"] == "application/problem+json"
    assert await other.status("GET", "/v1/agents") == 200
    assert (await api.http.get("/healthz")).status_code == 200
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE rate_limits SET full_at = now() - interval '1 hour'")
    assert await api.status("PUT", "/v1/settings", json={"rate_limit": {"requests_per_minute": None}}) == 200
    assert {await api.status("GET", "/v1/agents") for _ in range(10)} == {200}


async def test_a_repeated_request_is_counted_once(api: Tenant) -> None:
    await api.put("/v1/settings", {"rate_limit": {"requests_per_minute": 1, "burst": 2}})
    for status in (201, 201, 429):
        answer = await api.call("POST", "/v1/sessions", json={"agent": "a"}, headers={"Idempotency-Key": "k"})
        assert answer.status_code == status
