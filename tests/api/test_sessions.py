"""Sessions and messages over HTTP."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tests.live_api import Api, Caller, Tenant

pytestmark = pytest.mark.first_tier


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


def turn(content: object, role: str = "user") -> dict[str, object]:
    return {"role": role, "content": content}


async def test_a_hundred_parallel_appends_leave_no_gap(api: Caller) -> None:
    appends = [
        api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [turn(f"message {n}")]}) for n in range(100)
    ]
    await asyncio.gather(*appends)
    history = (await api.get("/v1/sessions/s/messages", agent="a", limit=200))["items"]
    assert [message["seq"] for message in history] == list(range(1, 101))
    assert {message["content"] for message in history} == {f"message {n}" for n in range(100)}


async def test_messages_keep_their_order_and_form(api: Caller) -> None:
    parts = [{"type": "text", "text": "hello"}]
    answer = await api.post(
        "/v1/sessions/s/messages",
        {"agent": "a", "user": "u1", "messages": [turn("hi"), turn(parts, "assistant"), turn({"ok": True}, "tool")]},
    )
    assert [message["content"] for message in answer["messages"]] == ["hi", parts, {"ok": True}]
    assert [message["seq"] for message in answer["messages"]] == [1, 2, 3]
    assert len(answer["window"]["messages"]) == 3


async def test_a_bad_role_is_422_and_nothing_is_stored(api: Caller) -> None:
    body = {"agent": "a", "messages": [turn("fine"), turn("x", "narrator")]}
    response = await api.call("POST", "/v1/sessions/s/messages", json=body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["loc"] == ["body", "messages", 1, "role"]
    assert await api.status("GET", "/v1/sessions/s", params={"agent": "a"}) == 404


async def test_the_history_is_paged_both_ways(api: Caller) -> None:
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [turn(str(n)) for n in range(5)]})
    page = await api.get("/v1/sessions/s/messages", agent="a", limit=3)
    rest = await api.get("/v1/sessions/s/messages", agent="a", limit=3, cursor=page["next_cursor"])
    assert [message["content"] for message in page["items"] + rest["items"]] == ["0", "1", "2", "3", "4"]
    newest = await api.get("/v1/sessions/s/messages", agent="a", limit=2, order="desc")
    assert [message["content"] for message in newest["items"]] == ["4", "3"]


async def test_an_idle_session_starts_a_fresh_window(own_api: Api) -> None:
    start = datetime.now(UTC)
    await own_api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [turn("before")]})
    own_api.runtime.now = lambda: start + timedelta(seconds=1801)
    assert (await own_api.get("/v1/sessions/s/window", agent="a"))["messages"] == []
    answer = await own_api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [turn("after")]})
    assert [message["content"] for message in answer["window"]["messages"]] == ["after"]
    assert len((await own_api.get("/v1/sessions/s/messages", agent="a"))["items"]) == 2


async def test_a_new_session_is_a_uuid_with_an_empty_window(api: Caller) -> None:
    one = await api.post("/v1/sessions", {"agent": "a"})
    other = await api.post("/v1/sessions", {"agent": "a"})
    assert UUID(one["session"]) != UUID(other["session"])
    assert (await api.get(f"/v1/sessions/{one['session']}/window", agent="a"))["messages"] == []


async def test_clearing_the_window_keeps_the_history(api: Caller) -> None:
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [turn("one")]})
    await api.delete("/v1/sessions/s/window", agent="a")
    assert (await api.get("/v1/sessions/s/window", agent="a"))["messages"] == []
    assert len((await api.get("/v1/sessions/s/messages", agent="a"))["items"]) == 1
