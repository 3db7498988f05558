"""Messages searched beside memories, and offered in the context of other conversations of the same person."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Api, Caller, Tenant


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def say(api: Caller, session: str, *texts: Any, **fields: Any) -> list[dict[str, Any]]:
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    answer = await api.post(f"/v1/sessions/{session}/messages", {"agent": "a", "messages": turns} | fields)
    stored: list[dict[str, Any]] = answer["messages"]
    return stored


async def find(api: Caller, query: str, **fields: Any) -> list[dict[str, Any]]:
    body = {"agent": "a", "query": query, "include": ["messages"]} | fields
    found: list[dict[str, Any]] = (await api.post("/v1/memories/search", body))["results"]
    return found


async def test_messages_are_found_when_asked_for(static_api: Caller) -> None:
    stored = await say(static_api, "s", "My bicycle is stored in the shed", "Noted.", user="u1")
    await static_api.save("The bicycle is red")
    both = await find(static_api, "Where is the bicycle?", include=["memories", "messages"])
    assert {result["kind"] for result in both} == {"memory", "message"}
    found = next(result["message"] for result in both if result["kind"] == "message")
    assert (found["id"], found["session"], found["role"], found["user"]) == (stored[0]["id"], "s", "user", "u1")
    assert found["content"] == "My bicycle is stored in the shed"
    assert [m["content"] for m in await static_api.search("Where is the bicycle?")] == ["The bicycle is red"]


async def test_the_words_of_parts_are_found_and_system_turns_are_not(api: Caller) -> None:
    parts = [
        {"type": "text", "text": "A photo of my zebra"},
        {"type": "image_url", "image_url": {"url": "https://x/giraffe"}},
    ]
    await say(api, "s", parts)
    rules = {"agent": "a", "messages": [{"role": "system", "content": "Never mention the zebra"}]}
    await api.post("/v1/sessions/s/messages", rules)
    (found,) = await find(api, "zebra")
    assert found["message"]["content"] == parts
    assert await find(api, "giraffe") == []


async def test_filters_hold_for_messages(api: Caller) -> None:
    await say(api, "s1", "tea in the morning", user="u1")
    await say(api, "s2", "tea in the evening", user="u2")
    assert len(await find(api, "tea")) == 2
    assert [r["message"]["session"] for r in await find(api, "tea", user="u2")] == ["s2"]
    assert [r["message"]["session"] for r in await find(api, "tea", session="s1")] == ["s1"]
    other = await api.as_role("agent", "b")
    assert await find(other, "tea", agent=None) == []


async def test_a_budget_counts_messages_too(api: Caller) -> None:
    await say(api, "s", "tea " * 100, "tea for two")
    answer = await api.post(
        "/v1/memories/search", {"agent": "a", "query": "tea", "include": ["messages"], "max_tokens": 20}
    )
    assert [result["message"]["seq"] for result in answer["results"]] == [2]
    assert answer["tokens"] <= 20


async def test_what_was_said_elsewhere_is_offered_to_the_same_person_only(api: Caller) -> None:
    await say(api, "s1", "My boat is called Undine", user="u1")
    await say(api, "s2", "My boat is called Nixe", user="u2")

    async def block(**fields: Any) -> str:
        answer = await api.post("/v1/context", {"agent": "a", "message": "What is my boat called?"} | fields)
        return str(answer["messages"][:-1])

    mine = await block(user="u1", session="s3")
    assert "Undine" in mine
    assert "Nixe" not in mine
    assert "Nixe" in await block(session="s2", user="u2", sections={"window": 0.2})
    assert "Nixe" not in await block(session="s2", user="u2", sections={"window": 0})
    assert await block() == "[]"


async def test_messages_without_words_and_very_long_ones_are_kept(static_api: Caller) -> None:
    long = "lorem " * 30_000
    stored = await say(static_api, "s", "", [{"type": "image_url", "image_url": {"url": "u"}}], long, {"a": 1})
    assert [one["seq"] for one in stored] == [1, 2, 3, 4]
    assert len(await find(static_api, "lorem")) == 1


async def test_imported_messages_are_found_too(own_api: Api) -> None:
    await say(own_api, "s", "The zebra is called Marty")
    exported = await own_api.call("GET", "/v1/export")
    async with own_api.runtime.db.unscoped() as connection:
        await connection.raw.execute("TRUNCATE search_index, search_terms, messages CASCADE")
    assert await find(own_api, "zebra") == []
    imported = await own_api.call("POST", "/v1/import", content=exported.content)
    assert imported.status_code == 200, imported.text
    assert len(await find(own_api, "zebra")) == 1


async def test_memories_that_repeat_what_was_said_make_its_words_no_less_rare(api: Caller) -> None:
    fillers = [f"The kettle in kitchen {n} is old" for n in range(40)]
    (said, *_) = await say(api, "s", "We saw a heron at the lake", *fillers)
    alone = (await find(api, "heron"))[0]
    assert alone["message"]["id"] == said["id"]
    notes = [{"agent": "a", "type": "fact", "content": f"A heron was seen, note {n}"} for n in range(30)]
    await api.post("/v1/memories/batch", {"items": notes})
    both = await find(api, "heron", include=["memories", "messages"], limit=50)
    beside = next(one for one in both if one["kind"] == "message" and one["message"]["id"] == said["id"])
    assert sum(one["kind"] == "memory" for one in both) == 30
    assert beside["keyword_score"] == alone["keyword_score"]
