"""Users through the clients and what integrations are made of: nothing of one reaches another."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from reverie_client import AsyncMemory, AsyncReverie, NotFound
from reverie_client.chat_memory import ChatMemory, UserMessage
from reverie_client.integrations import AgentMemory
from reverie_client.integrations.memory_files import MemoryFiles
from tests.clients.langgraph_stores import store_of
from tests.live_api import Json, Tenant
from tests.three_users import AGENT, QUERY, SESSION, USERS, heard, prepare, visible


@pytest.fixture
def api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


@pytest.mark.parametrize("user", [*USERS, None])
async def test_an_integration_reads_for_its_user(api: Tenant, user: str | None) -> None:
    await prepare(api)
    place: Any = {"url": str(api.http.base_url), "api_key": api.key}
    memory = AgentMemory(AGENT, user=user, session="elsewhere", **place)
    seen, at_most = visible({user} if user else set()), visible({user} if user else set(), said=True)
    for read in (memory.recall, memory.search_memory):
        assert seen <= heard(await asyncio.to_thread(read, QUERY)) <= at_most
    team = memory.in_session(SESSION)
    members = {user} if user else set(USERS)
    assert visible(members) <= heard(await asyncio.to_thread(team.recall, QUERY)) <= visible(members, said=True)
    history = await asyncio.to_thread(team.history)
    assert heard(history) == visible(members, said=True) - visible(members)
    other = memory.in_session("elsewhere", "somebody")
    assert heard(await asyncio.to_thread(other.recall, QUERY)) == visible(set())


async def test_a_client_for_a_user_names_that_user_everywhere(api: Tenant) -> None:
    memories = await prepare(api)
    async with AsyncReverie(str(api.http.base_url), api.key, agent=AGENT, user="anna") as client:
        assert heard([one async for one in client.list_memories()]) == visible({"anna"})
        boris = client.for_user("boris")
        assert heard([one async for one in boris.list_memories()]) == visible({"boris"})
        assert heard([one async for one in client.list_memories(user="boris")]) == visible({"boris"})
        with pytest.raises(NotFound):
            await client.get_memory(memories["raisins"]["id"])
        saved = await client.save_memory("fact", "Anna bakes on Sunday")
        assert saved.memory is not None
        assert saved.memory.owners == ["anna"]
        nobodys = await client.save_memory("fact", "The oven is hot", owners=[])
        assert nobodys.memory is not None
        assert nobodys.memory.owners == []
        assert (await client.search_memories(QUERY)).viewer == ["anna"]


async def test_a_user_id_of_mem0_is_whose_it_is(api: Tenant) -> None:
    await prepare(api)
    async with AsyncMemory(str(api.http.base_url), api.key) as memory:
        for user in USERS:
            named = {"user_id": user, "agent_id": AGENT}
            own = visible({user}) - visible(set())
            assert heard(await memory.get_all(**named)) == own
            assert own <= heard(await memory.search(QUERY, **named)) <= visible({user}, said=True) - visible(set())
        await memory.delete_all(user_id="clara", agent_id=AGENT)
    left = heard(await api.get("/v1/memories", agent=AGENT))
    assert left == {"poppy", "figs", "raisins", "sesame"}, "what was Clara's is deleted, alone or with others"


async def test_a_chat_memory_is_one_user_s(api: Tenant) -> None:
    place: Any = {"url": str(api.http.base_url), "api_key": api.key, "agent": AGENT}
    await prepare(api)
    memory = ChatMemory("clara", "clara's", **place)
    known = await asyncio.to_thread(memory.retrieve_long_memory, [UserMessage(content=QUERY)], 50)
    assert visible({"clara"}) <= heard(known.content) <= visible({"clara"}, said=True)


async def test_a_langgraph_store_tells_users_apart_in_one_namespace(api: Tenant) -> None:
    async def serve(state: MessagesState, *, store: BaseStore) -> None:
        last = state["messages"][-1].text
        await store.aput(("notes",), "own", {"text": last})

    builder = StateGraph(MessagesState).add_node("serve", serve).add_edge(START, "serve")
    stores = {user: store_of(api, user=user) for user in (None, *USERS)}
    said = {user: f"The bread of {user} is the best." for user in stores}
    for user, store in stores.items():
        await builder.compile(store=store).ainvoke({"messages": [("user", said[user])]})
    for user, store in stores.items():
        async with store:
            listed, ranked = await store.asearch(("notes",)), await store.asearch(("notes",), query=QUERY)
            assert [item.value["text"] for item in listed] == [said[user]]
            assert said[user] in {item.value["text"] for item in ranked} <= {said[user], said[None]}


@pytest.mark.parametrize("settings", [{}, {"users": "shared"}, {"pii": {"mode": "redact"}}], ids=str)
async def test_a_langgraph_store_deletes_what_its_user_has_and_nothing_else(api: Tenant, settings: Json) -> None:
    await api.put("/v1/settings", settings)
    anna, boris = (store_of(api, user=f"{user}@example.org") for user in ("anna", "boris"))
    async with anna, boris, store_of(api) as nobodys:
        for store, key in ((anna, "anna's"), (boris, "boris's"), (nobodys, "nobody's")):
            await store.aput(("notes",), key, {"text": "bread"})
        for key in ("anna's", "boris's", "nobody's"):
            await anna.adelete(("notes",), key)
        left = [one["metadata"]["langgraph"]["key"] for one in (await api.get("/v1/memories", agent=AGENT))["items"]]
        assert sorted(left) == ["boris's", "nobody's"]


async def test_a_user_whose_name_is_masked_has_files(api: Tenant) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    place: Any = {"url": str(api.http.base_url), "api_key": api.key}
    anna, boris = (MemoryFiles(AgentMemory(AGENT, user=f"{user}@example.org", **place)) for user in ("anna", "boris"))
    await asyncio.to_thread(anna.create, "/memories/notes.md", "I am allergic to nuts.")
    assert "nuts" in await asyncio.to_thread(anna.view, "/memories/notes.md")
    assert "notes.md" not in await asyncio.to_thread(boris.view, "/memories")
