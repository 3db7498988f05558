"""Keys, roles, and what one agent may see of another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.live_api import Api, Caller, Tenant

pytestmark = pytest.mark.first_tier


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of the test's own, on a server that the tests share."""
    return tenant


async def test_only_a_live_key_opens_the_door(api: Caller) -> None:
    for key in ("", "wrong", "rv_AAAA", "rv_" + "A" * 80):
        response = await api.http.get("/v1/memories", headers={"Authorization": f"Bearer {key}"} if key else {})
        assert response.status_code == 401
        assert response.json()["title"] == "Not authenticated"
    assert (await api.http.get("/healthz")).status_code == 200


async def test_a_rotated_or_revoked_key_stops_at_once(api: Caller) -> None:
    made = await api.post("/v1/keys", {"role": "agent", "agent": "a", "name": "one"})
    holder = replace(api, key=made["key"])
    assert await holder.status("GET", "/v1/memories") == 200
    rotated = await api.post(f"/v1/keys/{made['id']}/rotate")
    assert await holder.status("GET", "/v1/memories") == 401
    fresh = replace(api, key=rotated["key"])
    await fresh.save("Known before")
    assert await fresh.status("GET", "/v1/memories") == 200
    await api.delete(f"/v1/keys/{made['id']}")
    assert await fresh.status("POST", "/v1/memories", json={"type": "fact", "content": "Too late"}) == 401
    assert await fresh.status("GET", "/v1/memories") == 401


async def test_keys_are_listed_without_their_text(api: Caller) -> None:
    made = await api.post("/v1/keys", {"role": "reader", "name": "one"})
    listed = await api.call("GET", "/v1/keys")
    assert made["key"] not in listed.text
    assert {key["role"] for key in listed.json()["items"]} == {"admin", "reader"}


async def test_of_a_key_its_hash_alone_is_stored(api: Tenant) -> None:
    made = await api.post("/v1/keys", {"role": "reader", "name": "one"})
    stored = await api.stored("SELECT k::text FROM api_keys k WHERE id = $1", made["id"])
    assert made["name"] in stored
    for text in (made["key"], made["key"].encode().hex()):
        assert text not in stored


async def test_the_last_admin_key_cannot_be_revoked(api: Caller) -> None:
    own = (await api.get("/v1/keys"))["items"][0]
    assert await api.status("DELETE", f"/v1/keys/{own['id']}") == 409
    assert await api.status("GET", "/v1/keys") == 200


@pytest.mark.parametrize("role", ["agent", "reader"])
async def test_only_an_admin_administers(api: Caller, role: str) -> None:
    other = await api.as_role(role, "a" if role == "agent" else None)
    assert await other.status("POST", "/v1/keys", json={"role": "admin", "name": "mine"}) == 403
    assert await other.status("GET", "/v1/keys") == 403
    assert await other.status("PUT", "/v1/settings", json={}) == 403


async def test_a_reader_changes_nothing(api: Caller) -> None:
    memory = await api.save("Read only")
    reader = await api.as_role("reader")
    assert len(await reader.search("read")) == 1
    assert await reader.status("POST", "/v1/memories", json={"agent": "a", "type": "fact", "content": "x"}) == 403
    assert await reader.status("DELETE", f"/v1/memories/{memory['id']}") == 403
    body = {"agent": "a", "messages": [{"role": "user", "content": "x"}]}
    assert await reader.status("POST", "/v1/sessions/s/messages", json=body) == 403


async def test_an_agent_key_cannot_reach_another_agents_private_memory(api: Caller) -> None:
    memory = await api.save(
        "The secret word is swordfish", agent="a", links=[{"relation": "about", "entity": {"name": "X"}}]
    )
    await api.post("/v1/sessions/s/messages", {"agent": "a", "messages": [{"role": "user", "content": "secret"}]})
    message = (await api.get("/v1/sessions/s/messages", agent="a"))["items"][0]
    other = await api.as_role("agent", "b")
    await other.post("/v1/memories", {"type": "fact", "content": "mine"})
    path = f"/v1/memories/{memory['id']}"
    for method, target, body in [
        ("GET", path, None),
        ("PATCH", path, {"version": 1, "content": "changed"}),
        ("DELETE", path, None),
        ("POST", f"{path}/restore", None),
        ("GET", f"{path}/history", None),
        ("GET", f"{path}/sources", None),
        ("GET", "/v1/sessions/s?agent=a", None),
        ("GET", "/v1/sessions/s/messages?agent=a", None),
        ("GET", "/v1/sessions/s/window?agent=a", None),
        ("DELETE", "/v1/sessions/s/window?agent=a", None),
        ("GET", f"/v1/messages/{message['id']}/memories", None),
        ("GET", "/v1/agents/a", None),
        ("PUT", "/v1/agents/a", {"name": "mine"}),
        ("GET", "/v1/agents/a/bulletin", None),
        ("POST", "/v1/agents/a/dream", {}),
    ]:
        assert await other.status(method, target, json=body) == 404, (method, target)
    assert "swordfish" not in (await other.call("GET", "/v1/memories?agent=a")).text
    assert await other.search("swordfish secret word", agent="a") == []
    assert (await other.get("/v1/entities", agent="a"))["items"] == []
    assert (await api.get(path))["content"] == "The secret word is swordfish"


async def test_an_agent_key_acts_as_its_agent_whatever_the_body_says(api: Caller) -> None:
    holder = await api.as_role("agent", "b")
    saved = await holder.post("/v1/memories", {"agent": "a", "type": "fact", "content": "x"})
    assert saved["memory"]["agent"] == "b"


async def test_an_admin_key_must_name_the_agent(api: Caller) -> None:
    response = await api.call("POST", "/v1/memories", json={"type": "fact", "content": "x"})
    assert response.status_code == 422
    assert response.json()["errors"][0]["loc"] == ["body", "agent"]


async def test_each_scope_reaches_exactly_its_readers(api: Caller) -> None:
    await api.put("/v1/agents/a", {"teams": ["red"]})
    await api.put("/v1/agents/b", {"teams": ["red"]})
    await api.put("/v1/agents/c", {"teams": ["blue"]})
    await api.put("/v1/agents/chief", {"prime": True})
    for scope, group in [("agent", {}), ("team", {"team": "red"}), ("task", {"task": "t"}), ("prime", {})]:
        await api.save(f"word of scope {scope}", scope=scope, **group)
    await api.save("word of scope session", scope="session", session="s")

    async def sees(agent: str, **named: str) -> set[str]:
        found = await api.search("word of scope", agent=agent, limit=50, **named)
        return {memory["scope"] for memory in found}

    assert await sees("a") == {"agent", "team", "prime"}
    assert await sees("b") == {"team"}
    assert await sees("c") == set()
    assert await sees("chief") == {"prime"}
    assert await sees("c", task="t") == {"task"}
    assert await sees("a", session="s") == {"session"}
    assert await sees("b", session="s") == set()


async def test_a_teammate_reads_but_does_not_change(api: Caller) -> None:
    for agent in ("a", "b"):
        await api.put(f"/v1/agents/{agent}", {"teams": ["red"]})
    memory = await api.save("Ours", scope="team", team="red")
    mate = await api.as_role("agent", "b")
    assert (await mate.get(f"/v1/memories/{memory['id']}"))["content"] == "Ours"
    assert await mate.status("PATCH", f"/v1/memories/{memory['id']}", json={"version": 1, "content": "Mine"}) == 403
    stranger = await api.as_role("agent", "c")
    assert await stranger.status("GET", f"/v1/memories/{memory['id']}") == 404


async def test_a_raw_connection_as_the_services_role_sees_nothing(own_api: Api) -> None:
    await own_api.save("Walled in")
    async with own_api.runtime.db.unscoped() as connection, connection.raw.transaction():
        await connection.raw.execute("SET LOCAL ROLE reverie_app")
        for table in ("memories", "search_index", "search_terms", "api_keys", "agents", "messages"):
            assert await connection.raw.fetchval(f"SELECT count(*) FROM {table}") == 0, table  # noqa: S608


async def test_sharing_a_memory_shows_neither_its_private_past_nor_its_sources(own_api: Api) -> None:
    for agent in ("a", "b"):
        await own_api.put(f"/v1/agents/{agent}", {"teams": ["red"]})
    body = {"agent": "a", "messages": [{"role": "user", "content": "Between us: swordfish"}]}
    message = (await own_api.post("/v1/sessions/s/messages", body))["messages"][0]
    memory = await own_api.save("The word is swordfish")
    async with own_api.runtime.db.unscoped() as connection:
        await connection.raw.execute(
            "INSERT INTO memory_sources SELECT workspace_id, $1, $2 FROM workspaces", memory["id"], message["id"]
        )
    path = f"/v1/memories/{memory['id']}"
    await own_api.patch(path, {"version": 1, "content": "There is a word", "scope": "team", "team": "red"})
    await own_api.patch(path, {"version": 2, "content": "There is a secret word"})
    mate = await own_api.as_role("agent", "b")
    seen = (await mate.get(f"{path}/history"))["items"]
    assert [version["content"] for version in seen] == ["There is a word", "There is a secret word"]
    assert (await mate.get(f"{path}/sources"))["items"] == []
    author = await own_api.as_role("agent", "a")
    assert len((await author.get(f"{path}/history"))["items"]) == 3
    assert len((await author.get(f"{path}/sources"))["items"]) == 1


async def test_a_key_tells_what_it_opens(own_api: Api) -> None:
    await own_api.save("here", agent="a")
    agent = await own_api.as_role("agent", "a")
    told = await agent.get("/v1/whoami")
    assert (told["workspace"], told["role"], told["agent"], told["name"]) == ("default", "agent", "a", "agent a")
    assert (await own_api.get("/v1/whoami"))["agent"] is None
    assert await replace(own_api, key="nothing").status("GET", "/v1/whoami") == 401


async def test_an_admin_saves_into_no_team_that_the_agent_is_not_in(api: Caller) -> None:
    await api.put("/v1/agents/a", {"teams": ["red"]})
    for team, agent in (("red", "b"), ("blue", "a"), ("nobody's", "stranger")):
        body = {"agent": agent, "type": "fact", "content": "x", "scope": "team", "team": team}
        for method, path, sent, loc in (
            ("POST", "/v1/memories", body, ["body", "team"]),
            ("POST", "/v1/memories/batch", {"items": [body, body]}, ["body", "items", 0, "team"]),
        ):
            answer = await api.call(method, path, json=sent)
            assert answer.status_code == 422, answer.text
            assert answer.json()["errors"][0]["loc"] == loc
    assert (await api.get("/v1/memories"))["items"] == []
    memory = await api.save("The kettle is ours", scope="team", team="red")
    assert [found["id"] for found in await api.search("kettle")] == [memory["id"]]
    path = f"/v1/memories/{memory['id']}"
    assert await api.status("PATCH", path, json={"version": 1, "team": "blue"}) == 422
    await api.put("/v1/agents/a", {"teams": []})
    assert (await api.patch(path, {"version": 1, "content": "Theirs"}))["content"] == "Theirs"
