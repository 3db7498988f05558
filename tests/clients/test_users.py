"""Users through the clients and what integrations are made of: nothing of one reaches another."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reverie_client import AsyncMemory, AsyncReverie, NotFound
from reverie_client.chat_memory import ChatMemory, UserMessage
from reverie_client.integrations import AgentMemory
from tests.live_api import Tenant
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
        assert (await client.search(QUERY)).viewer == ["anna"]


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
