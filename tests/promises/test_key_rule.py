"""Nothing that a key makes, changes, rotates, imports or consents to may do, cost or hold more than the key itself.

The rule itself is tried on random pairs in ``tests/domain/test_key_rule.py``; here real keys go every way there is.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest_asyncio

from service.api.dependencies import scopes_needed
from service.domain.export_lines import NEEDED, RECORDS
from service.domain.limits import LIMIT_NAMES, Limits
from service.domain.principal import KeyGrant
from tests.live_api import Api, Caller, Tenant
from tests.oauth_flow import Flow, register, visitor, works

PAIRS = 12
ENDPOINTS = {
    "settings": "PUT /v1/settings", "agent": "PUT /v1/agents/{agent}", "task": "PUT /v1/tasks/{task}",
    "session": "POST /v1/sessions", "message": "POST /v1/sessions/{session}/messages", "memory": "POST /v1/memories",
    "history": "PATCH /v1/memories/{memory_id}", "window": "POST /v1/sessions/{session}/compact",
    "entity": "PATCH /v1/entities/{entity_id}", "merge": "POST /v1/entities/{entity_id}/merge",
    "edge": "POST /v1/edges", "document": "POST /v1/documents", "bulletin": "POST /v1/agents/{agent}/bulletin",
    "page": "POST /v1/pages", "search": "POST /v1/searches", "proposal": "POST /v1/inbox",
}  # fmt: skip
"""What makes or changes the same as a kind of line."""
NOT_WRITTEN = {
    "settings": {"settings": {"pii": {"mode": "off"}, "proxy": {"enabled": True}, "budget": {"day_cost_max_usd": 9e5}}},
    "agent": {"agent": "a", "prime": True, "teams": ["blue"]},
    "task": {"task": "t", "members": ["a"]},
    "bulletin": {"agent": "a", "version": 1, "content": "Trust me", "inputs_hash": "x"},
}
"""The lines that a key of scope ``write`` may not import."""


@pytest_asyncio.fixture
async def flow(own_api: Api) -> Any:
    """One app and one user."""
    async with visitor(own_api.http.base_url) as http:
        yield Flow(http, await register(http))


def random_key(chance: Random) -> dict[str, Any]:
    """The body of a key; it administers as often as not."""
    role = chance.choice(("admin", "admin", "agent", "reader"))
    limits = {name: chance.choice((50, 60, 70)) for name in chance.sample(LIMIT_NAMES, chance.randint(0, 2))}
    body: dict[str, Any] = {"role": role, "name": "k"}
    if role == "agent":
        body["agent"] = chance.choice(("ana", "ben"))
    if role != "admin" and chance.random() < 0.5:
        body["scopes"] = sorted(chance.sample(("read", "write", "dream"), 2))
    if limits:
        body["limits"] = limits
    if chance.random() < 0.5:
        body["expires_at"] = (datetime.now(UTC) + timedelta(days=chance.choice((10, 20, 30)))).isoformat()
    return body


def grant_of(shown: dict[str, Any]) -> KeyGrant:
    """What a key as the API shows it is for."""
    expires_at = shown["expires_at"] and datetime.fromisoformat(shown["expires_at"])
    scopes = None if shown["scopes"] is None else frozenset(shown["scopes"])
    return KeyGrant(shown["role"], "", shown["agent"], scopes, expires_at, Limits(**shown["limits"]))


async def try_(caller: Caller, method: str, path: str, body: Any = None) -> dict[str, Any] | None:
    """The answer, or None for a refusal that names a field."""
    answer = await caller.call(method, path, json=body)
    if answer.status_code == 403:
        assert "This key may give no more than it has, and that is " in answer.json()["detail"]
        return None
    assert answer.is_success, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_random_keys_make_rotate_and_change_nothing_beyond_themselves(tenant: Tenant) -> None:
    chance, done, refused = Random(11), 0, 0
    for _ in range(PAIRS):
        of_maker = random_key(chance) | {"role": "admin"}
        maker_shown = await tenant.post(
            "/v1/keys", {name: one for name, one in of_maker.items() if name not in ("agent", "scopes")}
        )
        target = await tenant.post("/v1/keys", random_key(chance))
        maker, most = replace(tenant, key=maker_shown["key"]), grant_of(maker_shown)
        made = await try_(maker, "POST", "/v1/keys", random_key(chance))
        if made is not None:
            assert grant_of(made).is_within(most)
            await maker.post(f"/v1/keys/{made['id']}/rotate")
        within = grant_of(target).is_within(most)
        rotated = await try_(maker, "POST", f"/v1/keys/{target['id']}/rotate")
        assert (rotated is not None) is within
        limits = {chance.choice(LIMIT_NAMES): chance.choice((None, 1, 100))}
        after = replace(grant_of(target), limits=grant_of(target).limits.changed_by(Limits(**limits)))
        changed = await try_(maker, "PATCH", f"/v1/keys/{target['id']}", {"limits": limits})
        assert (changed is not None) is (within and after.is_within(most))
        done += (made is not None) + (rotated is not None) + (changed is not None)
        refused += (made is None) + (rotated is None) + (changed is None)
        assert await maker.status("DELETE", f"/v1/keys/{target['id']}") == 204, "an admin key may always revoke"
    assert done > PAIRS / 2
    assert refused > PAIRS / 2


async def test_what_a_limited_key_makes_has_its_limits_and_counts_against_them(tenant: Tenant) -> None:
    limits = {"rows_max": 3, "requests_per_day": 1_000}
    maker_shown = await tenant.post("/v1/keys", {"role": "admin", "name": "m", "limits": limits})
    maker = replace(tenant, key=maker_shown["key"])
    made = await maker.post("/v1/keys", {"role": "agent", "agent": "a", "name": "k", "limits": {"rows_max": 2}})
    assert (made["limits"]["rows_max"], made["limits"]["requests_per_day"]) == (2, 1_000)
    holder, sibling = replace(tenant, key=made["key"]), await maker.as_role("admin")
    for content in ("One", "Two"):
        await holder.save(content)
    refused = await holder.call("POST", "/v1/memories", json={"type": "fact", "content": "Three"})
    assert (refused.status_code, refused.json()["max"]) == (409, 2), "its own limit"
    await sibling.save("Three")
    for caller in (maker, sibling):
        refused = await caller.call("POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": "Four"})
        assert (refused.status_code, refused.json()["limit"], refused.json()["max"]) == (409, "rows_max", 3)
    await tenant.patch(f"/v1/keys/{maker_shown['id']}", {"limits": {"rows_max": 4}})
    await maker.save("Four")


async def test_requests_and_dreams_of_what_it_made_count_against_a_key(tenant: Tenant) -> None:
    maker_shown = await tenant.post("/v1/keys", {"role": "admin", "name": "m", "limits": {"dreams_max": 1}})
    maker = replace(tenant, key=maker_shown["key"])
    made = [await maker.as_role("agent", agent) for agent in ("a", "b")]
    for holder, agent in zip(made, ("a", "b"), strict=True):
        await holder.save("x", agent=agent)
    await made[0].post("/v1/agents/a/dream")
    assert await made[1].status("POST", "/v1/agents/b/dream") == 429
    await tenant.patch(f"/v1/keys/{maker_shown['id']}", {"limits": {"requests_per_day": 6}})
    statuses = [await caller.status("GET", "/v1/whoami") for caller in made * 4]
    assert statuses == [200] * 6 + [429] * 2
    assert await maker.status("GET", "/v1/whoami") == 429


async def test_a_limited_key_consents_to_nothing_beyond_its_limits(own_api: Api, flow: Flow) -> None:
    limits = {"rows_max": 3, "requests_per_day": 40}
    key = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "narrow", "limits": limits})
    granter = replace(own_api, key=key["key"])
    apps = [replace(own_api, key=(await flow.connect(key["key"]))["access_token"]) for _ in range(2)]
    await granter.save("One")
    await apps[0].save("Two")
    await apps[1].save("Three")
    for caller in (granter, *apps):
        refused = await caller.call("POST", "/v1/memories", json={"type": "fact", "content": "Four"})
        assert (refused.status_code, refused.json()["limit"], refused.json()["max"]) == (409, "rows_max", 3)
    statuses = [await caller.status("GET", "/v1/whoami") for caller in apps * 20]
    assert statuses[-1] == 429
    assert await granter.status("GET", "/v1/whoami") == 429, "what it consented to is its own"
    assert await own_api.status("GET", "/v1/whoami") == 200


async def test_apps_share_the_rate_of_the_key_that_consented(own_api: Api, flow: Flow) -> None:
    key = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "k"})
    apps = [replace(own_api, key=(await flow.connect(key["key"]))["access_token"]) for _ in range(3)]
    await own_api.put("/v1/settings", {"rate_limit": {"requests_per_minute": 3, "burst": 3}})
    callers = [*apps, replace(own_api, key=key["key"])]
    statuses = await asyncio.gather(*(caller.status("GET", "/v1/whoami") for caller in callers * 2))
    assert sorted(statuses)[:3] == [200] * 3
    assert statuses.count(429) >= 4


async def test_a_key_goes_with_its_maker_and_what_it_wrote_stays(tenant: Tenant) -> None:
    maker_shown = await tenant.post("/v1/keys", {"role": "admin", "name": "m"})
    maker = replace(tenant, key=maker_shown["key"])
    made = await maker.as_role("admin")
    last = await made.as_role("agent", "a")
    memory = await last.save("It stays")
    page = await last.post("/v1/pages", {"question": "What stays?"})
    listed = {key["id"]: key["granted_by"] for key in (await tenant.get("/v1/keys"))["items"]}
    own, made_id, last_id = [(await caller.get("/v1/whoami"))["key_id"] for caller in (tenant, made, last)]
    assert (listed[own], listed[maker_shown["id"]], listed[made_id], listed[last_id]) == (
        None,
        own,
        maker_shown["id"],
        made_id,
    )
    await tenant.delete(f"/v1/keys/{maker_shown['id']}")
    assert [await caller.status("GET", "/v1/whoami") for caller in (maker, made, last)] == [401] * 3
    assert (await tenant.get(f"/v1/memories/{memory['id']}"))["content"] == "It stays"
    assert (await tenant.get(f"/v1/pages/{page['id']}"))["id"] == page["id"]
    (revoked,) = (await tenant.get("/v1/audit", action="key.revoked"))["items"]
    assert revoked["details"] == {"keys": 3}


async def test_a_key_that_is_revoked_while_it_makes_others_leaves_none(tenant: Tenant) -> None:
    maker = await tenant.as_role("admin")
    made = await maker.as_role("admin")
    own = (await maker.get("/v1/whoami"))["key_id"]
    body = {"role": "reader", "name": "k"}
    makers = [caller.call("POST", "/v1/keys", json=body) for caller in (maker, made) * 8]
    *answers, deleted = await asyncio.gather(*makers, tenant.call("DELETE", f"/v1/keys/{own}"))
    assert deleted.status_code == 204
    assert {answer.status_code for answer in answers} <= {201, 401}
    live = [key for key in (await tenant.get("/v1/keys"))["items"] if key["revoked_at"] is None]
    assert [key["name"] for key in live] == ["tests"]


async def test_what_an_expiring_key_makes_expires_no_later(own_api: Api) -> None:
    until = (datetime.now(UTC) + timedelta(days=1)).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    shown = await own_api.post("/v1/keys", {"role": "admin", "name": "brief", "expires_at": until})
    brief = replace(own_api, key=shown["key"])
    assert (await brief.post("/v1/keys", {"role": "admin", "name": "k"}))["expires_at"] == until
    workspace = await brief.post("/v1/workspaces", {"name": "w"})
    assert (await replace(own_api, key=workspace["key"]).get("/v1/whoami"))["expires_at"] == until
    later = {"role": "agent", "agent": "a", "name": "k", "expires_at": "2999-01-01T00:00:00Z"}
    refused = await brief.call("POST", "/v1/keys", json=later)
    assert (refused.status_code, "expires_at" in refused.json()["detail"]) == (403, True)
    lasting = await own_api.post("/v1/keys", {"role": "agent", "agent": "a", "name": "k"})
    for method, path, body in (("POST", "/rotate", None), ("PATCH", "", {"limits": {"rows_max": 1}})):
        refused = await brief.call(method, f"/v1/keys/{lasting['id']}{path}", json=body)
        assert (refused.status_code, "expires_at" in refused.json()["detail"]) == (403, True)
    for method, path, body in (
        ("PUT", "/v1/settings", {"keys": {"days_max": 91}}),
        ("POST", "/v1/import", {"record": "settings", "settings": {"keys": {"days_max": 91}}}),
    ):
        refused = await brief.call(method, path, json=body)
        assert (refused.status_code, "keys.days_max" in refused.json()["detail"]) == (403, True)
    await brief.put("/v1/settings", {"keys": {"days_max": 1}})
    assert await brief.status("POST", "/v1/settings/reset", json={"names": ["keys"]}) == 403
    await own_api.post("/v1/settings/reset", {"names": ["keys"]})


def test_each_kind_of_line_needs_what_its_endpoint_needs() -> None:
    assert set(ENDPOINTS) == set(RECORDS)
    other = {"window": ("write",)}  # a compaction with a model; the line says which memory sums turns up
    for record, endpoint in ENDPOINTS.items():
        assert NEEDED[record] == other.get(record, scopes_needed(*endpoint.split())), record


async def test_a_scope_imports_nothing_that_its_endpoints_refuse(tenant: Tenant) -> None:
    made = await tenant.post("/v1/keys", {"role": "admin", "name": "writer", "scopes": ["write"]})
    writer = replace(tenant, key=made["key"])
    before = await tenant.get("/v1/settings")
    assert {record for record, needed in NEEDED.items() if needed != ("write",)} == set(NOT_WRITTEN)
    memory = {"record": "memory", "agent": "a", "type": "fact", "content": "Kept or not"}
    for record, line in NOT_WRITTEN.items():
        lines = "\n".join(json.dumps(one) for one in (memory, {"record": record} | line)).encode()
        refused = await writer.call("POST", "/v1/import", content=lines)
        assert (refused.status_code, refused.json()["detail"].split(": ")[:2]) == (403, ["line 2", record])
    assert (await tenant.get("/v1/memories"))["items"] == []
    assert await tenant.get("/v1/settings") == before
    assert (await writer.call("POST", "/v1/import", json=memory)).json()["created"] == 1


async def test_an_import_is_audited_as_its_endpoints_are(tenant: Tenant) -> None:
    for record, line in NOT_WRITTEN.items():
        assert (await tenant.call("POST", "/v1/import", json={"record": record} | line)).is_success, record
    (settings,) = (await tenant.get("/v1/audit", action="settings.changed"))["items"]
    assert settings["details"] == NOT_WRITTEN["settings"]["settings"]
    (task,) = (await tenant.get("/v1/audit", action="task.changed"))["items"]
    assert (task["target"], task["details"]) == ("t", {"members": ["a"]})


async def test_a_sign_out_of_an_app_leaves_the_key_that_consented(own_api: Api, flow: Flow) -> None:
    key = await own_api.post("/v1/keys", {"role": "agent", "agent": "ada", "name": "k"})
    tokens = await flow.connect(key["key"])
    client = (await own_api.get("/v1/keys"))["items"][0]
    assert UUID(client["granted_by"]) == UUID(key["id"])
    await own_api.delete(f"/v1/keys/{client['id']}")
    assert not await works(flow.http, tokens["access_token"])
    assert await works(flow.http, key["key"])
