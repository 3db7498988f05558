"""Calls that opt out of memory, agents whose memory is off, and what expires before it is saved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant

HELLO = {"agent": "a", "messages": [{"role": "user", "content": "hello"}]}
SAVED = {"agent": "a", "type": "fact", "content": "The sea is deep"}
OMNIROUTE = "X-OmniRoute-No-Memory"
OWN = "X-Reverie-No-Memory"


async def appended(api: Tenant, headers: dict[str, str] | None = None) -> Any:
    return (await api.call("POST", "/v1/sessions/s/messages", json=HELLO, headers=headers or {})).json()


async def test_an_append_says_whether_it_was_kept(tenant: Tenant) -> None:
    assert (await appended(tenant))["kept"] is True
    await tenant.put("/v1/agents/a", {"settings": {"memory": {"enabled": False}}})
    off = await appended(tenant)
    assert (off["kept"], off["messages"]) == (False, [])
    context = await tenant.post("/v1/context", {"agent": "a", "message": "hello"})
    assert "memory.enabled" in context["degraded"]["reason"]
    assert context["degraded"]["fallback"] == "none"
    await tenant.put("/v1/agents/a", {"settings": {"memory": {"enabled": True}}})
    assert (await appended(tenant))["kept"] is True
    assert len((await tenant.get("/v1/sessions/s/messages", agent="a"))["items"]) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {OMNIROUTE: "1"}, {OMNIROUTE.lower(): "TRUE"}, {OWN: "yes"}, {OWN: "0", OMNIROUTE: "true"},
        {OWN: "1", OMNIROUTE: "false"}, {OWN: "", OMNIROUTE: "on"},
    ],
)  # fmt: skip
async def test_any_of_the_headers_opts_out(tenant: Tenant, headers: dict[str, str]) -> None:
    await tenant.save("The sea is deep", agent="a")
    assert (await appended(tenant, headers))["kept"] is False
    saved = await tenant.call("POST", "/v1/memories", json=SAVED | {"content": "New"}, headers=headers)
    assert (saved.status_code, saved.json()["memory"]) == (200, None)
    asked = {"agent": "a", "query": "sea"}
    found = await tenant.call("POST", "/v1/memories/search", json=asked, headers=headers)
    assert found.json()["results"] == []
    context = await tenant.call("POST", "/v1/context", json={"agent": "a", "message": "sea"}, headers=headers)
    assert "switched off" in context.json()["degraded"]["reason"]


async def test_a_header_that_says_neither_is_refused(tenant: Tenant) -> None:
    for value, status in (("0", 201), ("", 201), ("no", 201), ("maybe", 422), ("2", 422)):
        answer = await tenant.call(
            "POST", "/v1/memories", json=SAVED | {"content": f"Text {value}."}, headers={OMNIROUTE: value}
        )
        assert answer.status_code == status, value


@pytest.mark.parametrize("expires_at", ["2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2020-01-01T00:00:00+14:00"])
async def test_what_has_expired_is_not_saved(tenant: Tenant, expires_at: str) -> None:
    async def refused(method: str, path: str, body: Any) -> list[str | int]:
        answer = await tenant.call(method, path, json=body)
        assert answer.status_code == 422, answer.text
        loc: list[str | int] = answer.json()["errors"][0]["loc"]
        return loc

    gone = SAVED | {"expires_at": expires_at}
    assert await refused("POST", "/v1/memories", gone) == ["body", "expires_at"]
    await tenant.save("Here already", agent="a")
    assert await refused("POST", "/v1/memories", gone | {"content": "Here already"}) == ["body", "expires_at"]
    items = {"items": [SAVED | {"content": "Fine"}, gone]}
    assert await refused("POST", "/v1/memories/batch", items) == ["body", "items", 1, "expires_at"]
    memory = await tenant.save("To be changed", agent="a")
    path = f"/v1/memories/{memory['id']}"
    assert await refused("PATCH", path, {"version": 1, "expires_at": expires_at}) == ["body", "expires_at"]
    assert {one["content"] for one in (await tenant.get("/v1/memories"))["items"]} == {"Here already", "To be changed"}


async def test_what_is_backfilled_may_have_expired_since(tenant: Tenant) -> None:
    times = {"created_at": "2019-01-01T00:00:00Z", "expires_at": "2020-01-01T00:00:00Z"}
    assert await tenant.status("POST", "/v1/memories", json=SAVED | times) == 201
    assert (
        await tenant.status("POST", "/v1/memories", json=SAVED | times | {"expires_at": "2018-01-01T00:00:00Z"}) == 422
    )
