"""Single saves where their writers have saved before: one statement, which does what a transaction would."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from service.concurrency.group_commit import BATCH_MAX
from service.db.wal_lsn import LsnTracker
from service.domain.drafts import EntityRef, Link, MemoryDraft, MessageDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.memory import SavedMemory
from service.domain.principal import Principal
from service.domain.types import Scope
from service.errors import InvalidInput
from service.memory.saving.lifecycle import get_memory
from service.memory.saving.remember import remember, remember_one
from service.memory.sessions.conversations import append_messages
from service.runtime import Runtime
from service.store import agents
from tests.captured_queries import CapturedQuery, queries_sent_by
from tests.databases import wait_for_lock_waiter

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


def _draft(content: str, **fields: Any) -> MemoryDraft:
    return MemoryDraft(agent="a", type="fact", content=content, session="s", task="t", **({"owners": []} | fields))


async def _save(runtime: Runtime, content: str, principal: Principal = ADMIN, **fields: Any) -> SavedMemory:
    saved = await remember_one(runtime, principal, _draft(content, **fields))
    assert saved is not None
    return saved


def outcome(saved: SavedMemory) -> str:
    return next(name for name in ("created", "reinforced", "updated") if getattr(saved, name))


@pytest.fixture
async def looked_up(runtime: Runtime) -> list[CapturedQuery]:
    """Agent a, its session s and task t are known; each look-up of places since, by a transaction that saves."""
    await _save(runtime, "The first")
    return queries_sent_by(runtime.db, ("find_scopes",))


async def _contents(runtime: Runtime, workspace: UUID = DEFAULT_WORKSPACE) -> set[str]:
    async with runtime.db.transaction(workspace) as connection:
        rows = await connection.raw.fetch("SELECT content FROM memories WHERE workspace_id = $1", workspace)
    return {row["content"] for row in rows}


async def test_new_memories_of_known_places_need_no_transaction(
    runtime: Runtime, looked_up: list[CapturedQuery]
) -> None:
    texts = [f"Number {n}" for n in range(2 * BATCH_MAX)]
    saved = await asyncio.gather(*(_save(runtime, text, tags=["x"], user="u") for text in texts))
    assert [outcome(one) for one in saved] == ["created"] * len(texts)
    assert [one.memory.content for one in saved] == texts
    assert await _contents(runtime) == {"The first", *texts}
    assert looked_up == []


async def test_what_was_answered_is_what_is_there(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    saved = await _save(runtime, "Todo", metadata={"a": [1]}, importance=0.7)
    assert await get_memory(runtime, ADMIN, saved.memory.id, include=frozenset()) == saved.memory
    assert looked_up == []


async def test_a_text_said_many_times_at_once_is_one_memory(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    saved = await asyncio.gather(*(_save(runtime, "The same", tags=[f"t{n}"]) for n in range(20)))
    assert sorted(outcome(one) for one in saved) == ["created"] + ["reinforced"] * 19
    assert len({one.memory.id for one in saved}) == 1
    assert (await _save(runtime, "The same")).memory.tags == sorted(f"t{n}" for n in range(20))


async def test_with_a_key_or_links_it_is_a_transaction(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    assert outcome(await _save(runtime, "Blue", key="colour")) == "created"
    assert outcome(await _save(runtime, "Red", key="colour")) == "updated"
    about = Link(relation="about", entity=EntityRef(name="Ada"))
    assert outcome(await _save(runtime, "Linked", links=[about])) == "created"
    assert len(looked_up) == 3


async def test_for_the_members_of_a_session_it_is_a_transaction(
    runtime: Runtime, looked_up: list[CapturedQuery]
) -> None:
    await append_messages(runtime, ADMIN, "a", "s", [MessageDraft(role="user", content="Hello")], user="u")
    assert (await _save(runtime, "Theirs", owners=None)).memory.owners == ["u"]
    assert len(looked_up) == 1


@pytest.mark.first_tier
@pytest.mark.parametrize("gone", ["DELETE FROM sessions", "DELETE FROM tasks"])
async def test_a_place_that_has_been_deleted_is_made_again(
    runtime: Runtime, looked_up: list[CapturedQuery], gone: str
) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("DELETE FROM memories")
        await connection.raw.execute(gone)
    assert outcome(await _save(runtime, "After it")) == "created"
    assert len(looked_up) == 1
    assert outcome(await _save(runtime, "And again")) == "created"
    assert len(looked_up) == 1
    assert await _contents(runtime) == {"After it", "And again"}


async def test_each_workspace_keeps_its_own(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    other = Principal(new_id(), uuid4(), "admin", None)
    async with runtime.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=other.workspace_id, name="other")
    await _save(runtime, "Theirs, the first", other)
    for number in range(3):
        await asyncio.gather(_save(runtime, f"Mine {number}"), _save(runtime, f"Theirs {number}", other))
    assert await _contents(runtime) == {"The first", "Mine 0", "Mine 1", "Mine 2"}
    assert await _contents(runtime, other.workspace_id) == {
        "Theirs, the first", "Theirs 0", "Theirs 1", "Theirs 2"
    }  # fmt: skip
    assert len(looked_up) == 1


async def test_an_agent_key_does_not_learn_from_another_agent(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    mine, other = (Principal(DEFAULT_WORKSPACE, uuid4(), "agent", agent) for agent in ("a", "b"))
    assert (await _save(runtime, "By a", mine)).memory.agent == "a"
    assert (await _save(runtime, "By b", other)).memory.agent == "b"
    assert len(looked_up) == 1


async def test_who_has_left_a_team_writes_into_it_no_more(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    a = Principal(DEFAULT_WORKSPACE, uuid4(), "agent", "a")
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, "a")
        await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, ["red"])
    await _save(runtime, "For the team", a, team="red", scope=Scope.TEAM)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, [])
    for scope in (Scope.TEAM, Scope.AGENT):
        with pytest.raises(InvalidInput):
            await _save(runtime, "From outside", a, team="red", scope=scope)


async def test_who_has_left_a_task_writes_into_it_no_more(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, "a")
        task_id = await agents.ensure_group(connection, "task", DEFAULT_WORKSPACE, "t")
    a = Principal(DEFAULT_WORKSPACE, uuid4(), "agent", "a")
    for members in (None, [agent_id]):
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await agents.set_members(connection, DEFAULT_WORKSPACE, task_id, members)
        for scope in (Scope.TASK, Scope.AGENT):
            await _save(runtime, f"For the task of {members}", a, scope=scope)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await agents.set_members(connection, DEFAULT_WORKSPACE, task_id, [])
    for scope in (Scope.TASK, Scope.AGENT):
        with pytest.raises(InvalidInput):
            await _save(runtime, "From outside", a, scope=scope)
    assert not [content for content in await _contents(runtime) if content.startswith("From")]


async def test_followers_and_replicas_hear_of_it(runtime: Runtime, looked_up: list[CapturedQuery]) -> None:
    heard: list[UUID] = []
    runtime.db.on_events_committed, runtime.db.positions = heard.append, LsnTracker()
    await _save(runtime, "The second")
    position = runtime.db.positions.required_lsn(DEFAULT_WORKSPACE)
    await _save(runtime, "The third")
    assert heard == [DEFAULT_WORKSPACE] * 2
    assert 0 < position < runtime.db.positions.required_lsn(DEFAULT_WORKSPACE)


async def test_new_keys_are_taken_in_one_order(runtime: Runtime, database_url: str) -> None:
    """Whoever waits for one holds none that comes after it: two batches of the same keys never block each other."""
    keys = [f"k{n:02}" for n in range(50)]
    await _save(runtime, "The first", key="other")
    holder = await asyncpg.connect(database_url)
    try:
        taking = holder.transaction()
        await taking.start()
        await holder.execute("UPDATE memories SET key = $1 WHERE key = 'other'", keys[0])
        waiting = asyncio.create_task(remember(runtime, ADMIN, [_draft(f"{key} is set", key=key) for key in keys]))
        async with asyncio.timeout(60):
            await wait_for_lock_waiter(holder)
            others = await remember(runtime, ADMIN, [_draft(f"{key} was set", key=key) for key in keys[1:]])
        assert [outcome(one) for one in others] == ["created"] * len(others)
        await taking.rollback()
    finally:
        await holder.close()
    assert [outcome(one) for one in await waiting] == ["created"] + ["updated"] * len(others)
