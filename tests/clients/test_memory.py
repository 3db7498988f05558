"""``Memory`` and ``AsyncMemory``, which have the methods and answers of mem0, against a real server."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

from reverie_client import AsyncMemory, AsyncReverie, Memory, NotAllowed, NotFound
from service.settings import Settings
from tests.live_api import ADMIN_KEY, Tenant, serving
from worker.app import run_once

TURNS = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "I moved to Bergen."},
    {"role": "assistant", "content": "How nice."},
]


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


@pytest.fixture
async def memory(static_api: Tenant) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(str(static_api.http.base_url), static_api.key) as opened:
        yield opened


def texts(answer: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in answer["results"]]


async def test_a_text_is_saved_as_it_is_found_changed_and_deleted(memory: AsyncMemory) -> None:
    added = await memory.add("Alice drinks green tea", user_id="alice", metadata={"category": "drinks"})
    [one] = added["results"]
    assert (one["memory"], one["event"], one["metadata"]) == ("Alice drinks green tea", "ADD", {"category": "drinks"})
    again = await memory.add("Alice drinks green tea", user_id="alice", metadata={"category": "drinks"})
    assert [(same["id"], same["event"]) for same in again["results"]] == [(one["id"], "NONE")]
    [found] = (await memory.search("what does Alice drink?", user_id="alice", limit=3))["results"]
    assert (found["id"], found["memory"], found["user_id"]) == (one["id"], "Alice drinks green tea", "alice")
    assert found["score"] > 0
    assert texts(await memory.get_all(user_id="alice")) == ["Alice drinks green tea"]
    assert (await memory.get_all(user_id="bob"))["results"] == []
    await memory.update(one["id"], data="Alice drinks black tea", metadata={"category": "hot"})
    changed = await memory.get(one["id"])
    assert changed is not None
    assert (changed["memory"], changed["metadata"]) == ("Alice drinks black tea", {"category": "hot"})
    await memory.delete(one["id"])
    assert await memory.get(one["id"]) is None
    events = [(entry["event"], entry["old_memory"], entry["new_memory"]) for entry in await memory.history(one["id"])]
    assert events[0] == ("ADD", None, "Alice drinks green tea")
    assert ("UPDATE", "Alice drinks green tea", "Alice drinks black tea") in events
    assert events[-1] == ("DELETE", "Alice drinks black tea", None)


async def test_turns_are_found_at_once_and_a_dream_makes_memories_of_them(settings: Settings) -> None:
    static = settings.model_copy(update={"embedding_model": "static"})
    async with serving(static) as api, AsyncMemory(str(api.http.base_url), ADMIN_KEY) as memory:
        added = await memory.add(TURNS, user_id="sam")
        assert [one["event"] for one in added["results"]] == ["NONE", "PENDING", "PENDING"]
        assert "I moved to Bergen." in texts(await memory.search("where does Sam live?", user_id="sam"))
        assert (await memory.get_all(user_id="sam"))["results"] == []
        await run_once(static)
        [fact] = (await memory.get_all(user_id="sam"))["results"]
        assert "Bergen" in fact["memory"]
        assert fact["user_id"] == "sam"
        assert fact["id"] in {
            one["id"] for one in (await memory.search("where does Sam live?", user_id="sam"))["results"]
        }


async def test_without_inference_each_turn_is_a_memory(memory: AsyncMemory) -> None:
    added = await memory.add(TURNS, user_id="sam", agent_id="travel", metadata={"n": 1}, infer=False)
    assert texts(added) == ["I moved to Bergen.", "How nice."]
    assert [one["metadata"] for one in added["results"]] == [{"n": 1, "role": "user"}, {"n": 1, "role": "assistant"}]
    assert {one["agent_id"] for one in added["results"]} == {"travel"}
    with pytest.warns(UserWarning, match="infer=False"):
        await memory.add(TURNS, user_id="sam", metadata={"n": 1})
    assert (await memory.add([], user_id="sam", infer=False))["results"] == []


async def test_ids_may_be_filters_and_metadata_are(memory: AsyncMemory) -> None:
    await memory.add("Tea is brewed at 80 degrees", user_id="alice", metadata={"kind": "recipe"})
    await memory.add("Tea was sold out on Monday", user_id="alice", metadata={"kind": "news"})
    wanted = {"user_id": "alice", "kind": "news"}
    assert texts(await memory.search("tea", filters=wanted)) == ["Tea was sold out on Monday"]
    assert texts(await memory.get_all(filters=wanted)) == ["Tea was sold out on Monday"]
    assert len(texts(await memory.search("tea", user_id="alice", top_k=1))) == 1
    with pytest.raises(ValueError, match="AND"):
        await memory.search("tea", user_id="alice", filters={"AND": []})
    for call in (memory.search("tea"), memory.get_all(), memory.add("tea"), memory.delete_all()):
        with pytest.raises(ValueError, match="user_id"):
            await call


async def test_a_run_is_a_session_apart(memory: AsyncMemory) -> None:
    await memory.add("The trip is in May", user_id="alice", run_id="trip")
    await memory.add("The trip to work takes an hour", user_id="alice", run_id="work")
    await memory.add([{"role": "user", "content": "My trip needs a hotel in Bergen"}], user_id="alice", run_id="trip")
    found = texts(await memory.search("trip", user_id="alice", run_id="trip"))
    assert set(found) == {"The trip is in May", "My trip needs a hotel in Bergen"}
    assert texts(await memory.get_all(user_id="alice", run_id="trip")) == ["The trip is in May"]
    assert "1" in (await memory.delete_all(user_id="alice", run_id="trip"))["message"]
    assert texts(await memory.get_all(user_id="alice")) == ["The trip to work takes an hour"]


async def test_delete_all_of_a_user_forgets_what_was_said_too(memory: AsyncMemory) -> None:
    await memory.add("Alice drinks tea", user_id="alice")
    await memory.add("Alice drinks coffee at work", user_id="alice", agent_id="office")
    await memory.add([{"role": "user", "content": "I drink tea."}], user_id="alice")
    await memory.add("Bob drinks tea", user_id="bob")
    assert (await memory.delete_all(user_id="alice"))["receipt"]["counts"]["memories"] == 2
    assert (await memory.search("tea", user_id="alice"))["results"] == []
    assert (await memory.get_all(user_id="alice", agent_id="office"))["results"] == []
    assert texts(await memory.get_all(user_id="bob")) == ["Bob drinks tea"]


async def test_an_agent_key_acts_as_its_agent(static_api: Tenant) -> None:
    bound = await static_api.as_role("agent", "ada")
    async with AsyncMemory(str(static_api.http.base_url), bound.key) as memory:
        [one] = (await memory.add("Alice drinks tea", user_id="alice"))["results"]
        assert one["agent_id"] == "ada"
        await memory.add("Bob drinks tea", user_id="bob")
        assert texts(await memory.search("tea", user_id="alice")) == ["Alice drinks tea"]
        await memory.add([{"role": "user", "content": "I drink tea."}], user_id="alice")
        with pytest.raises(NotAllowed):
            await memory.delete_all(user_id="alice")
    async with AsyncReverie(str(static_api.http.base_url), static_api.key) as reverie:
        assert [dream.agent async for dream in reverie.list_dreams(agent="ada")] == ["ada"]


async def test_where_memory_is_switched_off_no_turn_is_kept_and_no_dream_asked_for(
    memory: AsyncMemory, static_api: Tenant
) -> None:
    async with AsyncReverie(str(static_api.http.base_url), static_api.key) as reverie:
        await reverie.put_agent("alice", settings={"memory": {"enabled": False}})
        assert (await memory.add([{"role": "user", "content": "I drink tea."}], user_id="alice"))["results"] == []
        assert [dream async for dream in reverie.list_dreams(agent="alice")] == []


async def test_what_is_no_turn_is_refused(memory: AsyncMemory) -> None:
    with pytest.raises(ValueError, match="list of turns"):
        await memory.add(["I drink tea."], user_id="alice")  # type: ignore[list-item]
    parts = [{"type": "text", "text": "I drink tea."}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    await memory.add({"role": "user", "content": parts}, user_id="alice")
    assert texts(await memory.search("tea", user_id="alice")) == ["I drink tea."]


async def test_what_is_not_there_says_so(memory: AsyncMemory) -> None:
    nobody = uuid4()
    assert await memory.get(nobody) is None
    with pytest.raises(NotFound):
        await memory.update(nobody, "x")
    with pytest.raises(NotFound):
        await memory.delete(nobody)
    assert (await memory.search("anything", user_id="never seen"))["results"] == []


async def test_the_blocking_one_is_the_same(static_api: Tenant) -> None:
    def work() -> list[str]:
        with Memory(str(static_api.http.base_url), static_api.key) as memory:
            memory.add("Alice drinks green tea", user_id="alice")
            return texts(memory.search("what does Alice drink?", user_id="alice"))

    assert await asyncio.to_thread(work) == ["Alice drinks green tea"]
    for name in ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history"):
        assert inspect.signature(getattr(Memory, name)) == inspect.signature(getattr(AsyncMemory, name))
