"""What people do while a dream waits for its model: an edit, a delete and a purge win over the dream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.provider import load_litellm
from service.store.dreams import Lease
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.promises.test_deletions import delete
from tests.worker.dreaming import (
    agent_id,
    asked_for,
    contents,
    dream,
    fact,
    model,
    note_everything,
    notes,
    say,
    turns_of,
)

pytestmark = pytest.mark.first_tier

Json = dict[str, Any]


def says_where(body: Json) -> str:
    """A model that understands where people live, and nothing else."""
    if asked_for(body) != "Notes":
        return note_everything(body)
    lives = [(turn["turn"], turn["said"].removesuffix(".").rpartition(" ")[2]) for turn in turns_of(body)]
    slot = {"slot": "u1/lives_in", "subject": "u1"}
    return notes([fact(f"u1 lives in {place}.", turn, value=place.lower(), **slot) for turn, place in lives])


@pytest.fixture
async def server(api: Api) -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = says_where
        api.runtime.llm = model(opened)
        yield opened


async def while_it_waits(api: Api, server: FakeOpenAI, act: Callable[[], Awaitable[object]]) -> Json:
    """Dream, and act while the next call to the model is under way; the dream."""
    calls = server.calls["chat"]
    server.hold()
    task = asyncio.create_task(dream(api.runtime))
    await asyncio.to_thread(server.wait_for_call, "chat", calls + 1)
    await act()
    server.let_go()
    return await task


async def oslo(api: Api) -> Json:
    """The agent knows that u1 lives in Oslo, and has been told of Bergen since."""
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    (memory,) = (await api.get("/v1/memories"))["items"]
    await say(api, "I have moved to Bergen.", session="later")
    return memory


async def test_an_edit_wins(api: Api, server: FakeOpenAI) -> None:
    memory = await oslo(api)

    async def edit() -> None:
        await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], "content": "u1 lives in Voss."})

    done = await while_it_waits(api, server, edit)
    assert done["status"] == "succeeded"
    assert await contents(api) == {"u1 lives in Voss."}
    known = (await api.get("/v1/memories", include="superseded"))["items"]
    (bergen,) = [one for one in known if one["content"] == "u1 lives in Bergen."]
    assert bergen["superseded_by"] == memory["id"]


async def test_what_is_edited_after_the_plan_is_not_taken_for_what_it_said_before(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    (memory,) = (await api.get("/v1/memories"))["items"]
    await say(api, "I live in Oslo.", session="later")

    async def edit(step: str) -> None:
        if step == "reflected" and await contents(api) == {"u1 lives in Oslo."}:
            await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "u1 lives in Voss."})

    await dream(api.runtime, on_step=edit)
    assert await contents(api) == {"u1 lives in Voss."}
    assert await contents(api, include="superseded") == {"u1 lives in Oslo.", "u1 lives in Voss."}


async def test_what_was_edited_is_not_taken_for_what_it_said_before(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    (memory,) = (await api.get("/v1/memories"))["items"]
    await api.patch(f"/v1/memories/{memory['id']}", {"version": 1, "content": "u1 lives in Voss."})
    await say(api, "I live in Oslo.", session="later")
    await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo."}
    assert await contents(api, include="superseded") == {"u1 lives in Oslo.", "u1 lives in Voss."}


async def test_an_edit_that_changes_no_word_holds_up_nothing(api: Api, server: FakeOpenAI) -> None:
    memory = await oslo(api)

    async def tag() -> None:
        await api.patch(f"/v1/memories/{memory['id']}", {"version": memory["version"], "tags": ["home"]})

    await while_it_waits(api, server, tag)
    assert await contents(api) == {"u1 lives in Bergen."}
    (replaced,) = [
        one for one in (await api.get("/v1/memories", include="superseded"))["items"] if one["superseded_by"]
    ]
    assert replaced["tags"] == ["home"]


async def test_a_delete_wins(api: Api, server: FakeOpenAI) -> None:
    memory = await oslo(api)
    done = await while_it_waits(api, server, lambda: api.delete(f"/v1/memories/{memory['id']}"))
    assert done["status"] == "succeeded"
    assert await contents(api) == {"u1 lives in Bergen."}
    deleted = await api.get("/v1/memories", include="deleted")
    (gone,) = [one for one in deleted["items"] if one["id"] == memory["id"]]
    assert (gone["content"], gone["superseded_by"]) == ("u1 lives in Oslo.", None)


async def test_what_is_deleted_is_not_reinforced_back_to_life(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    (memory,) = (await api.get("/v1/memories"))["items"]
    await say(api, "I still live in Oslo.", session="later")
    await while_it_waits(api, server, lambda: api.delete(f"/v1/memories/{memory['id']}"))
    deleted = (await api.get("/v1/memories", include="deleted"))["items"]
    (gone,) = [one for one in deleted if one["id"] == memory["id"]]
    assert gone["deleted_at"] is not None
    assert [one["id"] for one in deleted if one["deleted_at"] is None] != [memory["id"]]


async def test_a_purge_wins_and_nothing_comes_back(api: Api, server: FakeOpenAI) -> None:
    await oslo(api)
    await say(api, "I live in Rome.", session="other", user="u2")

    async def purge() -> None:
        await api.post("/v1/users/u1/purge")

    calls = server.calls["chat"]
    server.hold()
    task = asyncio.create_task(dream_if_left(api))
    await asyncio.to_thread(server.wait_for_call, "chat", calls + 1)
    await purge()
    server.let_go()
    await task
    await dream(api.runtime)
    said = await contents(api, include="superseded,deleted")
    assert not any(place in text for text in said for place in ("Oslo", "Bergen"))
    async with api.runtime.db.unscoped() as connection:
        for table in ("memories", "memory_versions", "dream_steps", "dream_changes", "messages", "bulletins"):
            rows = await connection.raw.fetch(f"SELECT t::text AS row FROM {table} t")  # noqa: S608
            assert not any(place in row["row"] for row in rows for place in ("Oslo", "Bergen")), table


async def test_a_purge_wins_over_a_dream_of_saved_memories(api: Api, server: FakeOpenAI) -> None:
    for user, place in (("u1", "Oslo"), ("u1", "Bergen"), ("u2", "Rome")):
        await api.save(f"{user} works at {place} Robotics", user=user)
    calls = server.calls["chat"]
    server.hold()
    task = asyncio.create_task(dream_if_left(api))
    await asyncio.to_thread(server.wait_for_call, "chat", calls + 1)
    await api.post("/v1/users/u1/purge")
    server.let_go()
    await task
    await dream(api.runtime)
    read = {tuple(one["owners"]): one["report"]["memories"] for one in (await api.get("/v1/dreams"))["items"]}
    assert read.pop(("u2",)) == 1
    assert set(read.values()) == {0}
    assert await contents(api, include="superseded,deleted") == {"u2 works at Rome Robotics"}
    async with api.runtime.db.unscoped() as connection:
        for table in ("memories", "memory_versions", "dream_changes", "entities", "entity_aliases", "bulletins"):
            rows = await connection.raw.fetch(f"SELECT t::text AS row FROM {table} t")  # noqa: S608
            assert not any(place in row["row"] for row in rows for place in ("Oslo", "Bergen", "u1")), table
        assert await connection.raw.fetchval("SELECT count(*) FROM edges WHERE relation = 'works_at'") == 1


async def dream_if_left(api: Api) -> None:
    """Dream; a purge takes the lease away from it."""
    with pytest.raises(AssertionError):
        await dream(api.runtime)


async def test_a_dream_from_before_a_deletion_commits_nothing_after_its_undo(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.")
    server.hold()
    task = asyncio.create_task(dream_if_left(api))
    await asyncio.to_thread(server.wait_for_call, "chat", 1)
    done = await delete(api, "/v1/agents/a")
    await api.post(f"/v1/deletions/{done['deletion_id']}/undo")
    async with api.runtime.db.unscoped() as connection:
        lease = await connection.first(
            Lease, "claim_agent", workspace=DEFAULT_WORKSPACE, agent_id=await agent_id(api.runtime), worker="w",
            lease_s=60, now=api.runtime.now(),
        )  # fmt: skip
    server.let_go()
    await task
    assert await contents(api) == set()
    (under_way,) = (await api.get("/v1/dreams"))["items"]
    assert lease is not None
    assert (under_way["status"], under_way["id"]) == ("running", str(lease.dream_id))


async def test_a_message_said_meanwhile_waits_for_the_next_dream(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.")
    done = await while_it_waits(api, server, lambda: say(api, "I have moved to Bergen."))
    assert done["report"]["messages"] == 1
    assert await contents(api) == {"u1 lives in Oslo."}
    assert (await dream(api.runtime))["report"]["messages"] == 1
    assert await contents(api) == {"u1 lives in Bergen."}
