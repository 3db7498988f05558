"""The session of the OpenAI Agents SDK: what its protocol promises. Runs of agents are in tests/integrations."""

from __future__ import annotations

from typing import Any, cast

import pytest
from agents import SessionSettings
from agents.memory.session import Session

from reverie_client.integrations import AgentMemory
from reverie_client.integrations.openai_agents import ReverieSession
from tests.live_api import Tenant

ITEMS: list[Any] = [
    {"role": "user", "content": "I am allergic to nuts."},
    {"role": "developer", "content": "Be brief."},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "note", "arguments": '{"text": "nuts"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
    {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Noted.", "annotations": []}],
    },
]  # fmt: skip


@pytest.fixture
def memory(static_tenant: Tenant) -> AgentMemory:
    address = str(static_tenant.http.base_url)
    return AgentMemory("waiter", user="ana", session="monday", url=address, api_key=static_tenant.key)


async def test_items_come_back_as_they_were_the_last_ones_first_taken(memory: AgentMemory) -> None:
    session = ReverieSession(memory)
    assert isinstance(session, Session)
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS
    assert await session.get_items(2) == ITEMS[-2:]
    assert await ReverieSession(memory, SessionSettings(limit=1)).get_items() == ITEMS[-1:]
    assert [await session.pop_item(), await session.pop_item()] == ITEMS[:-3:-1]
    assert await session.get_items() == ITEMS[:-2]
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == [*ITEMS[:-2], ITEMS[0]]
    await session.clear_session()
    assert await session.get_items() == []
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]


async def test_a_message_is_kept_as_its_text_so_that_searches_and_dreams_read_it(
    memory: AgentMemory, static_tenant: Tenant
) -> None:
    await ReverieSession(memory).add_items(ITEMS)
    answer = await static_tenant.post(
        "/v1/memories/search", {"agent": "waiter", "query": "Noted", "include": ["messages"]}
    )
    [found] = [result["message"] for result in answer["results"]]
    assert (found["role"], cast(list[Any], found["content"])[0]["text"]) == ("assistant", "Noted.")
