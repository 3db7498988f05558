"""Keys that expire, with scopes narrower than their role, a shown prefix, and their last use."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import KeyGrant
from service.memory.access.keys import add_key
from tests.live_api import Api, Caller, Tenant
from tests.tables import table

FUTURE = "2999-01-01T00:00:00Z"
FACT = {"agent": "a", "type": "fact", "content": "Ada drinks tea"}
QUERY = {"agent": "a", "query": "tea"}


@pytest.fixture
def shared(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def _made(api: Caller, **fields: Any) -> Any:
    return await api.post("/v1/keys", {"role": "admin", "name": "one"} | fields)


async def _expire(api: Api, key_id: str) -> None:
    """Let a key have expired, as time would."""
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE api_keys SET expires_at = now() WHERE id = $1", key_id)


async def test_an_expired_key_is_refused_also_where_it_was_seen_before(own_api: Api) -> None:
    made = await _made(own_api, expires_at=FUTURE)
    holder = replace(own_api, key=made["key"])
    for _ in range(2):
        assert await holder.status("POST", "/v1/memories/search", json=QUERY) == 200
        assert await holder.status("POST", "/v1/memories", json=FACT) in (200, 201)
        assert await holder.status("GET", "/v1/whoami") == 200
        assert await holder.status("GET", "/metrics") == 200
    await _expire(own_api, made["id"])
    for method, path, body in (
        ("POST", "/v1/memories/search", QUERY),
        ("POST", "/v1/memories", FACT | {"content": "Ada drinks rum"}),
        ("GET", "/v1/whoami", None),
        ("GET", "/metrics", None),
        ("POST", "/mcp", {}),
    ):
        answer = await holder.call(method, path, json=body)
        problem = answer.json()
        assert (answer.status_code, problem["title"]) == (401, "Key expired"), path
        assert problem["expired_at"] in problem["detail"].replace("+00:00", "Z")
        assert answer.headers["www-authenticate"].partition(" ")[0] == "Bearer"
    assert "rum" not in (await own_api.call("GET", "/v1/memories")).text


async def test_a_key_that_expires_opens_until_then_and_stays_listed(own_api: Api) -> None:
    made = await _made(own_api, expires_at=(own_api.runtime.now() + timedelta(hours=1)).isoformat())
    holder = replace(own_api, key=made["key"])
    assert (await holder.get("/v1/whoami"))["expires_at"] == made["expires_at"]
    await _expire(own_api, made["id"])
    assert await holder.status("GET", "/v1/whoami") == 401
    listed = {key["id"]: key for key in (await own_api.get("/v1/keys"))["items"]}
    assert listed[made["id"]]["revoked_at"] is None
    assert listed[made["id"]]["expires_at"] < made["expires_at"]


async def test_a_key_is_not_made_expired(shared: Tenant) -> None:
    with table() as row:
        for moment in ["2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1999-12-31T23:59:59-12:00"]:
            with row(moment):
                answer = await shared.call(
                    "POST", "/v1/keys", json={"role": "admin", "name": "one", "expires_at": moment}
                )
                assert answer.status_code == 422
                assert answer.json()["errors"][0]["loc"] == ["body", "expires_at"]


async def test_unknown_scopes_are_refused(shared: Tenant) -> None:
    with table() as row:
        for scopes in [[], ["Read"], ["admin"], ["read", "everything"], "read", [None], ["read"] * 5]:
            with row(scopes):
                answer = await shared.call("POST", "/v1/keys", json={"role": "reader", "name": "one", "scopes": scopes})
                assert answer.status_code == 422
                assert answer.json()["errors"][0]["loc"][:2] == ["body", "scopes"]


async def test_the_prefix_is_how_the_key_begins_and_no_more_of_it(shared: Tenant) -> None:
    first, second = await _made(shared), await _made(shared, name="two")
    assert first["key"].startswith(first["prefix"])
    assert first["prefix"] != second["prefix"]
    assert len(first["key"]) - len(first["prefix"]) >= 39
    listed = {key["id"]: key for key in (await shared.get("/v1/keys"))["items"]}
    assert listed[first["id"]]["prefix"] == first["prefix"]
    assert (await replace(shared, key=first["key"]).get("/v1/whoami"))["prefix"] == first["prefix"]


async def test_rotation_keeps_scopes_and_expiry(shared: Tenant) -> None:
    made = await _made(shared, scopes=["write", "read", "read"], expires_at=FUTURE)
    rotated = await shared.post(f"/v1/keys/{made['id']}/rotate")
    assert rotated["key"] != made["key"]
    assert rotated["key"].startswith(rotated["prefix"])
    assert (rotated["scopes"], rotated["expires_at"]) == (["read", "write"], FUTURE)
    holder = replace(shared, key=rotated["key"])
    assert await holder.status("GET", "/v1/keys") == 200
    assert await holder.status("POST", "/v1/keys", json={"role": "admin", "name": "more"}) == 403


async def test_last_use_is_known_to_the_minute(own_api: Api) -> None:
    made, unused = await _made(own_api), await _made(own_api, name="unused")
    holder = replace(own_api, key=made["key"])
    for _ in range(3):
        await holder.status("POST", "/v1/memories/search", json=QUERY)
    await holder.status("GET", "/v1/whoami")
    listed = {key["id"]: key for key in (await own_api.get("/v1/keys"))["items"]}
    minute = own_api.runtime.now().replace(second=0, microsecond=0)
    assert listed[made["id"]]["last_used_at"] in {
        at.isoformat().replace("+00:00", "Z") for at in (minute, minute - timedelta(minutes=1))
    }
    assert listed[unused["id"]]["last_used_at"] is None
    async with own_api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        requests = await connection.raw.fetchval("SELECT sum(requests) FROM key_usage WHERE key_id = $1", made["id"])
    assert requests == 4


async def test_the_last_admin_key_that_can_administer_stays(shared: Tenant) -> None:
    own = (await shared.get("/v1/whoami"))["key_id"]
    await _made(shared, scopes=["read"])
    assert await shared.status("DELETE", f"/v1/keys/{own}") == 409
    await _made(shared)
    assert await shared.status("DELETE", f"/v1/keys/{own}") == 409, "what it made would go with it"
    other_id, other = await shared.inside(
        lambda runtime: add_key(runtime, shared.workspace, KeyGrant("admin", "by hand"))
    )
    assert await shared.status("DELETE", f"/v1/keys/{own}") == 204
    assert await replace(shared, key=other).status("DELETE", f"/v1/keys/{other_id}") == 409


async def test_a_scope_gives_nothing_that_the_role_leaves_out(shared: Tenant) -> None:
    made = await shared.post("/v1/keys", {"role": "reader", "name": "r", "scopes": ["write", "export", "dream"]})
    holder = replace(shared, key=made["key"])
    assert await holder.status("POST", "/v1/memories", json=FACT) == 403
    assert await holder.status("POST", "/v1/agents/a/dream", json={}) == 403
    assert await holder.status("GET", "/v1/memories") == 403
    assert await holder.status("GET", "/v1/export") == 200


async def test_a_refusal_names_the_scope_on_the_fast_route_and_the_others(shared: Tenant) -> None:
    made = await _made(shared, scopes=["export"])
    holder = replace(shared, key=made["key"])
    for _ in range(2):
        for method, path, scope in (
            ("POST", "/v1/memories/search", "read"),
            ("POST", "/v1/memories", "write"),
            ("GET", "/v1/memories", "read"),
            ("POST", "/v1/agents/a/dream", "dream"),
        ):
            answer = await holder.call(
                method, path, json=QUERY if "search" in path else FACT if method == "POST" else None
            )
            assert (answer.status_code, repr(scope) in answer.json()["detail"]) == (403, True), answer.text
    assert await holder.status("PUT", "/v1/settings", json={}) == 403
    assert (await holder.get("/v1/whoami"))["scopes"] == ["export"]


async def test_requests_are_counted_by_day_and_key(own_api: Api) -> None:
    made, other = await _made(own_api), await _made(own_api, name="other")
    for key, times in ((made, 3), (other, 1)):
        for _ in range(times):
            await replace(own_api, key=key["key"]).status("POST", "/v1/memories/search", json=QUERY)
    by_key = (await own_api.get("/v1/usage", by="key"))["requests"]
    found = {item["key_id"]: item["requests"] for item in by_key}
    assert (found[made["id"]], found[other["id"]]) == (3, 1)
    own = (await own_api.get("/v1/whoami"))["key_id"]
    by_day = (await own_api.get("/v1/usage"))["requests"]
    assert sum(item["requests"] for item in by_day) == found[own] + 2 + 4
    assert (await own_api.get("/v1/usage", by="agent"))["requests"] == []
    assert (await own_api.get("/v1/usage", until="2020-01-01"))["requests"] == []
