"""Names are the caller's: whatever one may be made with, it is found by, also in a path."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.live_api import Caller, Tenant

NAMES = [
    "a/b",
    "/",
    "a/messages",
    "../a",
    "s/window/",
    "100%",
    "%2F",
    "?x=1#y",
    "a b",
    "müller/日本",
    "a\\b",
    "a:b",
    "*",
]


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_works_everywhere(api: Caller, name: str) -> None:
    there = quote(name, safe="")
    body = {"agent": name, "user": name, "messages": [{"role": "user", "content": "hello"}]}
    await api.post(f"/v1/sessions/{there}/messages", body)
    assert (await api.get(f"/v1/sessions/{there}", agent=name))["session"] == name
    assert len((await api.get(f"/v1/sessions/{there}/messages", agent=name))["items"]) == 1
    assert len((await api.get(f"/v1/sessions/{there}/window", agent=name))["messages"]) == 1
    assert (await api.get(f"/v1/agents/{there}"))["agent"] == name
    link = {"relation": "about", "entity": {"name": name, "kind": "thing"}}
    await api.save("A thing", agent=name, links=[link], session=name, task=name)
    assert (await api.get(f"/v1/entities/{there}/graph", agent=name))["entity"]["name"] == name
    assert (await api.get(f"/v1/users/{there}/export"))["user"] == name
    own = await api.as_role("agent", name)
    assert await own.search("thing", agent=name)
    receipt = (await api.post(f"/v1/users/{there}/purge"))["receipt"]
    assert (receipt["counts"]["messages"], receipt["why"]) == (1, {"owner": 1})
    assert (await api.get("/v1/sessions"))["items"] == []


async def test_a_slash_in_a_name_is_none_between_segments(api: Caller) -> None:
    hello = {"agent": "a", "messages": [{"role": "user", "content": "hello"}]}
    await api.post("/v1/sessions/s%2Fmessages/messages", hello)
    assert await api.status("GET", "/v1/sessions/s/messages?agent=a") == 404
    assert await api.status("GET", "/v1/sessions/s%2fmessages?agent=a") == 200
    assert await api.status("GET", "/v1%2Fsessions") == 404
    assert await api.status("GET", "/v1/sessions/s%2Fmessages/?agent=a") in (200, 307, 404)
    keyed = {"Idempotency-Key": "k"}
    for path in ("/v1/sessions/s%2Ft/messages", "/v1/sessions/s%2Ft/messages"):
        assert await api.status("POST", path, json=hello, headers=keyed) == 201
    assert len((await api.get("/v1/sessions/s%2Ft/messages", agent="a"))["items"]) == 1
