"""Windows: folded when full, and nothing leaves before its summary is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.in_flight import InFlight
from service.memory.sessions.compaction import compact, compact_agent
from service.provider import load_litellm
from tests.citus_cluster import execute
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.worker.dreaming import agent_id, dream, model, say
from worker.maintenance.upkeep import compact_next

UUID_SAID = "0f3c2a9e-6a55-4b1e-9c5f-1f6f0a7f2b11"
URL_SAID = "https://example.org/report?id=77"


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    await load_litellm()  # takes longer than a request may on a busy machine
    with FakeOpenAI() as opened:
        yield opened


async def window(api: Api, session: str = "s") -> dict:  # type: ignore[type-arg]
    return await api.get(f"/v1/sessions/{session}/window", agent="a")


async def summarizing(api: Api, server: FakeOpenAI) -> asyncio.Task[bool]:
    """A worker that folds the full window, once it has asked the model, which answers when it is let go."""
    api.runtime.llm = model(server)
    server.hold()
    folding = asyncio.create_task(compact_next(api.runtime))
    await asyncio.to_thread(server.wait_for_call, "chat")
    return folding


async def nothing_is_folded(api: Api) -> None:
    """Of a window of thirty messages."""
    shown = await window(api)
    assert [message["seq"] for message in shown["messages"]] == list(range(11, 31)), "the newest that fit"
    assert shown["summary"] is None
    assert (await api.get("/v1/memories", agent="a"))["items"] == []


async def test_a_full_window_is_folded_at_once_and_loses_nothing(api: Api) -> None:
    await say(api, f"The ticket is {UUID_SAID}, see {URL_SAID}, due 2026-03-14, in plan.xlsx.")
    await say(api, *(f"Turn number {n} about the garden." for n in range(19)))
    assert not await compact_next(api.runtime)
    await say(api, "One more.")
    assert await compact_next(api.runtime)
    assert not await compact_next(api.runtime)
    shown = await window(api)
    assert [message["seq"] for message in shown["messages"]] == list(range(12, 22))
    assert (shown["summary"]["from_seq"], shown["summary"]["to_seq"]) == (1, 11)
    for named in (UUID_SAID, URL_SAID, "2026-03-14", "plan.xlsx"):
        assert named in shown["summary"]["content"]
        assert [found["id"] for found in await api.search(named)] == [shown["summary"]["id"]], named
    covered = (await api.get(f"/v1/memories/{shown['summary']['id']}/sources"))["items"]
    assert [source["seq"] for source in covered] == list(range(1, 12))


async def test_after_25_messages_the_window_holds_the_last_ones_and_the_history_all(api: Api) -> None:
    for n in range(25):
        await say(api, f"Turn number {n} about the garden.")
        await compact_next(api.runtime)
    seen = [message["seq"] for message in (await window(api))["messages"]]
    assert seen == list(range(26 - len(seen), 26))
    assert 10 <= len(seen) <= 20
    assert len((await api.get("/v1/sessions/s/messages", agent="a", limit=100))["items"]) == 25


async def test_a_window_is_folded_by_tokens_as_well(api: Api) -> None:
    await api.put("/v1/settings", {"window": {"tokens_max": 200}})
    await say(api, *("word " * 60 for _ in range(4)))
    assert await compact_next(api.runtime)
    shown = await window(api)
    assert shown["tokens"] <= 200
    assert shown["messages"][-1]["seq"] == 4
    assert shown["summary"]["to_seq"] == shown["messages"][0]["seq"] - 1


async def test_summaries_follow_one_another_and_each_covers_its_own(api: Api) -> None:
    for n in range(45):
        await say(api, f"Turn number {n} of the day.")
        await compact_next(api.runtime)
    shown = await window(api)
    assert shown["summary"]["from_seq"] == 1
    assert shown["summary"]["to_seq"] + 1 == shown["messages"][0]["seq"]
    assert len(shown["summary"]["memory_ids"]) == 3


async def test_a_summary_that_is_broken_off_moves_no_window(api: Api, server: FakeOpenAI) -> None:
    await say(api, *(f"Turn number {n}." for n in range(30)))
    folding = await summarizing(api, server)
    folding.cancel()
    await asyncio.wait([folding])
    await nothing_is_folded(api)
    server.let_go()
    await compact_agent(api.runtime, DEFAULT_WORKSPACE, await agent_id(api.runtime), InFlight(api.runtime))
    assert (await window(api))["summary"]["from_seq"] == 1


async def test_a_summary_that_cannot_be_stored_moves_no_window(api: Api, database_url: str) -> None:
    await say(api, *(f"Turn number {n}." for n in range(30)))
    await execute(database_url, "ALTER TABLE sessions ADD CONSTRAINT unmoved CHECK (window_seq = 0)")
    with pytest.raises(asyncpg.CheckViolationError):
        await compact_next(api.runtime)
    await nothing_is_folded(api)
    await execute(database_url, "ALTER TABLE sessions DROP CONSTRAINT unmoved")
    await compact_agent(api.runtime, DEFAULT_WORKSPACE, await agent_id(api.runtime), InFlight(api.runtime))
    assert (await window(api))["summary"]["from_seq"] == 1


async def test_a_message_that_comes_meanwhile_stays_in_the_window(api: Api, server: FakeOpenAI) -> None:
    await say(api, *(f"Turn number {n}." for n in range(30)))
    folding = await summarizing(api, server)
    await say(api, "The late one.")
    server.let_go()
    assert await folding
    assert [message["seq"] for message in (await window(api))["messages"]] == list(range(21, 32))


async def test_two_foldings_at_once_store_one_summary(api: Api) -> None:
    stored = await say(api, *(f"Turn number {n}." for n in range(30)))
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        (row,) = await connection.raw.fetch("SELECT id FROM sessions")
    done = await asyncio.gather(*(compact(api.runtime, DEFAULT_WORKSPACE, row["id"]) for _ in range(4)))
    assert sum(done) == 1
    assert len((await api.get("/v1/memories", agent="a"))["items"]) == 1
    assert stored


async def test_a_window_can_be_folded_by_hand(api: Api) -> None:
    await say(api, *(f"Turn number {n}." for n in range(6)))
    shown = await api.post("/v1/sessions/s/compact?agent=a")
    assert [message["seq"] for message in shown["messages"]] == [4, 5, 6]
    assert shown["summary"]["to_seq"] == 3
    await api.delete("/v1/sessions/s/window", agent="a")
    assert (await window(api))["summary"] is None
    assert await api.status("POST", "/v1/sessions/nobody/compact?agent=a") == 404


async def test_the_model_tells_and_what_it_forgets_is_listed(api: Api, server: FakeOpenAI) -> None:
    server.say("They spoke of a ticket.")
    api.runtime.llm = model(server)
    await say(api, f"The ticket is {UUID_SAID}.", "Fine.")
    shown = await api.post("/v1/sessions/s/compact?agent=a")
    assert "They spoke of a ticket." in shown["summary"]["content"]
    assert UUID_SAID in shown["summary"]["content"]


async def test_a_summary_says_who_spoke_each_turn(api: Api) -> None:
    await api.put("/v1/settings", {"users": "shared"})
    await say(api, "The red car is mine.", session="both", user="alice")
    await say(api, "The blue car is mine.", session="both", user="mallory")
    await say(api, "The green car is mine.", session="both", user="alice", name="Mel")
    await say(api, "The black car is nobody's.", session="both", user="alice", role="assistant")
    await say(api, "Bye.", "Bye.", "Bye.", "Bye.", session="both", user="alice")
    shown = await api.post("/v1/sessions/both/compact?agent=a")
    told = shown["summary"]["content"]
    for line in ("alice: The red", "mallory: The blue", "Mel: The green", "assistant: The black"):
        assert line in told
    assert (await api.get(f"/v1/memories/{shown['summary']['id']}"))["user"] is None


async def test_the_summary_of_ones_own_turns_is_about_oneself(api: Api) -> None:
    await say(api, "The red car is mine.", "Bye.", "Bye.", user="alice")
    shown = await api.post("/v1/sessions/s/compact?agent=a")
    assert "alice: The red car is mine." in shown["summary"]["content"]
    assert (await api.get(f"/v1/memories/{shown['summary']['id']}"))["user"] == "alice"


async def test_a_dream_about_to_commit_and_a_turn_that_fills_the_window_do_not_wait_for_each_other(api: Api) -> None:
    await say(api, *(f"Turn number {n}." for n in range(20)))
    said: list[asyncio.Task[object]] = []

    async def speak(step: str) -> None:
        if step == "applying":
            said.append(asyncio.create_task(say(api, "One more.")))
            await asyncio.wait(said, timeout=600)
            assert said[0].done()

    done = await dream(api.runtime, on_step=speak)
    assert done["status"] == "succeeded"
    assert len(await said[0]) == 1  # type: ignore[arg-type]
