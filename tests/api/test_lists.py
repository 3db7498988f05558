"""Lists of memories, sessions and messages: orders, totals, parts of texts, and one action on many."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest

from tests.live_api import Tenant
from tests.waiting import until

SORTS = ("newest", "oldest", "happened", "recalled", "importance")


async def some(tenant: Tenant) -> None:
    """Seven memories, of which each order makes another list; two are alike in everything but their ids."""
    await tenant.save(
        "Ines sails", importance=0.3, occurred_at="2020-05-01T00:00:00Z", created_at="2024-01-01T00:00:00Z"
    )
    await tenant.save("Ines rows", importance=0.9, created_at="2024-01-02T00:00:00Z")
    await tenant.save(
        "Ines swims", importance=0.3, occurred_at="2031-01-01T00:00:00Z", created_at="2024-01-03T00:00:00Z"
    )
    for one in ("dives", "surfs"):
        await tenant.save(f"Ines {one}", importance=0.1, created_at="2024-01-04T00:00:00Z")
    await tenant.save("Ines ⛵️ kites", importance=1 / 3, created_at="2024-01-05T00:00:00Z")
    await tenant.save("Bo sleeps", importance=0, agent="b", created_at="2024-01-06T00:00:00Z")
    await tenant.search("rows", limit=1, strategy="keyword")

    async def recalled() -> Any:
        return (await tenant.get("/v1/memories", q="rows"))["items"][0]["last_accessed_at"]

    await until(recalled, "the search is not counted")


async def listed(tenant: Tenant, **query: Any) -> list[dict[str, Any]]:
    """All pages of two."""
    found: list[dict[str, Any]] = []
    cursor = None
    while cursor is not None or not found:
        page = await tenant.get("/v1/memories", limit=2, **query, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        cursor = page["next_cursor"]
    return found


def key_of(memory: dict[str, Any], sort: str) -> Any:
    match sort:
        case "importance":
            return memory["importance"]
        case "happened":
            return memory["occurred_at"] or memory["created_at"]
        case "recalled":
            return memory["last_accessed_at"] or ""
        case _:
            return memory["created_at"]


@pytest.mark.parametrize("sort", SORTS)
async def test_every_order_pages_through_all(tenant: Tenant, sort: str) -> None:
    await some(tenant)
    whole = await tenant.get("/v1/memories", sort=sort, total=True)
    found = await listed(tenant, sort=sort)
    assert [one["id"] for one in found] == [one["id"] for one in whole["items"]]
    assert whole["total"] == len(found) == 7
    keys = [key_of(one, sort) for one in found]
    assert keys == sorted(keys, reverse=sort != "oldest")
    assert (await tenant.get("/v1/memories", total=True, agent="a", limit=1))["total"] == 6
    assert (await tenant.get("/v1/memories", total=True, agent="nobody"))["total"] == 0
    assert (await tenant.get("/v1/memories"))["total"] is None


async def test_filters_and_totals_agree(tenant: Tenant) -> None:
    await some(tenant)
    for query in ({"min_importance": 0.3}, {"q": "ines"}, {"q": "⛵️"}, {"since": "2031-01-01T00:00:00Z"}):
        page = await tenant.get("/v1/memories", total=True, limit=1, **query)
        assert page["total"] == len(await listed(tenant, **query)) > 0
    assert await tenant.status("GET", "/v1/memories", params={"min_importance": 2}) == 422


async def test_a_cursor_belongs_to_its_order(tenant: Tenant) -> None:
    await some(tenant)
    by_importance = (await tenant.get("/v1/memories", sort="importance", limit=1))["next_cursor"]
    newest = (await tenant.get("/v1/memories", limit=1))["next_cursor"]
    assert await tenant.status("GET", "/v1/memories", params={"cursor": by_importance}) == 422
    assert await tenant.status("GET", "/v1/memories", params={"cursor": newest, "sort": "importance"}) == 422
    assert await tenant.status("GET", "/v1/memories", params={"sort": "loudest"}) == 422


async def bulk(tenant: Tenant, ids: list[str], action: str, **more: Any) -> list[str]:
    """What became of each."""
    answer = await tenant.post("/v1/memories/bulk", {"ids": ids, "action": action} | more)
    return [item["outcome"] for item in answer["items"]]


async def test_one_action_on_many(tenant: Tenant) -> None:
    mine = [(await tenant.save(f"Number {n}", tags=["old"]))["id"] for n in range(3)]
    theirs = (await tenant.save("Of another", agent="b"))["id"]
    ids = [*mine, theirs, str(uuid4()), mine[0]]
    agent = await tenant.as_role("agent", "a")
    assert await bulk(agent, ids, "add_tags", tags=["new", "old"]) == ["done"] * 3 + ["not_found"] * 2
    assert {tuple(one["tags"]) for one in await listed(agent, tag="new")} == {("old", "new")}
    assert await bulk(agent, mine, "add_tags", tags=["new"]) == ["unchanged"] * 3
    assert len(await agent.search("Number", tags=["new"], min_relevance=0)) == 3
    assert await bulk(agent, mine[:1], "remove_tags", tags=["old", "new"]) == ["done"]
    assert await bulk(agent, mine[:2], "pin") == ["done", "done"]
    assert await bulk(agent, mine, "unpin") == ["done", "done", "unchanged"]
    assert await bulk(tenant, [*mine, theirs], "delete") == ["done"] * 4
    assert await bulk(tenant, mine, "delete") == ["unchanged"] * 3
    assert await bulk(tenant, mine, "pin") == ["not_found"] * 3
    history = await tenant.get(f"/v1/memories/{mine[0]}/history")
    assert [one["reason"] for one in history["items"]][1:] == ["add_tags", "remove_tags", "pin", "unpin", "deleted"]


async def test_what_is_shared_is_not_changed_by_others(tenant: Tenant) -> None:
    for agent in ("a", "b"):
        await tenant.put(f"/v1/agents/{agent}", {"teams": ["t"]})
    shared = (await tenant.save("Of the team", agent="b", scope="team", team="t"))["id"]
    agent, reader = await tenant.as_role("agent", "a"), await tenant.as_role("reader")
    assert await bulk(agent, [shared], "delete") == ["forbidden"]
    assert await reader.status("POST", "/v1/memories/bulk", json={"ids": [shared], "action": "delete"}) == 403
    full = (await tenant.save("Many tags", tags=[f"t{n}" for n in range(50)]))["id"]
    assert await bulk(tenant, [full], "add_tags", tags=["t50"]) == ["too_many_tags"]


@pytest.mark.parametrize(
    "body",
    [
        {"ids": [], "action": "delete"}, {"ids": [str(uuid4())] * 501, "action": "delete"},
        {"ids": [str(uuid4())], "action": "burn"}, {"ids": [str(uuid4())], "action": "add_tags"},
        {"ids": [str(uuid4())], "action": "pin", "tags": ["t"]}, {"ids": ["x"], "action": "pin"},
    ],
)  # fmt: skip
async def test_an_action_that_is_none_is_invalid(tenant: Tenant, body: dict[str, Any]) -> None:
    assert await tenant.status("POST", "/v1/memories/bulk", json=body) == 422


async def talk(tenant: Tenant, session: str, *contents: str, user: str = "u1") -> list[str]:
    """Ids of the messages."""
    messages = [{"role": "user", "content": content} for content in contents]
    body = {"agent": "a", "user": user, "messages": messages}
    return [one["id"] for one in (await tenant.post(f"/v1/sessions/{session}/messages", body))["messages"]]


async def test_sessions_are_found_by_user_and_text(tenant: Tenant) -> None:
    await talk(tenant, "harbour-1", "Nothing much")
    await talk(tenant, "other", "We met at the HARBOUR café 100%", user="u2")
    await talk(tenant, "third", "Nothing else")

    async def found(**query: str) -> list[str]:
        return [one["session"] for one in (await tenant.get("/v1/sessions", agent="a", **query))["items"]]

    assert await found(q="harbour") == ["other", "harbour-1"]
    assert await found(q="harbour", user="u1") == ["harbour-1"]
    assert await found(q="100%") == ["other"]
    assert await found(q="_") == []


async def test_a_page_begins_around_a_message(tenant: Tenant) -> None:
    ids = await talk(tenant, "long", *(f"Message {n}" for n in range(1, 301)))
    path = "/v1/sessions/long/messages"
    page = await tenant.get(path, agent="a", around=ids[249], limit=20)
    assert [one["seq"] for one in page["items"]] == list(range(240, 260))
    after = await tenant.get(path, agent="a", cursor=page["next_cursor"], limit=200)
    assert [one["seq"] for one in after["items"]] == list(range(260, 301))
    before = await tenant.get(path, agent="a", cursor=page["previous_cursor"], order="desc", limit=3)
    assert [one["seq"] for one in before["items"]] == [239, 238, 237]
    first = await tenant.get(path, agent="a", around=ids[0], limit=5)
    assert ([one["seq"] for one in first["items"]], first["previous_cursor"]) == ([1, 2, 3, 4, 5], None)
    some = await tenant.get(path, agent="a", q="message 29")
    assert [one["seq"] for one in some["items"]] == [29, *range(290, 300)]
    for wrong in ({"order": "desc"}, {"cursor": page["next_cursor"]}):
        assert await tenant.status("GET", path, params={"agent": "a", "around": ids[0]} | wrong) == 422
    other = (await talk(tenant, "other", "Hi"))[0]
    assert await tenant.status("GET", path, params={"agent": "a", "around": other}) == 404


async def test_agents_are_found_by_a_part_of_their_name(tenant: Tenant) -> None:
    names = {"Prime", "prim_a", "sub-PRIME", "50% off", "Ünal", "prix"}
    for name in names:
        await tenant.put(f"/v1/agents/{quote(name, safe='')}", {})

    async def found(q: str, **params: Any) -> set[str]:
        return {one["agent"] for one in (await tenant.get("/v1/agents", q=q, **params))["items"]}

    assert await found("prime") == {"Prime", "sub-PRIME"}
    assert [await found(part) for part in ("%", "_", "ÜNAL", "zz")] == [{"50% off"}, {"prim_a"}, {"Ünal"}, set()]
    assert await found("") == names
    first = await tenant.get("/v1/agents", q="PRI", limit=3)
    rest = await tenant.get("/v1/agents", q="PRI", limit=3, cursor=first["next_cursor"])
    assert {one["agent"] for one in first["items"] + rest["items"]} == {"Prime", "prim_a", "sub-PRIME", "prix"}
    assert (len(first["items"]), rest["next_cursor"]) == (3, None)
    own = await tenant.as_role("agent", agent="Prime")
    assert [one["agent"] for one in (await own.get("/v1/agents", q="pri"))["items"]] == ["Prime"]
    assert await tenant.status("GET", "/v1/agents", params={"q": "x" * 201}) == 422


async def past(tenant: Tenant, as_of: str, **query: Any) -> list[str]:
    """What all pages of a list of the past say, and that its total is theirs."""
    answer = await tenant.get("/v1/memories", as_of=as_of, total=True, limit=1, **query)
    found = answer["items"]
    while answer["next_cursor"] is not None:
        answer = await tenant.get(
            "/v1/memories", as_of=as_of, limit=1, cursor=answer["next_cursor"], total=True, **query
        )
        found = [*found, *answer["items"]]
    assert answer["total"] == len(found)
    return [one["content"] for one in found]


async def test_a_list_of_the_past_has_what_held_then_as_it_was(tenant: Tenant) -> None:
    old = {"created_at": "2024-01-01T00:00:00Z", "agent": "a"}
    tea = await tenant.save("Ana drinks tea", importance=0.2, tags=["drink"], metadata={"n": 1}, **old)
    await tenant.save("Ana lives in Porto", key="home", importance=0.9, **old)
    gone = await tenant.save("Ana owns a boat", **old)
    await tenant.save("Ana is in Rome", expires_at="2024-03-01T00:00:00Z", **old)
    await tenant.save("Bo sleeps", agent="b", created_at="2024-01-02T00:00:00Z")
    then = datetime.now(UTC).isoformat()
    changes = {"content": "Ana drinks rum", "importance": 0.95, "tags": [], "metadata": {"n": 2}}
    await tenant.patch(f"/v1/memories/{tea['id']}", {"version": 1} | changes)
    await tenant.save("Ana lives in Faro", key="home", agent="a")
    await tenant.delete(f"/v1/memories/{gone['id']}")
    await tenant.save("Ana sails", agent="a")

    assert await past(tenant, then) == ["Bo sleeps", "Ana lives in Porto", "Ana drinks tea"]
    assert await past(tenant, then, agent="a", sort="importance") == ["Ana lives in Porto", "Ana drinks tea"]
    assert "Ana is in Rome" in await past(tenant, "2024-02-01T00:00:00Z", agent="a")
    assert await past(tenant, "2023-12-31T23:59:59Z") == []
    for narrow in (
        {"tag": "drink"},
        {"q": "TEA"},
        {"where": '{"metadata.n": 1}'},
        {"where": '{"importance": {"lt": 0.3}}'},
    ):
        assert await past(tenant, then, **narrow) == ["Ana drinks tea"], narrow
    assert await past(tenant, then, where='{"metadata.n": 2}') == []
    found = await tenant.search("Ana", agent="a", as_of=then, limit=10, min_relevance=0)
    assert sorted(one["content"] for one in found) == sorted(await past(tenant, then, agent="a"))
    assert await past(tenant, "2100-01-01T00:00:00Z", q="rum") == ["Ana drinks rum"]
    own = await tenant.as_role("agent", "b")
    assert [one["content"] for one in (await own.get("/v1/memories", as_of=then))["items"]] == ["Bo sleeps"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"include": "expired"}, "include"), ({"sort": "recalled"}, "sort"), ({"as_of": "yesterday"}, "as_of")],
)
async def test_what_a_list_of_the_past_cannot_say_is_refused(tenant: Tenant, wrong: Any, named: str) -> None:
    refused = await tenant.call("GET", "/v1/memories", params={"as_of": "2024-01-01T00:00:00Z"} | wrong)
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["query", named])


async def chosen(tenant: Tenant, action: str, filter_: Any, **more: Any) -> list[str]:
    """What became of each that a filter matches."""
    answer = await tenant.post("/v1/memories/bulk", {"filter": filter_, "action": action} | more)
    return [item["outcome"] for item in answer["items"]]


async def test_one_action_on_what_a_filter_matches(tenant: Tenant) -> None:
    ids = [(await tenant.save(f"Number {n}", metadata={"n": n}))["id"] for n in range(4)]
    await tenant.save("Number 9", agent="b", metadata={"n": 9})
    where = {"where": {"metadata.n": {"gte": 2}}}
    agent = await tenant.as_role("agent", "a")
    assert await chosen(agent, "add_tags", where, tags=["high"]) == ["done"] * 2
    assert await chosen(tenant, "add_tags", where, tags=["high"]) == ["unchanged", "unchanged", "done"]
    assert await bulk(tenant, ids, "delete") == ["done"] * 4
    assert await chosen(tenant, "pin", {"tag": "high"}) == ["done"]
    await tenant.save("Number 3")
    assert sorted(await chosen(agent, "restore", where)) == ["conflict", "done"]
    assert await chosen(agent, "restore", where | {"agent": "a"}) == ["conflict"]
    assert await bulk(tenant, ids, "restore") == ["done", "done", "unchanged", "conflict"]
    assert await chosen(tenant, "unpin", {"agent": "nobody"}) == []


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"filter": {"where": {"metadata.n": 1}}, "action": "delete"}, ["action"]),
        ({"filter": {"where": {"colour": 1}}, "action": "pin"}, ["filter", "where", "colour"]),
        ({"filter": {}, "action": "pin"}, ["filter"]),
        ({"filter": {"tag": "t"}, "ids": [str(uuid4())], "action": "pin"}, []),
        ({"action": "pin"}, []),
    ],
)
async def test_a_choice_that_is_none_is_named(tenant: Tenant, body: Any, loc: list[str]) -> None:
    refused = await tenant.call("POST", "/v1/memories/bulk", json=body)
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (422, ["body", *loc])
