"""A memory and the message that it came from take one place, in a search and in a context."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.worker.dreaming import contents, dream, say

SAID = "I prefer bullet points over paragraphs."


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def found(api: Tenant, query: str, **fields: Any) -> list[dict[str, Any]]:
    body = {"agent": "a", "query": query, "include": ["memories", "messages"], **fields}
    results: list[dict[str, Any]] = (await api.post("/v1/memories/search", body))["results"]
    return results


async def test_a_search_names_the_other_under_the_better(api: Tenant) -> None:
    message, other = (one["id"] for one in await say(api, SAID, "Bullet trains are fast.", user="Priya"))
    await dream(api)
    sources = (await api.get(f"/v1/messages/{message}/memories"))["items"]
    for query in (SAID, "bullet points"):
        results = await found(api, query)
        ids = [one["memory" if one["memory"] else "message"]["id"] for one in results]
        first, also = ids[0], [(one["kind"], one["id"]) for one in results[0]["also"]]
        assert {first, *(id_ for _, id_ in also)} == {message, *(one["id"] for one in sources)}
        assert {kind for kind, _ in also} == ({"memory"} if first == message else {"message"})
        assert len(ids) == len(set(ids))
        assert not {id_ for _, id_ in also} & set(ids)
        assert [one["rank"] for one in results] == list(range(1, len(results) + 1))
        assert other in ids


async def test_what_gives_way_takes_no_place_from_the_others(api: Tenant) -> None:
    told = [f"I prefer tea number {number} over coffee." for number in range(8)]
    await say(api, *told)
    await dream(api)
    assert len(await contents(api)) == 8
    results = await found(api, "Which tea do I prefer over coffee?", limit=8)
    numbers = {one["memory" if one["memory"] else "message"]["content"].split("number ")[1][0] for one in results}
    assert len(results) == 8
    assert numbers == {str(number) for number in range(8)}


async def test_the_newest_take_one_place_too(api: Tenant) -> None:
    told = [f"I prefer tea number {number} over coffee." for number in range(8)]
    await say(api, *told)
    await dream(api)
    assert len(await contents(api)) == 8
    for limit in (3, 8, 20):
        results = await found(api, "", strategy="recent", limit=limit)
        numbers = [one["memory" if one["memory"] else "message"]["content"].split("number ")[1][0] for one in results]
        assert numbers == [str(number) for number in range(8)][::-1][:limit]
    assert [[also["kind"] for also in one["also"]] for one in results] == [
        ["message" if one["memory"] else "memory"] for one in results
    ]
    assert len(await found(api, "", strategy="recent", include=["memories"])) == 8


async def test_of_memories_alone_nothing_gives_way(api: Tenant) -> None:
    await say(api, SAID)
    await dream(api)
    results = await found(api, "bullet points", include=["memories"])
    assert results
    assert all(one["also"] == [] for one in results)


async def test_a_context_shows_once_what_window_message_and_memory_say(api: Tenant) -> None:
    (message,) = await say(api, SAID, user="Priya")
    (event,) = await say(api, "Yesterday I visited Bergen with Ramesh.", user="Priya")
    await dream(api)
    assert len(await contents(api)) >= 2
    body = {"agent": "a", "session": "s", "message": "What about Bergen and bullet points?"}
    context = await api.post("/v1/context", body)
    items = {one["name"]: one["items"] for one in context["sections"]}
    assert items["window"] == [message["id"], event["id"]]
    assert items["memories"] == []
    of_turn = [one["text"] for one in context["sections"] if one["name"] not in ("bulletin", "preferences")]
    assert "".join(of_turn).count("Bergen with") == 1


async def test_a_message_gives_way_to_its_memory_that_stands_in_every_context(api: Tenant) -> None:
    await say(api, SAID, user="Priya")
    await dream(api)
    body = {"agent": "a", "session": "other", "user": "Priya", "message": "bullet points over paragraphs?"}
    context = await api.post("/v1/context", body)
    items = {one["name"]: one["items"] for one in context["sections"]}
    assert len(items["preferences"]) == 1
    assert items["memories"] == []


async def test_what_the_summary_of_a_window_says_word_for_word_is_not_repeated(api: Tenant) -> None:
    await say(api, "The venue is the old harbour hall.", *(f"Turn {n} is about something else." for n in range(5)))
    await api.post("/v1/sessions/s/compact?agent=a")
    body = {"agent": "a", "session": "s", "message": "Where is the venue, the harbour hall?"}
    text = str((await api.post("/v1/context", body))["messages"][:-1])
    assert text.count("old harbour hall") == 1
