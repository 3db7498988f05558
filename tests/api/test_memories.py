"""Saving, reading, changing and deleting memories over HTTP."""

from __future__ import annotations

from uuid import uuid4

import pytest

from service.memory.counters import AccessCounter
from tests.live_api import Api, Caller, Json, Tenant
from tests.tables import table

pytestmark = pytest.mark.first_tier


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return static_tenant


async def test_saves_with_defaults_and_reads_back(api: Caller) -> None:
    saved = await api.post("/v1/memories", {"agent": "a", "type": "fact", "content": "The sky is blue."})
    memory = saved["memory"]
    assert saved["created"] is True
    assert memory["scope"] == "agent"
    assert (memory["importance"], memory["confidence"], memory["version"]) == (0.5, 1.0, 1)
    assert memory["summary"] == "The sky is blue."
    assert memory["embedding"] == "pending"
    assert await api.get(f"/v1/memories/{memory['id']}") == memory


OUT_OF_BOUNDS = [
    ("occurred_at", "2019-13"),
    ("occurred_at", "1403/02/05"),
    ("occurred_until", "2019"),
    ("type", "rumour"),
    ("content", ""),
    ("content", "x" * 8001),
    ("content", "a\x00b"),
    ("importance", 1.5),
    ("confidence", -0.1),
    ("scope", "world"),
    ("tags", ["x" * 101]),
    ("metadata", {"a": "\x00"}),
    ("metadata", [1]),
    ("occurred_at", "yesterday"),
    ("user", "line\nbreak"),
    ("colour", "red"),
]


async def test_names_the_field_that_is_out_of_bounds(api: Caller) -> None:
    with table() as row:
        for field, value in OUT_OF_BOUNDS:
            with row(field, value):
                body = {"agent": "a", "type": "fact", "content": "ok"} | {field: value}
                response = await api.call("POST", "/v1/memories", json=body)
                assert response.status_code == 422
                assert response.headers["content-type"] == "application/problem+json"
                assert any(field in error["loc"] for error in response.json()["errors"])
                assert (await api.get("/v1/memories"))["items"] == []


FORMS = [
    ({"occurred_at": "2019"}, "2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "year"),
    ({"occurred_at": "2019-05"}, "2019-05-01T00:00:00Z", "2019-06-01T00:00:00Z", "month"),
    ({"occurred_at": "2019-05-03"}, "2019-05-03T00:00:00Z", "2019-05-04T00:00:00Z", "day"),
    ({"occurred_at": "2019-05-03T14:30+02:00"}, "2019-05-03T12:30:00Z", None, "minute"),
    ({"occurred_at": "2019", "occurred_until": "2022"}, "2019-01-01T00:00:00Z", "2023-01-01T00:00:00Z", "year"),
    ({"occurred_at": "2019-11", "occurred_until": "2020"}, "2019-11-01T00:00:00Z", "2021-01-01T00:00:00Z", "month"),
    ({}, None, None, None),
]


async def test_a_time_is_as_exact_as_it_was_written(api: Caller) -> None:
    with table() as row:
        for fields, begins, ends, precision in FORMS:
            with row(fields):
                saved = await api.save(f"Ann danced {fields}", type="event", **fields)
                assert await api.get(f"/v1/memories/{saved['id']}") == saved
                shown = tuple(saved[name] for name in ("occurred_at", "occurred_until", "occurred_precision"))
                assert shown == (begins, ends, precision)
    changed = await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "occurred_at": "2021-02"})
    assert (changed["occurred_until"], changed["occurred_precision"]) == ("2021-03-01T00:00:00Z", "month")
    changed = await api.patch(f"/v1/memories/{saved['id']}", {"version": 2, "occurred_until": "2021"})
    assert (changed["occurred_at"], changed["occurred_until"]) == ("2021-02-01T00:00:00Z", "2022-01-01T00:00:00Z")
    changed = await api.patch(f"/v1/memories/{saved['id']}", {"version": 3, "occurred_at": "2021-02-03T10:00:00Z"})
    assert (changed["occurred_until"], changed["occurred_precision"]) == (None, "minute")


async def test_a_list_of_a_time_has_what_lasted_into_it(api: Caller) -> None:
    for content, fields in (
        ("Ann lived in Oslo", {"occurred_at": "2019", "occurred_until": "2022"}),
        ("Ann danced", {"occurred_at": "2021-05-03"}),
        ("Ann sang", {"occurred_at": "2021-05-03T23:00:00Z"}),
    ):
        await api.save(content, type="event", **fields)
    for since, until, found in (
        ("2021-05-03T12:00:00Z", "2021-05-03T13:00:00Z", ["Ann danced", "Ann lived in Oslo"]),
        ("2021-05-04T00:00:00Z", "2022-01-01T00:00:00Z", ["Ann lived in Oslo"]),
        ("2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", []),
    ):
        listed = await api.get("/v1/memories", agent="a", since=since, until=until)
        assert sorted(one["content"] for one in listed["items"]) == found
        searched = await api.search("What did Ann do?", since=since, until=until)
        assert sorted(one["content"] for one in searched) == found


async def test_a_scope_needs_its_group(api: Caller) -> None:
    response = await api.call(
        "POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": "x", "scope": "task"}
    )
    assert response.status_code == 422
    assert "task" in response.text


async def test_identical_content_is_reinforced(api: Caller) -> None:
    first = await api.save("Ana likes  tea", importance=0.5)
    again = await api.post("/v1/memories", {"agent": "a", "type": "fact", "content": "ana LIKES tea ", "tags": ["t"]})
    assert (again["created"], again["reinforced"]) == (False, True)
    assert again["memory"]["id"] == first["id"]
    assert again["memory"]["importance"] == pytest.approx(0.55)
    assert again["memory"]["tags"] == ["t"]
    assert len((await api.get("/v1/memories"))["items"]) == 1


async def test_events_are_identical_only_at_the_same_time(api: Caller) -> None:
    event = {"type": "event", "content": "The build broke", "occurred_at": "2026-01-01T10:00:00Z"}
    first = await api.save(**event)
    assert (await api.save(**event))["id"] == first["id"]
    later = await api.save(**event | {"occurred_at": "2026-01-02T10:00:00Z"})
    assert later["id"] != first["id"]


async def test_the_same_words_about_two_people_are_two_memories(api: Caller) -> None:
    one = await api.save("likes tea", user="u1")
    other = await api.save("likes tea", user="u2")
    assert one["id"] != other["id"]


async def test_a_key_updates_and_keeps_the_old_content(api: Caller) -> None:
    first = await api.save("Lives in Oslo", key="home", metadata={"a": 1, "b": 1})
    again = await api.post(
        "/v1/memories",
        {"agent": "a", "type": "fact", "content": "Lives in Bergen", "key": "home", "metadata": {"b": 2}},
    )
    assert (again["created"], again["updated"]) == (False, True)
    assert again["memory"]["id"] == first["id"]
    assert again["memory"]["metadata"] == {"a": 1, "b": 2}
    assert again["memory"]["summary"] == "Lives in Bergen"
    history = (await api.get(f"/v1/memories/{first['id']}/history"))["items"]
    assert [version["content"] for version in history] == ["Lives in Oslo", "Lives in Bergen"]
    assert [found["content"] for found in await api.search("Bergen")] == ["Lives in Bergen"]
    assert await api.search("Oslo") == []


async def test_a_batch_is_saved_whole(static_api: Caller) -> None:
    items = [{"agent": "a", "type": "fact", "content": f"fact number {n}"} for n in range(1000)]
    saved = (await static_api.post("/v1/memories/batch", {"items": items}))["items"]
    assert [one["memory"]["content"] for one in saved] == [item["content"] for item in items]
    assert all(one["created"] and one["memory"]["embedding"] == "ready" for one in saved)


async def test_one_bad_item_rejects_the_batch_and_names_its_index(api: Caller) -> None:
    items = [{"agent": "a", "type": "fact", "content": f"fact {n}"} for n in range(10)]
    items[7]["content"] = ""
    response = await api.call("POST", "/v1/memories/batch", json={"items": items})
    assert response.status_code == 422
    assert response.json()["errors"][0]["loc"][:3] == ["body", "items", 7]
    assert (await api.get("/v1/memories"))["items"] == []


async def test_repeats_within_a_batch_are_one_memory(api: Caller) -> None:
    item = {"agent": "a", "type": "fact", "content": "twice"}
    saved = (await api.post("/v1/memories/batch", {"items": [item, item]}))["items"]
    assert saved[0]["memory"]["id"] == saved[1]["memory"]["id"]
    assert [one["created"] for one in saved] == [True, False]


async def test_a_bad_link_rolls_back_the_save(api: Caller) -> None:
    body = {
        "agent": "a", "type": "fact", "content": "linked",
        "links": [
            {"relation": "about", "entity": {"name": "Apollo"}},
            {"relation": "supports", "memory_id": str(uuid4())},
        ],
    }  # fmt: skip
    response = await api.call("POST", "/v1/memories", json=body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["loc"] == ["body", "links", 1, "memory_id"]
    assert (await api.get("/v1/memories"))["items"] == []
    assert (await api.get("/v1/entities"))["items"] == []


async def test_a_link_makes_its_entity_once(api: Caller) -> None:
    links = [{"relation": "about", "entity": {"name": "Apollo", "kind": "project"}}]
    await api.save("Apollo is late", links=links)
    await api.save("Apollo is over budget", links=links)
    entities = (await api.get("/v1/entities"))["items"]
    assert [(entity["name"], entity["kind"], entity["mentions"]) for entity in entities] == [("Apollo", "project", 2)]


async def test_pages_are_stable_under_writes(api: Caller) -> None:
    for number in range(5):
        await api.save(f"memory {number}")
    first = await api.get("/v1/memories", limit=2)
    await api.save("written in between")
    second = await api.get("/v1/memories", limit=2, cursor=first["next_cursor"])
    third = await api.get("/v1/memories", limit=2, cursor=second["next_cursor"])
    seen = [memory["content"] for page in (first, second, third) for memory in page["items"]]
    assert seen == [f"memory {number}" for number in (4, 3, 2, 1, 0)]
    assert third["next_cursor"] is None


async def test_a_foreign_cursor_is_422(api: Caller) -> None:
    assert await api.status("GET", "/v1/memories", params={"cursor": "nonsense"}) == 422


async def test_lists_by_every_filter(api: Caller) -> None:
    wanted = await api.save(
        "The needle", type="event", user="u1", session="s1", tags=["red"], key="k1",
        source={"kind": "email"}, occurred_at="2026-03-01T00:00:00Z",
    )  # fmt: skip
    await api.save("The haystack", type="fact", user="u2", session="s2", tags=["blue"])
    filters: dict[str, object] = {
        "type": "event", "user": "u1", "session": "s1", "tag": "red", "key": "k1", "source": "email",
        "q": "NEEDLE", "until": "2026-03-02T00:00:00Z",
    }  # fmt: skip
    for name, value in filters.items():
        found = (await api.get("/v1/memories", **{name: value}))["items"]
        assert [memory["id"] for memory in found] == [wanted["id"]], name


async def test_patch_needs_the_version_last_seen(api: Caller) -> None:
    memory = await api.save("Old words", tags=["keep"])
    path = f"/v1/memories/{memory['id']}"
    changed = await api.patch(path, {"version": 1, "content": "New words"})
    assert (changed["content"], changed["version"], changed["tags"]) == ("New words", 2, ["keep"])
    stale = await api.call("PATCH", path, json={"version": 1, "content": "Lost words"})
    assert stale.status_code == 409
    assert stale.json()["version"] == 2
    assert [found["id"] for found in await api.search("new")] == [memory["id"]]
    assert await api.search("old") == []


async def test_changing_a_scope_is_recorded(api: Caller) -> None:
    memory = await api.save("Shared now")
    await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "scope": "task", "task": "t1"})
    history = (await api.get(f"/v1/memories/{memory['id']}/history"))["items"]
    assert [version["scope"] for version in history] == ["agent", "task"]


async def test_deleted_is_hidden_everywhere_and_restorable(api: Caller) -> None:
    memory = await api.save("Ephemeral thing")
    await api.delete(f"/v1/memories/{memory['id']}")
    assert await api.status("GET", f"/v1/memories/{memory['id']}") == 404
    assert (await api.get("/v1/memories"))["items"] == []
    assert await api.search("ephemeral") == []
    assert len((await api.get("/v1/memories", include="deleted"))["items"]) == 1
    assert await api.status("DELETE", f"/v1/memories/{memory['id']}") == 404
    restored = await api.post(f"/v1/memories/{memory['id']}/restore")
    assert restored["id"] == memory["id"]
    assert [found["id"] for found in await api.search("ephemeral")] == [memory["id"]]


async def test_restore_refuses_when_its_place_is_taken(api: Caller) -> None:
    memory = await api.save("The only one")
    await api.delete(f"/v1/memories/{memory['id']}")
    await api.save("The only one")
    assert await api.status("POST", f"/v1/memories/{memory['id']}/restore") == 409


async def test_expired_is_hidden_on_every_read(api: Caller) -> None:
    memory = await api.save("Short lived", created_at="2019-12-01T00:00:00Z", expires_at="2020-01-01T00:00:00Z")
    assert await api.status("GET", f"/v1/memories/{memory['id']}") == 404
    assert (await api.get("/v1/memories"))["items"] == []
    assert await api.search("short lived") == []
    assert await api.search("", strategy="recent") == []


async def test_what_a_save_answers_is_what_a_read_gives(static_api: Caller) -> None:
    await static_api.put("/v1/agents/a", {"teams": ["crew"]})
    fields: list[Json] = [
        {},
        {"scope": "team", "team": "crew", "task": "t", "session": "s", "user": "u", "tags": ["y", "x", "y"]},
        {
            "type": "todo",
            "importance": 0.1,
            "metadata": {"b": [1, 2.5, None], "a": {"c": "ü"}},
            "source": {"kind": "k"},
        },
        {"type": "event", "occurred_at": "2024-05-06T07:08:09.123456+02:00", "expires_at": "2999-01-01T00:00:00Z"},
        {"key": "k", "summary": "short", "decay_exempt": True, "created_at": "2020-01-01T00:00:00Z"},
    ]
    for number, extra in enumerate(fields):
        saved = await static_api.save(f"Statement number {number}", **extra)
        assert saved == await static_api.get(f"/v1/memories/{saved['id']}")


async def test_a_key_twice_in_a_batch_ends_with_the_later_content(api: Caller) -> None:
    items = [{"agent": "a", "type": "fact", "key": "city", "content": f"Lives in {city}"} for city in ("Oslo", "Rome")]
    saved = (await api.post("/v1/memories/batch", {"items": items}))["items"]
    assert [one["created"] for one in saved] == [True, False]
    assert {one["memory"]["content"] for one in saved} == {"Lives in Rome"}
    assert [one["content"] for one in (await api.get("/v1/memories"))["items"]] == ["Lives in Rome"]


async def test_two_agents_of_a_team_may_use_one_key(api: Caller) -> None:
    """Each has its own memory under it, also when they say the same."""
    for agent in ("a", "b"):
        await api.put(f"/v1/agents/{agent}", {"teams": ["red"]})
    for content in ("Standup at nine", "Standup at ten", "Standup at nine"):
        for agent in ("a", "b"):
            saved = await api.save(content, agent=agent, scope="team", team="red", key="standup")
            assert (saved["agent"], saved["content"]) == (agent, content)
    assert len((await api.get("/v1/memories"))["items"]) == 2


async def test_an_upsert_keeps_the_identity_of_what_it_keeps(api: Caller) -> None:
    first = await api.save("One", key="k", user="u1")
    await api.save("Two", key="k", owners=["u1"])
    again = await api.post("/v1/memories", {"agent": "a", "type": "fact", "content": "Two", "key": "k", "user": "u1"})
    assert (again["memory"]["id"], again["reinforced"]) == (first["id"], True)


async def test_a_save_under_a_key_changes_what_it_states_though_the_words_stay(api: Caller) -> None:
    milk = await api.save("Buy milk", type="todo", key="milk", importance=0.4)
    body = {"agent": "a", "type": "todo", "content": "Buy milk", "key": "milk"}
    done = await api.post("/v1/memories", body | {"status": "done", "expires_at": "2999-01-01T00:00:00Z"})
    assert done["updated"]
    assert (done["memory"]["id"], done["memory"]["status"]) == (milk["id"], "done")
    assert done["memory"]["expires_at"] == "2999-01-01T00:00:00Z"
    again = await api.post("/v1/memories", body)
    assert again["reinforced"]
    assert again["memory"]["status"] == "done"
    assert (await api.post("/v1/memories", body | {"expires_at": None}))["memory"]["expires_at"] is None


async def test_what_has_expired_makes_room_for_what_is_saved_again(api: Caller) -> None:
    for fields in ({}, {"key": "k"}):
        old = await api.save(
            "Short-lived", created_at="2019-12-01T00:00:00Z", expires_at="2020-01-01T00:00:00Z", **fields
        )
        body = {"agent": "a", "type": "fact", "content": "Short-lived", **fields}
        again = await api.post("/v1/memories", body)
        assert again["created"]
        assert again["memory"]["id"] != old["id"]
        assert [memory["id"] for memory in await api.search("short-lived")] == [again["memory"]["id"]]
        await api.delete(f"/v1/memories/{again['memory']['id']}")


async def test_live_memories_are_counted_as_far_as_they_may_be_seen(own_static_api: Api) -> None:
    await own_static_api.save("The tea is in the blue tin")
    gone = await own_static_api.save("The coffee is in the red tin")
    await own_static_api.save("Drink more water", type="goal")
    await own_static_api.save("Ben's own", agent="b")
    await own_static_api.delete(f"/v1/memories/{gone['id']}")
    await own_static_api.search("where is the tea?", limit=1)
    await own_static_api.runtime.part(AccessCounter).flush()
    stats = await own_static_api.get("/v1/memories/stats", agent="a")
    assert stats["memories"] == 2
    assert {name: one["memories"] for name, one in stats["types"].items()} == {"fact": 1, "goal": 1}
    assert stats["types"]["fact"] == {
        "memories": 1,
        "tokens": stats["types"]["fact"]["tokens"],
        "pending": 0,
        "recalled": 1,
    }
    assert stats["tokens"] > stats["types"]["fact"]["tokens"] > 0
    assert (await own_static_api.get("/v1/memories/stats"))["memories"] == 3
    assert (await (await own_static_api.as_role("agent", "b")).get("/v1/memories/stats"))["memories"] == 1
    assert (await own_static_api.get("/v1/memories/stats", agent="nobody"))["memories"] == 0


async def test_a_save_and_a_read_agree_on_what_importance_has_decayed_to(api: Caller) -> None:
    saved = await api.save("It rained", type="observation", importance=0.4, created_at="2020-01-01T00:00:00Z")
    read = await api.get(f"/v1/memories/{saved['id']}")
    assert saved["effective_importance"] == read["effective_importance"] == 0.4


async def test_a_hard_deletion_leaves_no_row_and_is_for_admins(api: Tenant) -> None:
    ids = [(await api.save(f"The code is {word}", agent="a"))["id"] for word in ("red", "blue")]
    agent = await api.as_role("agent", "a")
    assert await agent.status("DELETE", f"/v1/memories/{ids[0]}", params={"hard": True}) == 403
    await api.delete(f"/v1/memories/{ids[1]}")
    for id_ in ids:
        assert await api.status("DELETE", f"/v1/memories/{id_}", params={"hard": True}) == 204
        assert await api.status("GET", f"/v1/memories/{id_}", params={"include": "deleted,expired"}) == 404
        assert await api.status("GET", f"/v1/memories/{id_}/history") == 404
        assert await api.status("POST", f"/v1/memories/{id_}/restore") == 404
        assert await api.status("DELETE", f"/v1/memories/{id_}", params={"hard": True}) == 404
    lines = (await api.get("/v1/audit", action="memory.removed"))["items"]
    assert {line["target"] for line in lines} == set(ids)
