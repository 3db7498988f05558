"""``Memory``, the four methods of a chat loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from reverie_client import AIMessage, ChatMemory, Message, SystemMessage, ToolMessage, UserMessage
from tests.live_api import Api, Tenant
from tests.worker.dreaming import dream


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def beside(api: Api | Tenant, work: Callable[[ChatMemory], Any], **options: Any) -> Any:
    """What ``work`` gives with a memory of the user ana, run beside the server's event loop."""

    def run() -> Any:
        memory = ChatMemory("ana", "s1", str(api.http.base_url), api.key, **options)
        try:
            return work(memory)
        finally:
            memory.close()

    return await asyncio.to_thread(run)


TURNS: list[Message] = [
    SystemMessage(content="Be brief."),
    UserMessage(content="Hello"),
    AIMessage(content=None, tool_calls={"name": "clock"}),
    ToolMessage(content="noon"),
    AIMessage(content="Good day"),
]


async def test_turns_come_back_as_they_were(api: Tenant) -> None:
    assert await beside(api, lambda memory: [memory.add_memory(turn) for turn in TURNS]) == [True] * 5
    assert await beside(api, lambda memory: memory.retrieve_short_memory(10)) == TURNS
    last = await beside(api, lambda memory: memory.retrieve_short_memory(2))
    assert last == TURNS[-2:]
    assert [type(turn) for turn in last] == [ToolMessage, AIMessage]
    assert await beside(api, lambda memory: memory.retrieve_short_memory(0)) == []


async def test_what_is_known_comes_as_one_system_message(static_api: Tenant) -> None:
    await static_api.save("Ana's favourite colour is blue", agent="ana", user="ana")
    await static_api.save("Ben's favourite colour is red", agent="ben", user="ben")
    asked = [UserMessage(content="What is my favourite colour?")]
    known = await beside(static_api, lambda memory: memory.retrieve_long_memory(asked, limit=5))
    assert isinstance(known, SystemMessage)
    assert known.content is not None
    assert known.content.startswith("retrieved memories:\n")
    assert "blue" in known.content
    assert "red" not in known.content
    assert (await beside(static_api, lambda memory: memory.retrieve_long_memory([]))).content == ""


async def test_what_was_said_in_another_conversation_is_known_at_once(static_api: Tenant) -> None:
    def work(memory: ChatMemory) -> Message:
        memory.add_memory(UserMessage(content="My favourite colour is blue."))
        memory.start_new_session()
        memory.add_memory(UserMessage(content="What is my favourite colour?"))
        return memory.get_context()[0]

    known = (await beside(static_api, work)).content
    assert known == "retrieved memories:\n- user: My favourite colour is blue."


async def test_the_context_is_what_is_known_and_the_last_turns(static_api: Tenant) -> None:
    await static_api.save("Ana's favourite colour is blue", agent="ana", user="ana")

    def work(memory: ChatMemory) -> tuple[list[Message], list[Message]]:
        memory.add_memory(UserMessage(content="What is my favourite colour?"))
        return memory.get_context(turns=5), memory.get_context(turns=5, include_long_term=False)

    full, short = await beside(static_api, work)
    assert [turn.role for turn in full] == ["system", "user"]
    assert [turn.role for turn in short] == ["user"]


async def test_without_long_term_nothing_is_looked_up(own_static_api: Api) -> None:
    await own_static_api.save("Ana's favourite colour is blue", agent="ana", user="ana")
    embedded = own_static_api.runtime.embedder
    assert embedded is not None
    asked: list[Any] = []
    original = embedded.embed

    async def watched(texts: Any, *rest: Any) -> Any:
        asked.append(texts)
        return await original(texts, *rest)

    embedded.embed = watched  # type: ignore[method-assign]

    def work(memory: ChatMemory) -> Message:
        memory.add_memory(UserMessage(content="What is my favourite colour?"))
        memory.get_context()
        memory.start_new_session()
        return memory.retrieve_long_memory([UserMessage(content="my favourite colour")])

    assert (await beside(own_static_api, work, use_long_term=False)).content == ""
    assert asked == []
    assert (await own_static_api.get("/v1/dreams"))["items"] == []


async def test_without_long_term_no_dream_makes_memories_of_the_turns(static_api: Tenant) -> None:
    def work(memory: ChatMemory) -> None:
        memory.add_memory(UserMessage(content="I live in Oslo."))

    await beside(static_api, work, use_long_term=False)
    await beside(static_api, lambda memory: memory.add_memory(UserMessage(content="I work at Initech.")))
    assert (await dream(static_api, "ana"))["report"]["messages"] == 2, "none is left for the next dream"
    known = (await static_api.get("/v1/memories", agent="ana"))["items"]
    assert [memory["content"] for memory in known] == ["ana works at Initech."]
    turns = await beside(static_api, lambda memory: memory.retrieve_short_memory(5), use_long_term=False)
    assert [turn.content for turn in turns] == ["I live in Oslo.", "I work at Initech."]


async def test_a_new_session_is_empty_and_the_old_one_is_dreamed_about(api: Tenant) -> None:
    def work(memory: ChatMemory) -> tuple[str, str, list[Message]]:
        memory.add_memory(UserMessage(content="I moved to Bergen."))
        old, new = memory.session_id, memory.start_new_session()
        return old, new, memory.retrieve_short_memory(5)

    old, new, turns = await beside(api, work)
    assert old != new
    assert turns == []
    assert [dream["agent"] for dream in (await api.get("/v1/dreams"))["items"]] == ["ana"]


def test_a_failure_is_logged_and_never_raised(caplog: pytest.LogCaptureFixture) -> None:
    memory = ChatMemory("ana", url="http://127.0.0.1:9", api_key="x", retries=0)
    with caplog.at_level(logging.ERROR):
        assert memory.add_memory(UserMessage(content="x")) is False
        assert memory.retrieve_short_memory(3) == []
        assert memory.retrieve_long_memory([UserMessage(content="x")]).content == ""
        assert memory.get_context() == []
        assert memory.start_new_session()
    assert {record.message.split(":")[0] for record in caplog.records} == {
        "add_memory",
        "retrieve_short_memory",
        "retrieve_long_memory",
        "start_new_session",
    }


def test_messages_as_text() -> None:
    memory = ChatMemory("ana", url="http://127.0.0.1:9", api_key="x")
    for turn in TURNS:
        assert memory.deserialize(memory.serialize(turn), turn.role) == turn
    with pytest.raises(ValueError):
        memory.deserialize("{}", "robot")
    with pytest.raises(ValueError):
        memory.deserialize("not json", "user")
