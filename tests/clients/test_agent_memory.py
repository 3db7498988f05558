"""``AgentMemory``, which integrations are made of: what is recalled and remembered, and what goes wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx
import pytest

from reverie_client import Reverie
from reverie_client.integrations import AgentMemory
from reverie_client.integrations.agent_memory import turn, whole_of
from tests.live_api import Api, Tenant

T = TypeVar("T")
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def api(static_tenant: Tenant) -> Tenant:
    return static_tenant


def memory_of(api: Api | Tenant, session: str = "monday", **options: Any) -> AgentMemory:
    return AgentMemory("waiter", user="ana", session=session, url=str(api.http.base_url), api_key=api.key, **options)


async def beside(work: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.to_thread(work, *arguments)


async def said(api: Tenant, session: str = "monday") -> list[Any]:
    answer = await api.get(f"/v1/sessions/{session}/messages", agent="waiter")
    return [message["content"] for message in answer["items"]]


async def test_what_one_conversation_said_is_recalled_in_another_and_not_repeated_in_its_own(api: Tenant) -> None:
    monday = memory_of(api)
    assert await beside(monday.remember, [turn("user", "I am allergic to nuts."), turn("assistant", "Noted.")])
    friday = monday.in_session("friday")
    known = await beside(friday.recall, "What am I allergic to?")
    assert "I am allergic to nuts." in known
    assert known.startswith("<reverie-memory>")
    assert await beside(monday.recall, "What am I allergic to?") == ""
    assert await beside(friday.recall, "  ") == ""


async def test_what_one_user_said_is_not_recalled_to_another_and_a_memory_says_whom_it_is_about(api: Tenant) -> None:
    ana = memory_of(api)
    await beside(ana.remember, [turn("user", "I am allergic to nuts.")])
    await beside(ana.save, "Ana is allergic to nuts")
    bob = ana.in_session("friday", "bob")
    assert await beside(bob.recall, "Who is allergic to nuts?") == ""
    await api.save("Ana is allergic to nuts", agent="waiter", user="ana", owners=[])
    known = await beside(bob.recall, "Who is allergic to nuts?")
    assert "- Ana is allergic to nuts (about ana)" in known
    assert "user said" not in known
    assert await beside(bob.search_memory, "Who is allergic to nuts?") == "- Ana is allergic to nuts"


async def test_tools_answer_with_text(api: Tenant) -> None:
    memory = memory_of(api)
    assert await beside(memory.save_memory, "Ana is allergic to nuts") == "Remembered."
    assert await beside(memory.search_memory, "allergic?") == "- Ana is allergic to nuts"
    assert (await beside(memory.save_memory, " ")).startswith("Memory failed: 422")


async def test_the_same_turns_on_one_occasion_are_appended_once_and_said_twice_twice(api: Tenant) -> None:
    memory = memory_of(api)
    for _ in range(2):
        await beside(memory.remember, [turn("user", "Yes.")], "response 1")
    assert await said(api) == ["Yes."]
    for _ in range(2):
        await beside(memory.remember, [turn("user", "Yes.")])
    assert await said(api) == ["Yes."] * 3


async def test_of_a_whole_conversation_what_is_missing_is_appended(api: Tenant) -> None:
    memory = memory_of(api)
    turns = [turn("user", "One."), turn("assistant", "Two."), turn("user", "Three.")]
    for length in (0, 1, 1, 3, 3):
        assert await beside(memory.remember_all, turns[:length])
    assert await said(api) == ["One.", "Two.", "Three."]


async def test_a_history_begins_where_it_was_cleared_and_leaves_out_what_was_taken_back(api: Tenant) -> None:
    memory = memory_of(api)
    assert await beside(memory.history) == []
    whole = {"type": "call", "arguments": "{}"}
    await beside(memory.remember, [turn("user", "Before.")])
    await beside(memory.clear)
    await beside(memory.remember, [turn("user", "Hello"), turn("assistant", "", whole), turn("user", "Wrong")])
    await beside(memory.take_back)
    history = await beside(memory.history)
    assert [whole_of(record) for record in history] == [None, whole]
    assert history[0].content == "Hello"
    assert [whole_of(record) for record in await beside(memory.history, 1)] == [whole]


class Breaking(httpx.HTTPTransport):
    """Carries requests to the server and loses their answers, as long as it is broken."""

    broken = True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if self.broken:
            response.read()
            raise httpx.ReadError("the answer was lost")
        return response


@pytest.fixture
def breaking(api: Tenant) -> Iterator[tuple[AgentMemory, Breaking]]:
    memory = memory_of(api, retries=0)
    transport = Breaking()
    http = httpx.Client(base_url=str(api.http.base_url), transport=transport)
    memory.close()
    memory.client.http = http
    yield memory, transport
    http.close()


async def test_turns_whose_answer_was_lost_are_sent_again_and_there_once(
    api: Tenant, breaking: tuple[AgentMemory, Breaking], caplog: pytest.LogCaptureFixture
) -> None:
    memory, transport = breaking
    with caplog.at_level(logging.WARNING):
        assert not await beside(memory.remember, [turn("user", "I am allergic to nuts.")])
        assert not await beside(memory.remember, [turn("user", "I like tea.")])
    assert "the agent goes on" in caplog.text
    transport.broken = False
    assert await beside(memory.remember, [turn("user", "Hello.")])
    assert await said(api) == ["I am allergic to nuts.", "I like tea.", "Hello."]


async def test_turns_that_are_refused_do_not_hold_up_what_follows(api: Tenant) -> None:
    memory = memory_of(api)
    assert not await beside(memory.remember, [turn("user", "no\x00thing")])
    assert not await beside(memory.remember, [turn("user", "lone \ud800 surrogate")])
    assert await beside(memory.remember, [turn("user", "Hello.")])
    assert await said(api) == ["Hello."]


def test_without_a_server_nothing_raises_and_each_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    memory = AgentMemory("waiter", url=NOWHERE, api_key="any", retries=0)
    with caplog.at_level(logging.WARNING, "reverie_client.integrations"):
        assert memory.recall("tea") == ""
        assert memory.find("tea") == []
        assert memory.history() == []
        done = [memory.remember([turn("user", "tea")]), memory.remember_all([turn("user", "tea")]), memory.save("tea")]
        assert [*done, memory.clear(), memory.take_back()] == [False] * 5
        assert memory.search_memory("tea").startswith("Memory failed: ")
        assert memory.save_memory("tea").startswith("Memory failed: ")
    assert len(caplog.records) == 10


async def test_it_takes_address_and_key_from_the_environment(api: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_URL", str(api.http.base_url))
    monkeypatch.setenv("REVERIE_API_KEY", api.key)
    memory = AgentMemory("waiter")
    assert isinstance(memory.client, Reverie)
    assert await beside(memory.save, "Ana drinks tea")
    assert memory.session != AgentMemory("waiter").session
