"""What an undo meets in a workspace that went on meanwhile, and what ends before it."""

from __future__ import annotations

import json

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.model_calls import Exchange
from service.domain.spending import Payer, Usage
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.promises.test_deletions import MARK, delete
from tests.worker.dreaming import dream, say
from worker.maintenance.retention import apply_retention

LINK = [{"relation": "mentions", "entity": {"name": "Initech", "kind": "organisation"}}]


@pytest.fixture
def api(own_static_api: Api) -> Api:
    """A database of the test's own, since the tests look at all of it."""
    return own_static_api


async def value(url: str, statement: str) -> object:
    """One value, past all walls."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_what_comes_back_speaks_of_the_entity_that_has_the_name_by_now(api: Api) -> None:
    first = await api.save("Initech pays late", agent="a", links=LINK, session="s")
    done = await delete(api, "/v1/sessions/s", agent="a")
    assert (await api.get("/v1/entities", agent="a"))["items"] == []
    second = await api.save("Initech has moved", agent="a", links=LINK)
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    (entity,) = (await api.get("/v1/entities", agent="a"))["items"]
    graph = await api.get(f"/v1/entities/{entity['id']}/graph", agent="a")
    assert {one["id"] for one in graph["memories"]} == {first["id"], second["id"]}


async def test_a_deleted_agent_is_not_due_and_a_restored_session_is(api: Api, database_url: str) -> None:
    due = "SELECT count(*) FROM dream_schedule WHERE due_at <= now()"
    await say(api, "I live in Bergen", session="s", agent="a", user="ana")
    done = await delete(api, "/v1/sessions/s", agent="a")
    await dream(api.runtime, "a")
    await value(database_url, "UPDATE dream_schedule SET due_at = 'infinity'")
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert await value(database_url, due) == 1
    await dream(api.runtime, "a")
    assert "Bergen" in str((await api.get("/v1/memories", agent="a"))["items"])
    done = await delete(api, "/v1/agents/a")
    assert await value(database_url, "SELECT count(*) FROM dream_schedule") == 0
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert await value(database_url, due) == 1


@pytest.mark.parametrize("undone", [False, True])
async def test_a_purge_takes_the_name_of_its_sessions_out_of_the_list(
    api: Api, database_url: str, undone: bool
) -> None:
    await say(api, "I live in Bergen", session=f"chat of {MARK}", user="ana")
    await say(api, "I live in Oslo", session="other", user="bo")
    other = await delete(api, "/v1/sessions/other", agent="a")
    done = await delete(api, f"/v1/sessions/chat%20of%20{MARK}", agent="a")
    if undone:
        await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    await api.post("/v1/users/ana/purge")
    listed = {one["id"]: one["name"] for one in (await api.get("/v1/deletions"))["items"]}
    assert listed == {done["deletion_id"]: "", other["deletion_id"]: "other"}
    assert MARK not in dump(database_url)


async def test_kept_calls_of_models_end_in_their_own_time(api: Api, database_url: str) -> None:
    await api.put("/v1/settings", {"retention": {"model_calls_days": 7}})
    await api.save("The roof is red", agent="a")
    said, runtime = Exchange(f"user: {MARK}", "ok", "answered"), api.runtime
    runtime.model_calls.note(Payer(DEFAULT_WORKSPACE, agent="a"), "ask", "m", runtime.now(), 1.0, Usage(1), said)
    await runtime.model_calls.flush()
    await delete(api, "/v1/agents/a")
    await apply_retention(api.runtime)
    assert MARK in dump(database_url)
    await value(database_url, "UPDATE model_calls SET at = at - interval '8 days'")
    assert (await apply_retention(api.runtime))["model_calls"] == 1
    assert MARK not in dump(database_url)


async def test_a_purged_session_does_not_keep_a_team_from_coming_back(api: Api) -> None:
    await api.put("/v1/agents/a", {"teams": ["crew"]})
    await say(api, "I like tea", session="s", user="ana")
    await api.save("The crew knows about the tea", scope="team", team="crew", session="s")
    kept = await api.save("The crew meets at noon", scope="team", team="crew")
    done = await delete(api, "/v1/teams/crew")
    await api.post("/v1/users/ana/purge")
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert [one["id"] for one in (await api.get("/v1/memories", agent="a"))["items"]] == [kept["id"]]


async def imported(api: Api, lines: list[Json]) -> None:
    """Import an export whose memories and messages are of another session, or of none."""
    text = "\n".join(json.dumps(line) for line in lines)
    answer = await api.call("POST", "/v1/import", content=text, headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code == 200, answer.text


async def exported(api: Api, *, session: str | None) -> list[Json]:
    """An export in which what is of a session is of this one."""
    lines = [json.loads(line) for line in (await api.call("GET", "/v1/export")).text.splitlines()]
    return [line | ({"session": session} if line.get("session") else {}) for line in lines]


async def test_memories_that_were_imported_meanwhile_stay_as_they_are(api: Api, database_url: str) -> None:
    first = await api.save("Initech pays late", links=LINK, session="s")
    await api.save("Initech has moved", session="s")
    lines = await exported(api, session=None)
    done = await delete(api, "/v1/sessions/s", agent="a")
    await imported(api, [line for line in lines if line["record"] != "session"])
    await api.patch(f"/v1/memories/{first['id']}", {"content": "Initech pays in May", "version": first["version"]})
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    listed = (await api.get("/v1/memories", agent="a"))["items"]
    assert sorted(one["content"] for one in listed) == ["Initech has moved", "Initech pays in May"]
    assert sorted(one["content"] for one in await api.search("Initech", min_relevance=0)) == [
        "Initech has moved", "Initech pays in May",
    ]  # fmt: skip
    assert [one["version"] for one in (await api.get(f"/v1/memories/{first['id']}/history"))["items"]] == [1, 2]
    (entity,) = (await api.get("/v1/entities", agent="a"))["items"]
    graph = await api.get(f"/v1/entities/{entity['id']}/graph", agent="a")
    assert [one["id"] for one in graph["memories"]] == [first["id"]]
    assert (await api.get("/v1/sessions/s", agent="a"))["session"] == "s"


async def test_an_undo_answers_409_for_a_session_imported_under_another_name(api: Api) -> None:
    await say(api, "I live in Bergen", session="s", user="ana")
    lines = await exported(api, session="t")
    done = await delete(api, "/v1/sessions/s", agent="a")
    await imported(api, lines)
    answer = await api.call("POST", f"/v1/deletions/{done['deletion_id']}/undo")
    assert (answer.status_code, "are there again" in answer.text) == (409, True)
    assert [one["session"] for one in (await api.get("/v1/sessions", agent="a"))["items"]] == ["t"]
    assert (await api.get("/v1/deletions"))["items"][0]["restored_at"] is None
