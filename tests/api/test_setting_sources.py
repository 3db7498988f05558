"""Settings with their defaults, and the way back to these."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.domain.setting import definitions
from service.domain.workspace import WorkspaceSettings
from service.store.settings import settings_from
from tests.captured_logs import logged_by
from tests.live_api import Tenant


async def sources(tenant: Tenant) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in (await tenant.get("/v1/settings/sources"))["items"]}


async def test_what_was_chosen_is_told_from_what_was_not(tenant: Tenant) -> None:
    before = await sources(tenant)
    assert {item["source"] for item in before.values()} == {"default"}
    assert all(item["value"] == item["default"] for item in before.values())
    assert {name: item["advanced"] for name, item in before.items()} == {
        one.name: one.advanced for one in definitions(WorkspaceSettings)
    }
    await tenant.put(
        "/v1/settings", {"retrieval": {"rrf_k": 17}, "window": {"idle_s": 61}, "instructions": "Be brief."}
    )
    after = await sources(tenant)
    chosen = {name for name, item in after.items() if item["source"] == "workspace"}
    assert chosen == {"retrieval.rrf_k", "window.idle_s", "instructions"}
    assert after["retrieval.rrf_k"] | {"source": ""} == before["retrieval.rrf_k"] | {"value": 17, "source": ""}
    assert after.keys() == before.keys()


async def test_some_go_back_and_others_stay(tenant: Tenant) -> None:
    before = await sources(tenant)
    await tenant.put("/v1/settings", {"retrieval": {"rrf_k": 17, "faded_below": 0.2}, "window": {"idle_s": 61}})
    shown = await tenant.post("/v1/settings/reset", {"names": ["retrieval.rrf_k", "window", "pii.mode"]})
    assert shown["retrieval"]["faded_below"] == 0.2
    after = await sources(tenant)
    assert {name for name, item in after.items() if item["source"] == "workspace"} == {"retrieval.faded_below"}
    await tenant.post("/v1/settings/reset", {"names": ["retrieval"]})
    assert await sources(tenant) == before
    lines = (await tenant.get("/v1/audit", action="settings.changed"))["items"]
    assert lines[0]["details"] == {"reset": ["retrieval"]}


@pytest.mark.parametrize("names", [[], ["retrieval.none"], ["Retrieval"], [""], ["pii", "x" * 201], ["embedding"]])
async def test_a_name_that_is_none_resets_nothing(tenant: Tenant, names: list[str]) -> None:
    await tenant.put("/v1/settings", {"window": {"idle_s": 61}})
    answer = await tenant.call("POST", "/v1/settings/reset", json={"names": ["window", *names] if names else []})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"][:2] == ["body", "names"]
    assert (await sources(tenant))["window.idle_s"]["value"] == 61


async def test_a_type_in_use_is_not_taken_away(tenant: Tenant) -> None:
    await tenant.put("/v1/settings", {"memory_types": {"recipe": {"description": "How to cook", "like": "fact"}}})
    await tenant.save("Boil it", type="recipe")
    assert await tenant.status("POST", "/v1/settings/reset", json={"names": ["memory_types"]}) in (409, 422)
    assert (await sources(tenant))["memory_types"]["source"] == "workspace"


async def test_only_admins_reset(tenant: Tenant) -> None:
    await tenant.save("Something")
    for role, agent in (("agent", "a"), ("reader", None)):
        other = await tenant.as_role(role, agent)
        assert await other.status("GET", "/v1/settings/sources") == 200
        assert await other.status("POST", "/v1/settings/reset", json={"names": ["window"]}) == 403


async def test_settings_of_a_former_release_are_left_out_with_a_notice(tenant: Tenant) -> None:
    former = {"retrieval": {"k1": 2.0, "faded_below": 0.2}}
    given = [
        {"record": "settings", "settings": former},
        {"record": "agent", "agent": "a", "settings": {"retrieval": {"session_boost": 0.3, "rrf_k": 17}}},
        {"record": "settings", "settings": {"documents": {"chunk_tokens": 100}, "proxy": {"agent": "b"}}},
    ]
    answer = await tenant.post("/v1/import", content="\n".join(map(json.dumps, given)))
    lines = ((1, "retrieval.k1"), (2, "retrieval.session_boost"), (3, "documents"), (3, "proxy.agent"))
    assert answer["notices"] == [f"line {number}: {name} is no longer a setting" for number, name in lines]
    assert (await tenant.get("/v1/settings"))["retrieval"]["faded_below"] == 0.2
    assert (await tenant.get("/v1/agents/a"))["settings"] == {"retrieval": {"rrf_k": 17}}
    for table, column in (("settings", "value"), ("agents", "settings")):
        change = f"UPDATE {table} SET {column} = $2::jsonb WHERE workspace_id = $1"  # noqa: S608 (tables of ours)
        await tenant.rows(change, tenant.workspace, json.dumps(former))
    await tenant.save("Tea is green", agent="a")
    assert (await tenant.get("/v1/settings"))["retrieval"]["faded_below"] == 0.2
    [line] = logged_by(settings_from, former)
    assert (line["event"], line["settings"]) == ("former_settings_left_out", ["retrieval.k1"])


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/settings", {"retrieval": {"k1": 2.0}}, "retrieval.k1 is no longer a setting"),
        ("/v1/settings", {"documents": {"chunk_tokens": 100}}, "documents is no longer a setting"),
        ("/v1/settings", {"embedding": {"cache_size": 1}}, "embedding.cache_size is no longer a setting"),
        ("/v1/agents/a", {"settings": {"retrieval": {"k1": 2.0}}}, "retrieval.k1 is no longer a setting"),
        ("/v1/settings", {"retrieval": {"k9": 2.0}}, "is not known here"),
    ],
)
async def test_a_change_of_a_former_setting_is_refused_by_name(
    tenant: Tenant, path: str, body: dict[str, Any], said: str
) -> None:
    await tenant.save("Tea is green", agent="a")
    refused = await tenant.call("PUT", path, json=body)
    assert (refused.status_code, refused.json()["errors"][0]["msg"]) == (422, said)


async def test_a_former_setting_is_not_reset(tenant: Tenant) -> None:
    refused = await tenant.call("POST", "/v1/settings/reset", json={"names": ["proxy.agent"]})
    assert (refused.status_code, refused.json()["errors"][0]["msg"]) == (422, "proxy.agent is no longer a setting")
