"""Sessions, agents and teams deleted with everything of them, and brought back row for row."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from service.db.workspace_rows import TABLES
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from tests.live_api import Api, Json, Tenant
from tests.pg_dump import dump
from tests.worker.dreaming import dream, say
from worker.maintenance.retention import apply_retention
from worker.maintenance.upkeep import rescan_next

MARK = "zqxvkwjqzx"
TALK = (
    f"I moved to {MARK}ville last week", "My sister Ida is a nurse", f"I like {MARK}tea in the morning",
    "We decided to paint the house blue", "I have a cat named Momo",
)  # fmt: skip
CHANGING = frozenset(
    {
        "deletions", "audit_log", "events", "event_counters", "dream_schedule", "key_usage", "request_counts",
        "memory_usage", "search_counts", "idempotency", "workspaces", "in_flight", "common_terms", "audience_rows",
    }
)  # fmt: skip
"""Tables with what has happened or is counted, which no undo takes back."""


@pytest.fixture
def api(own_static_api: Api) -> Api:
    """A database of the test's own, since the tests look at all of it."""
    return own_static_api


async def rows(url: str, workspace: UUID = DEFAULT_WORKSPACE) -> dict[str, list[str]]:
    """All rows of a workspace by table, as text."""
    connection = await asyncpg.connect(url)
    try:
        return {
            table: [
                row["row"]
                for row in await connection.fetch(
                    f"SELECT to_jsonb(t)::text AS row FROM {table} t WHERE workspace_id = $1 ORDER BY 1",  # noqa: S608
                    workspace,
                )
            ]
            for table in TABLES
            if table not in CHANGING
        }
    finally:
        await connection.close()


async def execute(url: str, statement: str) -> None:
    """Run a statement past all walls."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def delete(api: Api, path: str, **params: Any) -> Json:
    """Count, then delete; the answer to the second call."""
    counted = await api.call("DELETE", path, params=params | {"dry_run": True})
    assert counted.status_code == 200, counted.text
    done = await api.call("DELETE", path, params=params | {"token": counted.json()["token"]})
    assert done.status_code == 200, done.text
    assert done.json()["counts"] == counted.json()["counts"]
    body: Json = done.json()
    return body


async def lived(api: Api) -> None:
    """Two agents with conversations, dreams, documents, pages, saved searches, edges, and a team."""
    for agent in ("a", "b"):
        await api.put(f"/v1/agents/{agent}", {"teams": ["crew"]})
        await say(api, *TALK, session="s", agent=agent, user="ana")
        await say(api, "I work at Initech", "My sister Ida is a nurse", session="t", agent=agent, user="ana")
        await dream(api.runtime, agent)
        await api.post("/v1/documents", {"agent": agent, "title": "Letter", "text": f"Dear {MARK}, the roof leaks."})
        link = {"relation": "mentions", "entity": {"name": f"{MARK} Ltd", "kind": "organisation"}}
        first = await api.save(f"{MARK} Ltd pays late", agent=agent, links=[link], session="s")
        await api.save("The crew meets at noon", agent=agent, scope="team", team="crew", user="ana")
        await api.save("The roof is red", agent=agent, key="roof")
        await api.save("The roof is green", agent=agent, key="roof")
        await api.post("/v1/pages", {"agent": agent, "question": "What of the roof?", "scope": {}})
        search = {"agent": agent, "name": "n", "query": "roof", "expected": [first["id"]]}
        saved = await api.post("/v1/searches", search)
        await api.post(f"/v1/searches/{saved['id']}/run", {})
        await api.post(f"/v1/agents/{agent}/bulletin")
        await api.put(f"/v1/agents/{agent}", {"settings": {"dream": {"propose_below": 0.99}}})
        await say(api, f"I have a horse named {MARK}", session="s", agent=agent, user="ana")
        await dream(api.runtime, agent)


@pytest.mark.parametrize(
    ("path", "params"),
    [("/v1/sessions/s", {"agent": "a"}), ("/v1/agents/a", {}), ("/v1/teams/crew", {})],
    ids=["session", "agent", "team"],
)
async def test_what_is_deleted_is_gone_and_comes_back_row_for_row(
    api: Api, database_url: str, path: str, params: dict[str, str]
) -> None:
    await lived(api)
    before = await rows(database_url)
    listed = (await api.get("/v1/memories", limit=200))["items"]
    done = await delete(api, path, **params)
    after = await rows(database_url)
    assert sum(map(len, after.values())) < sum(map(len, before.values()))
    assert len((await api.get("/v1/memories", limit=200))["items"]) < len(listed)
    gone = {table: len(before[table]) - len(after[table]) for table in before}
    counted = {table: n for table, n in done["counts"].items() if table in gone and table != "memory_sources"}
    assert {table: gone[table] for table in counted} == counted
    assert [one["name"] for one in (await api.get("/v1/workspaces"))["items"]] == ["default"]
    undone = await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert undone["counts"] == done["counts"]
    assert await rows(database_url) == before
    assert (await api.get("/v1/memories", limit=200))["items"] == listed
    assert await rows(database_url, UUID(done["deletion_id"])) == {table: [] for table in before}
    assert await api.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 409


async def test_nothing_finds_a_deleted_session(api: Api) -> None:
    await lived(api)
    await delete(api, "/v1/sessions/s", agent="a")
    assert [one["session"] for one in (await api.get("/v1/sessions", agent="a"))["items"]] == ["t"]
    assert await api.status("GET", "/v1/sessions/s", params={"agent": "a"}) == 404
    for query in (f"{MARK}ville", f"{MARK}tea", "the cat Momo", f"horse {MARK}"):
        body = {"agent": "a", "query": query, "include": ["memories", "messages"], "min_relevance": 0, "limit": 50}
        found = str((await api.post("/v1/memories/search", body))["results"])
        assert not any(word in found for word in (f"{MARK}ville", f"{MARK}tea", "horse")), query
    context = await api.post("/v1/context", {"agent": "a", "session": "t", "message": f"Where is {MARK}ville?"})
    assert f"{MARK}ville" not in str(context["sections"])
    assert MARK + "tea" not in str((await api.get("/v1/inbox", agent="a"))["items"])
    assert f"{MARK}ville" not in (await api.call("GET", "/v1/export", params={"agent": "a"})).text
    kept = {one["content"] for one in (await api.get("/v1/memories", agent="a", limit=200))["items"]}
    assert any("Ida" in content for content in kept), "said in another session as well"
    await dream(api.runtime, "a")
    assert f"{MARK}ville" not in str((await api.get("/v1/memories", agent="a", limit=200))["items"])


@pytest.mark.exhaustive
async def test_a_memory_of_two_sessions_keeps_its_source_in_the_deleted_one_for_the_undo(api: Api) -> None:
    said = [(await say(api, "My sister Ida is a nurse", session=session, user="ana"))[0] for session in ("s", "t")]
    await dream(api.runtime)
    (memory,) = (await api.get("/v1/memories", agent="a"))["items"]

    async def sources() -> list[bool]:
        listed = [(await api.get(f"/v1/messages/{one['id']}/memories"))["items"] for one in said]
        return [memory["id"] in [one["id"] for one in items] for items in listed]

    assert await sources() == [True, True]
    done = await delete(api, "/v1/sessions/s", agent="a")
    assert (await api.get(f"/v1/memories/{memory['id']}"))["content"] == memory["content"]
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert await sources() == [True, True]


@pytest.mark.exhaustive
async def test_a_purge_reaches_what_has_been_deleted(api: Api, database_url: str) -> None:
    await say(api, f"I live in {MARK}ville and like {MARK}tea", session="s", user=f"u-{MARK}")
    await dream(api.runtime)
    await say(api, "I like coffee", session="s", user="bo")
    done = await delete(api, "/v1/sessions/s", agent="a")
    assert f"{MARK}ville" in dump(database_url)
    exported = await api.get(f"/v1/users/u-{MARK}/export")
    assert MARK in str(exported["messages"])
    assert exported["memories"]
    receipt = (await api.post(f"/v1/users/u-{MARK}/purge"))["receipt"]["counts"]
    assert (receipt["messages"], receipt["memories"] > 0) == (1, True)
    assert MARK not in dump(database_url).lower()
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert [one["content"] for one in (await api.get("/v1/sessions/s/messages", agent="a"))["items"]] == [
        "I like coffee"
    ]
    assert MARK not in dump(database_url).lower()


@pytest.mark.exhaustive
async def test_a_purge_knows_by_live_names_whom_a_deleted_memory_is_about(api: Api, database_url: str) -> None:
    person = {"relation": "about", "entity": {"name": "sam", "kind": "person"}}
    await api.save("Sam works in Bergen", links=[person])
    (entity,) = (await api.get("/v1/entities", agent="a", q="sam"))["items"]
    await api.patch(f"/v1/entities/{entity['id']}", {"aliases": [f"{MARK}samuel"]})
    await api.save(f"Somebody sings in {MARK}choir", links=[person], session="s")
    await api.save(f"The {MARK}badge is blue", metadata={"user": f"{MARK}samuel"}, session="s")
    done = await delete(api, "/v1/sessions/s", agent="a")
    assert len((await api.get("/v1/users/sam/export"))["memories"]) == 3
    assert (await api.post("/v1/users/sam/purge"))["receipt"]["counts"]["memories"] == 3
    assert MARK not in dump(database_url).lower()
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert (await api.get("/v1/memories", agent="a"))["items"] == []


@pytest.mark.exhaustive
async def test_links_to_an_entity_merged_meanwhile_follow_it(api: Api) -> None:
    def about(name: str) -> list[Json]:
        return [{"relation": "about", "entity": {"name": name, "kind": "project"}}]

    for name in ("apollo", "gemini"):
        await api.save(f"{name} is a project", links=about(name))
    memory = await api.save("The rocket is late", links=about("apollo"), session="s")
    done = await delete(api, "/v1/sessions/s", agent="a")
    ids = {one["name"]: one["id"] for one in (await api.get("/v1/entities", agent="a"))["items"]}
    await api.post(f"/v1/entities/{ids['apollo']}/merge", {"into": ids["gemini"]})
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    graph = await api.get(f"/v1/entities/{ids['gemini']}/graph", depth=1)
    assert memory["id"] in [one["id"] for one in graph["memories"]]


@pytest.mark.exhaustive
async def test_secrets_are_masked_in_what_has_been_deleted(api: Api, database_url: str) -> None:
    secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    await api.put("/v1/settings", {"secrets": {"mode": "off"}})
    await say(api, f"My token is {secret}", session="s", user="ana")
    done = await delete(api, "/v1/sessions/s", agent="a")
    await api.put("/v1/settings", {"secrets": {"mode": "redact"}})
    await api.post("/v1/rescan", {"dry_run": False})
    assert await api.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 409
    assert await rescan_next(api.runtime, "test")
    assert secret not in dump(database_url)
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    (message,) = (await api.get("/v1/sessions/s/messages", agent="a"))["items"]
    assert message["content"].startswith("My token is [SECRET:")


@pytest.mark.exhaustive
async def test_a_deletion_ends_for_good_with_the_retention_time(api: Api, database_url: str) -> None:
    await lived(api)
    done = await delete(api, "/v1/agents/a")
    await api.put("/v1/settings", {"retention": {"deleted_days": 1}})
    await apply_retention(api.runtime)
    assert (await rows(database_url, UUID(done["deletion_id"])))["messages"]
    await execute(database_url, "UPDATE deletions SET deleted_at = now() - interval '25 hours'")
    assert (await apply_retention(api.runtime))["deletions"] == 1
    assert await rows(database_url, UUID(done["deletion_id"])) == {table: [] for table in await rows(database_url)}
    assert await api.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 404
    assert (await api.get("/v1/deletions"))["items"] == []


@pytest.mark.exhaustive
async def test_no_undo_once_its_time_has_passed_though_retention_has_not_run(api: Api) -> None:
    await say(api, "Hello", agent="a")
    done = await delete(api, "/v1/sessions/s", agent="a")
    until, undo = datetime.fromisoformat(done["restorable_until"]), f"/v1/deletions/{done['deletion_id']}/undo"
    api.runtime.now = lambda: until + timedelta(seconds=1)
    answer = await api.call("POST", undo)
    assert (answer.status_code, answer.json()["title"]) == (404, "Not found")
    api.runtime.now = lambda: until
    assert await api.status("POST", undo) == 200


@pytest.mark.exhaustive
async def test_an_agent_begins_anew_and_the_old_one_cannot_come_back_over_it(api: Api) -> None:
    await lived(api)
    done = await delete(api, "/v1/agents/a")
    assert await api.status("GET", "/v1/agents/a") == 404
    assert (await api.save("A new life"))["agent"] == "a"
    assert [one["content"] for one in (await api.get("/v1/memories", agent="a"))["items"]] == ["A new life"]
    answer = await api.call("POST", f"/v1/deletions/{done['deletion_id']}/undo")
    assert (answer.status_code, "again" in answer.text) == (409, True)
    await delete(api, "/v1/agents/a")
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert (await api.get("/v1/sessions/s", agent="a"))["session"] == "s"


@pytest.mark.exhaustive
async def test_a_session_comes_back_after_its_agent(api: Api) -> None:
    await lived(api)
    session = await delete(api, "/v1/sessions/s", agent="a")
    agent = await delete(api, "/v1/agents/a")
    answer = await api.call("POST", f"/v1/deletions/{session['deletion_id']}/undo")
    assert (answer.status_code, "agents" in answer.text) == (409, True)
    await api.post(f"/v1/deletions/{agent['deletion_id']}/undo")
    await api.post(f"/v1/deletions/{session['deletion_id']}/undo")
    assert len((await api.get("/v1/sessions/s/messages", agent="a"))["items"]) == len(TALK) + 1


@pytest.mark.exhaustive
async def test_what_was_saved_again_meanwhile_stays_deleted(api: Api) -> None:
    first = await api.save("The roof is red", session="s", key="roof")
    done = await delete(api, "/v1/sessions/s", agent="a")
    again = await api.save("The roof is green", key="roof")
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    assert [one["id"] for one in (await api.get("/v1/memories", agent="a"))["items"]] == [again["id"]]
    assert [one["id"] for one in await api.search("red roof", min_relevance=0)] == [again["id"]]
    assert await api.status("POST", f"/v1/memories/{first['id']}/restore") == 409


@pytest.mark.exhaustive
async def test_what_another_user_saved_meanwhile_keeps_nothing_away(api: Api) -> None:
    link = [{"relation": "about", "entity": {"name": "Oslo"}}]
    first = await api.save("I speak German", session="s", user="anna", key="language", links=link)
    done = await delete(api, "/v1/sessions/s", agent="a")
    other = await api.save("I speak Estonian", user="boris", key="language", links=link)
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    listed = {one["id"] for one in (await api.get("/v1/memories", agent="a"))["items"]}
    assert listed == {first["id"], other["id"]}
    for user in ("anna", "boris"):
        (city,) = (await api.get("/v1/entities", agent="a", user=user))["items"]
        assert (city["owners"], city["mentions"]) == ([user], 1)


@pytest.mark.exhaustive
async def test_a_workspace_takes_its_deletions_along(api: Api, database_url: str) -> None:
    made = await api.post("/v1/workspaces", {"name": "w"})
    other = Api(api.http, api.runtime, made["key"])
    await say(other, f"I live in {MARK}ville", session="s")
    await delete(other, "/v1/sessions/s", agent="a")
    await api.patch(f"/v1/workspaces/{made['id']}", {"suspended": True})
    counted = (await api.call("DELETE", f"/v1/workspaces/{made['id']}", params={"dry_run": True})).json()
    assert counted["counts"]["messages"] == 1
    gone = await api.call("DELETE", f"/v1/workspaces/{made['id']}", params={"token": counted["token"]})
    assert gone.status_code == 200, gone.text
    assert MARK not in dump(database_url)


class TestRefusals:
    """On a server that others share."""

    async def test_without_a_token_or_with_a_wrong_one(self, tenant: Tenant) -> None:
        await say(tenant, "Hello", session="s")
        path, agent = "/v1/sessions/s", {"agent": "a"}
        assert await tenant.status("DELETE", path, params=agent) == 422
        assert await tenant.status("DELETE", path, params=agent | {"token": "x"}) == 422
        counted = (await tenant.call("DELETE", path, params=agent | {"dry_run": True})).json()
        await say(tenant, "And more", session="s")
        answer = await tenant.call("DELETE", path, params=agent | {"token": counted["token"]})
        assert (answer.status_code, answer.json()["counts"]["messages"]) == (409, 2)
        assert len((await tenant.get("/v1/sessions/s/messages", agent="a"))["items"]) == 2

    async def test_of_what_there_is_not(self, tenant: Tenant) -> None:
        for path in ("/v1/sessions/none?agent=a", "/v1/agents/none", "/v1/teams/none"):
            assert await tenant.status("DELETE", path + ("&" if "?" in path else "?") + "dry_run=true") == 404, path
        assert await tenant.status("POST", f"/v1/deletions/{new_id()}/undo") == 404

    async def test_an_agent_deletes_and_restores_its_own_sessions_alone(self, tenant: Tenant) -> None:
        for agent in ("a", "b"):
            await say(tenant, "Hello", session="s", agent=agent)
        await tenant.put("/v1/agents/a", {"teams": ["crew"]})
        a, b = [await tenant.as_role("agent", agent) for agent in ("a", "b")]
        reader = await tenant.as_role("reader", "a")
        assert await a.status("DELETE", "/v1/agents/a?dry_run=true") == 403
        assert await a.status("DELETE", "/v1/teams/crew?dry_run=true") == 403
        assert await reader.status("DELETE", "/v1/sessions/s?dry_run=true") == 403
        counted = (await a.call("DELETE", "/v1/sessions/s?dry_run=true")).json()
        assert await b.status("DELETE", "/v1/sessions/s", params={"token": counted["token"]}) == 409
        done = (await a.call("DELETE", "/v1/sessions/s", params={"token": counted["token"]})).json()
        assert [one["id"] for one in (await a.get("/v1/deletions"))["items"]] == [done["deletion_id"]]
        assert (await b.get("/v1/deletions"))["items"] == []
        assert await b.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 404
        assert await reader.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 403
        assert await a.status("POST", f"/v1/deletions/{done['deletion_id']}/undo") == 200
        assert (await b.get("/v1/sessions/s"))["session"] == "s"

    async def test_a_key_of_narrower_scopes_restores_sessions_alone(self, tenant: Tenant) -> None:
        await say(tenant, "Hello", session="s")
        made = await tenant.post("/v1/keys", {"role": "admin", "name": "narrow", "scopes": ["read", "write"]})
        narrow = replace(tenant, key=made["key"])
        for path, params, status in (("/v1/sessions/s", {"agent": "a"}, 200), ("/v1/agents/a", {}, 403)):
            counted = (await tenant.call("DELETE", path, params=params | {"dry_run": "true"})).json()
            done = await tenant.call("DELETE", path, params=params | {"token": counted["token"]})
            assert await narrow.status("POST", f"/v1/deletions/{done.json()['deletion_id']}/undo") == status
