"""Users over MCP: nothing of one reaches another, whatever the tool, and however it is said whom the call is for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client

from tests.live_api import Json, Tenant
from tests.mcp_client import OVER_STDIO, Connect, over_http, told
from tests.three_users import AGENT, BELONGS, QUERY, SESSION, USERS, heard, prepare, visible
from tests.worker.dreaming import dream, say

both = pytest.mark.parametrize("connect", [over_http, OVER_STDIO], ids=["http", "stdio"])
READS: dict[str, Json] = {
    "memory_search": {"query": QUERY, "limit": 50},
    "memory_context": {"message": QUERY},
    "memory_ask": {"question": QUERY},
}


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


@asynccontextmanager
async def connected(connect: Connect, api: Tenant, how: str, user: str | None) -> AsyncIterator[tuple[Client, Json]]:
    """A client for this user, who is named in the key, by the connection or in the arguments; what those have of it."""
    key, named = api.key, {}
    if user is not None and how == "key":
        key = (await api.post("/v1/keys", {"role": "agent", "agent": AGENT, "name": user, "user": user}))["key"]
    if user is not None and how == "connection":
        named = {"user": user}
    async with connect(api, key, agent=AGENT, **named) as client:
        yield client, {"user": user} if user is not None and how == "arguments" else {}


@both
@pytest.mark.parametrize("how", ["key", "connection", "arguments"])
@pytest.mark.parametrize("user", [*USERS, None])
async def test_what_is_read(static_api: Tenant, connect: Connect, how: str, user: str | None) -> None:
    memories = await prepare(static_api)
    seen = visible({user} if user else set())
    async with connected(connect, static_api, how, user) as (client, named):
        for tool, arguments in READS.items():
            answer = await told(client, tool, **arguments, **named)
            assert heard(answer) >= seen, tool
            assert heard(answer) <= visible({user} if user else set(), said=True), tool
            assert answer["viewer"] == ([user] if user else "nobody")
        if how != "arguments":
            assert heard(await told(client, "search", query=QUERY)) == seen
            for word, memory in memories.items():
                fetched = await client.call_tool("fetch", {"id": memory["id"]})
                assert fetched.is_error is (word not in seen)
                assert heard(fetched) <= seen
            prompt = await client.get_prompt("recall", {"topic": QUERY})
            assert heard(prompt) == seen


async def test_a_session_named_alone_is_for_all_in_it(static_api: Tenant) -> None:
    await prepare(static_api)
    async with over_http(static_api, static_api.key, agent=AGENT) as client:
        context = await told(client, "memory_context", message=QUERY, session=SESSION)
    assert context["viewer"] == sorted(USERS)
    assert heard(context) >= visible(set(USERS))
    assert heard(context) <= visible(set(USERS), said=True)


@pytest.mark.parametrize("how", ["key", "connection", "arguments"])
async def test_nothing_of_another_user_is_changed(static_api: Tenant, how: str) -> None:
    memories = await prepare(static_api)
    deleted = await static_api.save("An old bread of Anna", agent=AGENT, user="anna")
    await static_api.delete(f"/v1/memories/{deleted['id']}")
    for user in ("boris", None):
        async with connected(over_http, static_api, how, user) as (client, named):
            for tool, id_, changes in [
                ("memory_update", memories["figs"]["id"], {"content": "changed"}),
                ("memory_forget", memories["figs"]["id"], {}),
                ("memory_restore", deleted["id"], {}),
            ]:
                refused = await client.call_tool(tool, {"memory_id": id_} | changes | named)
                assert refused.is_error
                assert "404" in str(refused.content)
            first = await told(client, "memory_clear", older_than=0, **named)
            assert heard(first) <= {"raisins"} if user else heard(first) <= visible(set())
            cleared = await told(client, "memory_clear", older_than=0, confirmation=first["confirmation"], **named)
            assert cleared["deleted"] == 1, "what is the user's alone, and without a user what is nobody's"
    left = await static_api.get("/v1/memories", agent=AGENT, limit=200)
    assert {word for word in BELONGS if word in str(left)} == BELONGS.keys() - {"raisins", "poppy"}


async def test_a_memory_belongs_to_who_is_speaking(static_api: Tenant) -> None:
    async def owners(**found: str) -> Any:
        memory = await static_api.get(f"/v1/memories/{found['id']}")
        return memory["user"], memory["owners"]

    async with over_http(static_api, static_api.key, agent=AGENT) as client:
        assert await owners(**await told(client, "memory_save", content="Bread is baked here")) == (None, [])
        own = await told(client, "memory_save", content="Anna bakes bread", user="anna")
        assert await owners(**own) == ("anna", ["anna"])
        of_other = await told(client, "memory_save", content="Boris burns bread", user="anna", about="boris")
        assert await owners(**of_other) == ("boris", ["anna"])
    for how in ("key", "connection"):
        async with connected(over_http, static_api, how, "clara") as (client, _):
            made = await told(client, "memory_save", content=f"Clara eats bread ({how})", about="boris")
            assert await owners(**made) == ("boris", ["clara"])
            named = await client.call_tool("memory_save", {"content": "Anna told this", "user": "anna"})
            assert named.is_error
            assert "another user" in str(named.content)
            read = await client.call_tool("memory_search", {"query": "bread", "user": "anna"})
            assert read.is_error


async def test_profiles_resources_and_prompts(static_api: Tenant) -> None:
    for user, told_of in (("anna", "Bergen"), ("boris", "Tartu")):
        await static_api.save(f"{user.title()} lives in {told_of}", agent=AGENT, user=user, type="identity")
        await static_api.save(f"The secret of {user} is {told_of}", agent=AGENT, user=user)
        question = {"agent": AGENT, "question": f"Where does {user} live?"}
        await static_api.post("/v1/pages", question, params={"user": user})
    await dream(static_api)
    async with over_http(static_api, static_api.key, agent=AGENT, user="anna") as client:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert "reverie://users/anna/profile" in listed
        assert "reverie://users/boris/profile" not in listed
        for uri in [*listed, "reverie://users/boris/profile"]:
            assert "Tartu" not in str(await client.read_resource(uri)), uri
        assert "Bergen" in str(await client.read_resource("reverie://users/anna/profile"))
        assert "Tartu" not in str(await told(client, "user_profile", user="boris"))
        assert "Tartu" not in str(await client.get_prompt("about_user", {"user": "boris"}))
        pages = await told(client, "page_list")
        assert [page["question"] for page in pages["pages"]] == ["Where does anna live?"]
    async with over_http(static_api, static_api.key, agent=AGENT) as client:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"reverie://bulletin"}
        assert "Bergen" in str(await told(client, "user_profile", user="anna")), "it is for the person asked about"
        assert (await told(client, "page_list"))["pages"] == []


async def test_a_graph_has_no_links_of_others(static_api: Tenant) -> None:
    for user, place in (("anna", "Bergen"), ("boris", "Tartu")):
        links = [{"relation": "about", "entity": {"name": place, "kind": "place"}}]
        await static_api.save(f"{user.title()} lives in {place}", agent=AGENT, user=user, links=links)
    async with over_http(static_api, static_api.key, agent=AGENT) as client:
        own = await told(client, "entity_graph", entity="Bergen", user="anna")
        assert "Anna lives in Bergen" in str(own)
        for named in ({"user": "boris"}, {}):
            refused = await client.call_tool("entity_graph", {"entity": "Bergen"} | named)
            assert refused.is_error
            assert "Anna" not in str(refused)


async def test_an_accepted_proposal_is_trusted_no_more_than_the_model(static_api: Tenant) -> None:
    await static_api.put(f"/v1/agents/{AGENT}", {"settings": {"dream": {"propose_below": 0.7}}})
    await say(static_api, "I think I live in Bergen", user="anna")
    await dream(static_api)
    [proposal, *_] = [one["id"] for one in (await static_api.get("/v1/inbox", agent=AGENT))["items"]]
    async with over_http(static_api, static_api.key, agent=AGENT) as client:
        assert (await told(client, "inbox_list"))["proposals"] == []
        assert (await told(client, "inbox_list", user="boris"))["proposals"] == []
        refused = await client.call_tool("inbox_decide", {"proposal_id": proposal, "action": "accept"})
        assert refused.is_error
        [waiting] = (await told(client, "inbox_list", user="anna"))["proposals"]
        assert waiting["id"] == proposal
        decided = await told(client, "inbox_decide", proposal_id=proposal, action="accept", user="anna")
    memory = await static_api.get(f"/v1/memories/{decided['memory_id']}")
    assert (memory["origin"], memory["owners"]) == ("assistant", ["anna"])
