"""The dreamer "extracts entities from recent memories and creates edges", and removes duplicates from the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.live_api import Api
from tests.worker.dreaming import contents, dream, say
from worker.dreaming.run import Dreamer

Json = dict[str, Any]


@pytest.fixture(params=["none", "static"])
def api(request: pytest.FixtureRequest) -> Api:
    """The API without an embedder, and with one: what is the same is found by its words and slots, too."""
    fixture = {"none": "own_api", "static": "static_api"}[request.param]
    opened: Api = request.getfixturevalue(fixture)
    return opened


async def save_all(api: Api, *said: str, **fields: Any) -> list[Json]:
    return [await api.save(content, **fields) for content in said]


async def undo(api: Api, dreamed: Json) -> int:
    return (await api.call("POST", f"/v1/dreams/{dreamed['id']}/undo")).status_code


@pytest.mark.exhaustive
async def test_of_tea_liked_twice_and_then_not_one_memory_is_current(api: Api) -> None:
    first, second, third = await save_all(
        api, "Maria likes tea.", "Maria likes tea", "Maria does not like tea", type="preference"
    )
    done = await dream(api.runtime)
    assert done["report"]["memories"] == 3
    assert await contents(api) == {"Maria does not like tea"}
    ends = {
        one["id"]: one["superseded_by"]
        for one in (await api.get("/v1/memories", agent="a", include="superseded"))["items"]
    }
    assert ends == {first["id"]: third["id"], second["id"]: first["id"], third["id"]: None}
    assert {change["op"] for change in done["changes"]} >= {"superseded", "linked", "entity"}


@pytest.mark.exhaustive
async def test_of_duplicates_the_older_stays_with_all_that_was_said_of_either(api: Api) -> None:
    links = [{"relation": "supports", "entity": {"name": "Tea club", "kind": "company"}}]
    asides = [{"relation": "about", "entity": {"name": "Maria", "kind": "person"}}]
    older = await api.save(
        "Maria likes tea.", type="preference", tags=["drinks"], metadata={"from": "chat"}, links=asides
    )
    newer = await api.save(
        "Maria likes tea", type="preference", tags=["hot"], metadata={"from": "mail", "page": 3}, links=links
    )
    await dream(api.runtime)
    kept = await api.get(f"/v1/memories/{older['id']}")
    assert kept["superseded_by"] is None
    assert kept["tags"] == ["drinks", "hot"]
    assert kept["metadata"] == {"from": "chat", "page": 3}
    gone = await api.get(f"/v1/memories/{newer['id']}")
    assert (gone["superseded_by"], gone["metadata"]) == (older["id"], {"from": "mail", "page": 3})
    graph = await api.get("/v1/entities/Tea club/graph", agent="a")
    drawn = {(edge["relation"], edge["source_id"]) for edge in graph["edges"]}
    assert ("supports", older["id"]) in drawn
    history = (await api.get(f"/v1/memories/{newer['id']}/history"))["items"]
    assert history[-1]["reason"].startswith("says the same")


@pytest.mark.exhaustive
async def test_the_one_that_is_linked_stays_before_the_older(api: Api) -> None:
    older = await api.save("Maria likes tea.", type="preference")
    links = [{"relation": "about", "entity": {"name": "Maria", "kind": "person"}}]
    linked = await api.save("Maria likes tea", type="preference", links=links)
    await dream(api.runtime)
    assert (await api.get(f"/v1/memories/{older['id']}"))["superseded_by"] == linked["id"]


@pytest.mark.exhaustive
async def test_a_memory_with_a_key_stays_and_its_key_still_updates_it(api: Api) -> None:
    await api.save("Maria likes tea.", type="preference")
    keyed = await api.save("Maria likes tea", type="preference", key="maria-drink")
    await dream(api.runtime)
    assert await contents(api) == {"Maria likes tea"}
    answer = await api.call(
        "POST",
        "/v1/memories",
        json={"agent": "a", "type": "preference", "content": "Maria likes cocoa", "key": "maria-drink"},
    )
    assert answer.status_code == 200
    assert answer.json()["memory"]["id"] == keyed["id"]
    two = await save_all(api, "Lea likes tea.", "Lea likes tea", type="preference")
    assert len({one["id"] for one in two}) == 2
    await api.patch(f"/v1/memories/{two[0]['id']}", {"version": 1, "key": "x"})
    await api.patch(f"/v1/memories/{two[1]['id']}", {"version": 1, "key": "y"})
    await dream(api.runtime)
    assert await contents(api) >= {"Lea likes tea.", "Lea likes tea"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "both",
    [
        ("The meeting is in Room 101", "The meeting is in Room 102"),
        ("Maria likes tea", "Maria likes coffee"),
        ("The Apollo budget is 50000", "The Gemini budget is now 60000"),
        ("Maria likes tea", "Tom does not like tea"),
        ("The parcel comes from Tigran", "The parcel comes from Iran"),
        ("Ann lives in Oslo", "Ben lives in Bergen"),
    ],
)
async def test_what_both_holds_stays(api: Api, both: Sequence[str]) -> None:
    await save_all(api, *both)
    await dream(api.runtime)
    assert await contents(api) == set(both)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Ann lives in Oslo.", "Ann moved to Bergen."),
        ("Ann works at Initech", "Ann now works at Globex"),
        ("Ann is married", "Ann is divorced"),
        ("Ann is vegetarian", "Ann is no longer vegetarian"),
        ("Ann likes anchovies", "Ann hates anchovies"),
        ("Apollo's budget is 50000", "Apollo's budget is 60000"),
    ],
)
async def test_a_changed_fact_is_superseded_by_the_newer(api: Api, before: str, now: str) -> None:
    await save_all(api, before, now)
    await dream(api.runtime)
    assert await contents(api) == {now}


async def test_each_is_read_once_and_a_changed_one_again(api: Api) -> None:
    saved = await api.save("Ann lives in Oslo.")
    assert (await dream(api.runtime))["report"]["memories"] == 1
    assert (await dream(api.runtime))["report"]["memories"] == 0
    await api.patch(f"/v1/memories/{saved['id']}", {"version": 1, "content": "Ann lives in Bergen."})
    again = await dream(api.runtime)
    assert again["report"]["memories"] == 1
    assert [change["after"]["name"] for change in again["changes"] if change["op"] == "entity"] == ["Bergen"]


@pytest.mark.exhaustive
async def test_what_a_dream_made_is_compared_with_what_is_saved_later(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    await api.save("u1 lives in Oslo", user="u1")
    await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo."}
    await api.save("u1 lives in Bergen", user="u1")
    await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Bergen"}


@pytest.mark.exhaustive
async def test_what_somebody_else_saves_of_a_user_replaces_nothing_of_theirs(api: Api) -> None:
    await say(api, "I live in Oslo.", user="alice")
    await dream(api.runtime)
    await api.save("alice lives in Hell.", user="alice", hearsay_by="mallory")
    await dream(api.runtime)
    assert await contents(api) == {"alice lives in Oslo.", "alice lives in Hell."}


@pytest.mark.exhaustive
async def test_teams_and_tasks_are_compared_among_their_own(api: Api) -> None:
    await api.call("PUT", "/v1/agents/a", json={"teams": ["t"]})
    await api.call("PUT", "/v1/agents/b", json={"teams": ["t"]})
    await api.save("Maria likes tea.", type="preference")
    await api.save("Maria does not like tea", type="preference", scope="team", team="t")
    await api.save("Maria likes tea", type="preference", scope="team", team="t", agent="b")
    await dream(api.runtime)
    items = (await api.get("/v1/memories", limit=200))["items"]
    assert len(items) == 3


@pytest.mark.exhaustive
async def test_entities_are_drawn_once_and_undone(api: Api) -> None:
    await save_all(
        api,
        "Project Apollo is owned by Dana Scully.",
        "The launch of Project Apollo is near.",
        "PROJECT APOLLO is late.",
    )
    done = await dream(api.runtime)
    named = [one["name"] for one in (await api.get("/v1/entities", agent="a"))["items"]]
    assert sorted(named) == ["Dana Scully", "Project Apollo"]
    graph = await api.get("/v1/entities/Project Apollo/graph", agent="a")
    assert len(graph["memories"]) == 3
    assert await undo(api, done) == 200
    assert (await api.get("/v1/entities", agent="a"))["items"] == []
    assert (await dream(api.runtime))["report"]["memories"] == 3


@pytest.mark.exhaustive
async def test_a_dry_run_says_it_all_and_changes_nothing(api: Api) -> None:
    await save_all(api, "Maria likes tea.", "Maria likes tea", "Maria does not like tea", type="preference")
    shown = await dream(api.runtime, dry_run=True)
    assert len(await contents(api)) == 3
    done = await dream(api.runtime)
    assert [change["op"] for change in shown["changes"]] == [change["op"] for change in done["changes"]]


@pytest.mark.exhaustive
async def test_undo_refuses_where_a_merged_memory_has_changed_since(api: Api) -> None:
    first, _ = await save_all(api, "Maria likes tea.", "Maria likes tea", type="preference")
    done = await dream(api.runtime)
    kept = await api.get(f"/v1/memories/{first['id']}")
    await api.patch(f"/v1/memories/{first['id']}", {"version": kept["version"], "importance": 0.9})
    assert await undo(api, done) == 409


@pytest.mark.exhaustive
async def test_placeholders_of_personal_data_are_no_entities(api: Api) -> None:
    await save_all(api, "<PERSON_1> wrote to <EMAIL_ADDRESS> about Project Apollo.", "<EMAIL_ADDRESS> works at Acme.")
    await say(api, "I met <EMAIL_ADDRESS> and <PERSON_2> at Acme Robotics yesterday.")
    await dream(api.runtime)
    named = [one["name"] for one in (await api.get("/v1/entities", agent="a"))["items"]]
    assert not [name for name in named if "PERSON" in name or "EMAIL" in name]
    assert "Project Apollo" in named


@pytest.mark.exhaustive
async def test_an_agent_with_memories_due_has_reason_to_dream(api: Api) -> None:
    await api.save("Maria likes tea.", type="preference")
    async with api.runtime.db.unscoped() as connection:
        await connection.run("schedule_new", now=api.runtime.now())
    while await Dreamer(api.runtime, "test", 60).dream_next():
        pass
    dreams = (await api.get("/v1/dreams", agent="a"))["items"]
    assert [one["report"]["memories"] for one in dreams] == [1]
