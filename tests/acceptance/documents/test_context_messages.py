"""Long-term "at once, in a background thread": what the window no longer shows is found before any dream; and which
past messages a context searches is a setting."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Caller, Tenant
from tests.worker.dreaming import dream, say

ASKED = "Where did I leave the spare key?"
SAID = "I left the spare key under the blue flower pot."


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def build(api: Caller, **fields: Any) -> dict[str, Any]:
    context: dict[str, Any] = await api.post("/v1/context", {"agent": "a", "session": "s", "message": ASKED} | fields)
    return context


def items(context: dict[str, Any], name: str) -> list[str]:
    return next(one["items"] for one in context["sections"] if one["name"] == name)


@pytest.mark.parametrize("bounds", [{}, {"window": {"messages_max": 4, "trim_to": 2}}])
@pytest.mark.parametrize("include", ["always", "undreamed"])
async def test_a_turn_that_the_window_has_no_room_for_is_found_at_once(
    api: Tenant, bounds: dict[str, Any], include: str
) -> None:
    await api.put("/v1/settings", bounds)
    (told,) = await say(api, SAID)
    await say(api, *(f"Turn {n} speaks at some length about the weather of the season." for n in range(12)))
    context = await build(api, max_tokens=200, include_messages=include)
    assert told["id"] not in items(context, "window")
    assert told["id"] in items(context, "memories")
    assert context["tokens"] <= 200


async def test_dreamed_messages_are_left_to_what_the_dream_made_of_them(api: Tenant) -> None:
    (told,) = await say(api, SAID, session="before")
    await dream(api)
    (since,) = await say(api, "The spare key is rusty.", session="before")

    async def found(**fields: Any) -> set[str]:
        return set(items(await build(api, user="u1", **fields), "memories")) & {told["id"], since["id"]}

    assert await found(include_messages="always") == {told["id"], since["id"]}
    assert await found(include_messages="undreamed") == {since["id"]}
    assert await found(include_messages="never") == set()
    assert await found() == await found(include_messages="always")
    await api.put("/v1/settings", {"context": {"include_messages": "never"}})
    assert await found() == set()
    assert await found(include_messages="always") == {told["id"], since["id"]}
    await api.put("/v1/agents/a", {"settings": {"context": {"include_messages": "undreamed"}}})
    assert await found() == {since["id"]}
    await dream(api)
    assert await found() == set()
    answer = await api.post("/v1/memories/search", {"agent": "a", "query": ASKED, "include": ["messages"]})
    assert len(answer["results"]) == 2


async def test_what_it_may_be_is_named(api: Tenant) -> None:
    body = {"agent": "a", "message": ASKED, "include_messages": "sometimes"}
    answer = await api.call("POST", "/v1/context", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"][-1] == "include_messages"


async def test_only_the_documents_named_are_searched(api: Tenant) -> None:
    first, second = [
        (await api.post("/v1/documents", {"agent": "a", "title": title, "text": "The spare key hangs in the shed."}))[
            "id"
        ]
        for title in ("House", "Garden")
    ]
    fact = await api.save("The spare key is small")

    async def titles(**fields: Any) -> set[str]:
        context = await build(api, **fields)
        assert items(context, "memories") == [fact["id"]]
        return {title for title in ("House", "Garden") if title in str(context["sections"])}

    assert await titles() == {"House", "Garden"}
    assert await titles(documents=[first]) == {"House"}
    assert await titles(documents=[second, "00000000-0000-7000-8000-000000000000"]) == {"Garden"}
    assert await titles(documents=[]) == set()


async def test_a_summary_takes_no_place_from_what_it_summarises(api: Tenant) -> None:
    await say(api, SAID, *(f"The spare room number {n} has a blue door and a key." for n in range(20)), session="t")
    await api.post("/v1/sessions/t/compact?agent=a")
    body = {"agent": "a", "query": ASKED, "include": ["memories", "messages"]}
    kinds = {one["kind"] for one in (await api.post("/v1/memories/search", body))["results"]}
    assert kinds == {"message"}
    (summary,) = await api.search(ASKED)
    assert summary["source"]["kind"] == "window"
    found = await api.search(ASKED, include=["memories", "messages"], types=["observation"])
    assert [one["id"] for one in found] == [summary["id"]]


async def test_a_summary_is_shortened_to_what_was_asked(api: Tenant) -> None:
    await say(api, SAID, *(f"Turn {n} is about the weather on day {n} of March." for n in range(40)), session="t")
    await api.post("/v1/sessions/t/compact?agent=a")
    (summary,) = await api.search(ASKED)
    context = await build(api, user="u1", max_tokens=400, include_messages="never")
    assert items(context, "memories") == [summary["id"]]
    (line,) = next(one["text"] for one in context["sections"] if one["name"] == "memories").splitlines()[1:-1]
    assert "under the blue flower pot" in line
    assert len(line) < len(summary["content"]) / 2
