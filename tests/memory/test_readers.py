"""Searches take their reader for the one last seen, and find nothing for it that it may not see any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.types import Scope
from service.memory.engine import Engine
from service.memory.recall import recall
from service.memory.remember import remember
from service.store import agents
from tests.cluster import Cluster

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


async def _save(engine: Engine, content: str, principal: Principal = ADMIN, **fields: Any) -> None:
    await remember(engine, principal, [MemoryDraft(**({"agent": "a", "type": "fact", "content": content} | fields))])


async def _found(engine: Engine, query: str, principal: Principal = ADMIN, **fields: Any) -> list[str]:
    answer = await recall(engine, principal, SearchRequest(**({"agent": "a", "query": query} | fields)))
    return sorted(one.told["content"] for one in answer.results)


async def _teams(engine: Engine, *teams: str) -> None:
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, "a")
        await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, list(teams))


@pytest.fixture
async def looks(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[agents.Eyes]:
    """Agent a knows where the kettle is and has searched; who has been looked at by a statement of its own since."""
    await _save(engine, "The kettle is on the shelf")
    assert await _found(engine, "kettle") == ["The kettle is on the shelf"]
    noted: list[agents.Eyes] = []
    reader = agents.reader

    async def noting(connection: Connection, workspace: UUID, eyes: agents.Eyes) -> agents.Reader | None:
        noted.append(eyes)
        return await reader(connection, workspace, eyes)

    monkeypatch.setattr(agents, "reader", noting)
    return noted


async def test_a_reader_who_has_not_changed_costs_no_look(
    engine: Engine, looks: list[agents.Eyes], citus: Cluster | None
) -> None:
    assert await _found(engine, "kettle") == ["The kettle is on the shelf"]
    assert await _found(engine, "nothing like it") == []
    assert await _found(engine, "shelf", tags=["none"]) == []
    assert len(looks) == (3 if citus else 0)


async def test_who_joins_or_leaves_a_team_sees_it_at_once(engine: Engine, looks: list[agents.Eyes]) -> None:
    await _save(engine, "The kettle of the team", agent="b", team="red", scope=Scope.TEAM)
    assert await _found(engine, "kettle") == ["The kettle is on the shelf"]
    await _teams(engine, "red")
    assert await _found(engine, "kettle") == ["The kettle is on the shelf", "The kettle of the team"]
    assert await _found(engine, "team") == ["The kettle of the team"]
    await _teams(engine)
    assert await _found(engine, "kettle") == ["The kettle is on the shelf"]
    assert await _found(engine, "team") == []
    assert len(looks) >= 2


async def test_settings_hold_at_once(engine: Engine, looks: list[agents.Eyes]) -> None:
    async def score() -> float | None:
        answer = await recall(engine, ADMIN, SearchRequest(agent="a", query="kettle"))
        return answer.results[0].score

    assert await score() != pytest.approx(1 / 11)
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute(
            "INSERT INTO settings (workspace_id, value) VALUES ($1, $2)",
            DEFAULT_WORKSPACE,
            {"retrieval": {"fusion": "rrf", "rrf_k": 10}},
        )
    assert await score() == pytest.approx(1 / 11)


async def test_a_new_language_is_read_at_once(engine: Engine, looks: list[agents.Eyes]) -> None:
    german = "Die Häuser der Nachbarn sind schon lange verkauft worden"
    await _save(engine, german)
    assert await _found(engine, "Haus") == [german]
    assert looks


async def test_what_a_filter_names_is_found_once_it_is_there(engine: Engine, looks: list[agents.Eyes]) -> None:
    assert await _found(engine, "cup", session="s") == []
    in_session = await recall(engine, ADMIN, SearchRequest(agent="a", query="kettle"), in_session="s")
    assert [one.told["content"] for one in in_session.results] == ["The kettle is on the shelf"]
    await _save(engine, "The cup is in the sink", session="s")
    for _ in range(2):
        assert await _found(engine, "cup", session="s") == ["The cup is in the sink"]
    looks.clear()
    assert await _found(engine, "shelf", session="s") == []
    assert await _found(engine, "kettle", session="t") == []
    assert agents.Eyes("a", "t") in looks


async def test_agents_of_one_name_in_two_workspaces_stay_apart(engine: Engine, looks: list[agents.Eyes]) -> None:
    other = Principal(new_id(), uuid4(), "admin", None)
    async with engine.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=other.workspace_id, name="other")
    assert await _found(engine, "kettle", other) == []
    await _save(engine, "The kettle is in the shed", other)
    for _ in range(2):
        assert await _found(engine, "kettle", other) == ["The kettle is in the shed"]
        assert await _found(engine, "kettle") == ["The kettle is on the shelf"]


async def test_an_agent_that_is_gone_finds_nothing(engine: Engine, looks: list[agents.Eyes]) -> None:
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("DELETE FROM agents WHERE agent = 'a'")
    assert await _found(engine, "kettle") == []
    await _save(engine, "The kettle is back")
    assert await _found(engine, "kettle") == ["The kettle is back"]


async def test_a_reader_who_changes_all_the_time_is_not_waited_for(
    engine: Engine, looks: list[agents.Eyes], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = agents.reader

    async def another(connection: Connection, workspace: UUID, eyes: agents.Eyes) -> agents.Reader | None:
        found = await reader(connection, workspace, eyes)
        return None if found is None else replace(found, look=b"another")

    monkeypatch.setattr(agents, "reader", another)
    await _teams(engine, "red")
    assert await _found(engine, "kettle") == ["The kettle is on the shelf"]
    assert await _found(engine, "kettle", session="unknown") == []
