"""A search finds what its reader may see now, whatever it could see a moment before."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.types import Scope
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.store import agents

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


async def _save(runtime: Runtime, content: str, principal: Principal = ADMIN, **fields: Any) -> None:
    await remember(runtime, principal, [MemoryDraft(**({"agent": "a", "type": "fact", "content": content} | fields))])


async def _found(runtime: Runtime, query: str, principal: Principal = ADMIN, **fields: Any) -> list[str]:
    answer = await recall(runtime, principal, SearchRequest(**({"agent": "a", "query": query} | fields)))
    return sorted(one.record.content for one in answer.results)


async def _teams(runtime: Runtime, *teams: str, agent: str = "a") -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, agent)
        await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, list(teams))


@pytest.fixture
async def has_searched(runtime: Runtime) -> None:
    """Agent a knows where the kettle is and has searched."""
    await _save(runtime, "The kettle is on the shelf")
    assert await _found(runtime, "kettle") == ["The kettle is on the shelf"]


@pytest.mark.first_tier
async def test_a_change_of_team_applies_immediately(runtime: Runtime, has_searched: None) -> None:
    await _teams(runtime, "red", agent="b")
    await _save(runtime, "The kettle of the team", agent="b", team="red", scope=Scope.TEAM)
    assert await _found(runtime, "kettle") == ["The kettle is on the shelf"]
    await _teams(runtime, "red")
    assert await _found(runtime, "kettle") == ["The kettle is on the shelf", "The kettle of the team"]
    assert await _found(runtime, "team") == ["The kettle of the team"]
    await _teams(runtime)
    assert await _found(runtime, "kettle") == ["The kettle is on the shelf"]
    assert await _found(runtime, "team") == []


async def test_a_change_of_task_applies_immediately(runtime: Runtime, has_searched: None) -> None:
    await _save(runtime, "The kettle of the task", agent="b", task="t", scope=Scope.TASK)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        ids = [await agents.ensure_agent(connection, DEFAULT_WORKSPACE, agent) for agent in ("a", "b")]
        task_id = await agents.ensure_group(connection, "task", DEFAULT_WORKSPACE, "t")
    for members in (None, ids[1:], ids, [], ids[:1]):
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await agents.set_members(connection, DEFAULT_WORKSPACE, task_id, members)
        seen = ["The kettle of the task"] if members is None or ids[0] in members else []
        assert await _found(runtime, "kettle", task="t") == seen
        assert await _found(runtime, "kettle", task="t") == seen


async def test_settings_hold_at_once(runtime: Runtime, has_searched: None) -> None:
    async def score() -> float | None:
        answer = await recall(runtime, ADMIN, SearchRequest(agent="a", query="kettle"))
        return answer.results[0].score

    assert await score() != pytest.approx(1 / 11)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute(
            "INSERT INTO settings (workspace_id, value) VALUES ($1, $2)",
            DEFAULT_WORKSPACE,
            {"retrieval": {"fusion": "rrf", "rrf_k": 10}},
        )
    assert await score() == pytest.approx(1 / 11)


async def test_a_new_language_is_read_at_once(runtime: Runtime, has_searched: None) -> None:
    german = "Die Häuser der Nachbarn sind schon lange verkauft worden"
    await _save(runtime, german)
    assert await _found(runtime, "Haus") == [german]


async def test_what_a_filter_names_is_found_once_it_is_there(runtime: Runtime, has_searched: None) -> None:
    assert await _found(runtime, "cup", session="s") == []
    in_session = await recall(runtime, ADMIN, SearchRequest(agent="a", query="kettle"), in_session="s")
    assert [one.record.content for one in in_session.results] == ["The kettle is on the shelf"]
    await _save(runtime, "The cup is in the sink", session="s")
    for _ in range(2):
        assert await _found(runtime, "cup", session="s") == ["The cup is in the sink"]
    assert await _found(runtime, "shelf", session="s") == []
    assert await _found(runtime, "kettle", session="t") == []


async def test_agents_of_one_name_in_two_workspaces_stay_apart(runtime: Runtime, has_searched: None) -> None:
    other = Principal(new_id(), uuid4(), "admin", None)
    async with runtime.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=other.workspace_id, name="other")
    assert await _found(runtime, "kettle", other) == []
    await _save(runtime, "The kettle is in the shed", other)
    for _ in range(2):
        assert await _found(runtime, "kettle", other) == ["The kettle is in the shed"]
        assert await _found(runtime, "kettle") == ["The kettle is on the shelf"]


async def test_an_agent_that_is_gone_finds_nothing(runtime: Runtime, has_searched: None) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("DELETE FROM agents WHERE agent = 'a'")
    assert await _found(runtime, "kettle") == []
    await _save(runtime, "The kettle is back")
    assert await _found(runtime, "kettle") == ["The kettle is back"]
