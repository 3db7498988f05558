"""Small searches that come together are one statement, and each finds what it would find alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from service.db.pool import Connection, Row
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import KnownKey, Principal
from service.domain.search import SearchRequest
from service.domain.types import Scope
from service.errors import ReverieError, Unconfirmed
from service.memory.engine import Engine
from service.memory.found import Recalled
from service.memory.recall import recall
from service.memory.remember import remember
from service.memory.together import Together
from service.runtime import open_runtime
from service.settings import Settings
from service.store import agents, large, search, searching_together
from tests.bouncer import Bouncer
from tests.cluster import Cluster

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
TURNS_MAX = 10_000
PLACES = ("the shelf", "the sink", "the shed", "the oven", "the cellar")


class Sent:
    """Notes how many searches each statement carries; one for a single result waits until ``waiting`` have come."""

    def __init__(self, engine: Engine) -> None:
        engine.searches = self._together = Together(1)
        self.begun = asyncio.Event()
        self.waiting = 0
        self.sizes: list[int] = []
        self.scanned: list[bool] = []
        """For each statement, whether the rows were read once for all questions."""
        self.hybrid_together = searching_together.hybrid_together

    async def __call__(self, connection: Connection, searches: Sequence[search.Prepared]) -> list[list[Row] | None]:
        if searches[0].values["limit"] == 1:
            self.begun.set()
            for _ in range(TURNS_MAX):
                if len(self._together._waiting) == self.waiting:
                    break
                await asyncio.sleep(0.001)
            else:
                raise AssertionError("the others have not come")
        else:
            self.sizes.append(len(searches))
        return await self.hybrid_together(connection, searches)


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """With the static embedder."""
    async with open_runtime(settings.model_copy(update={"embedding_model": "static"}), "test") as opened:
        yield opened


@pytest.fixture
async def sent(engine: Engine, monkeypatch: pytest.MonkeyPatch, citus: Cluster | None, bouncer: Bouncer | None) -> Sent:
    """Agents a and b remember five things each, and have searched."""
    if citus or bouncer:
        pytest.skip("on Citus and behind a pooler each search is sent by itself")
    for agent in ("a", "b"):
        drafts = [_draft(f"The kettle of {agent} is in {place}", agent=agent) for place in PLACES]
        await remember(engine, ADMIN, drafts)
        await _recall(engine, agent=agent)
    noting = Sent(engine)
    monkeypatch.setattr(searching_together, "hybrid_together", noting)
    fetch_with = Connection.fetch_with

    async def fetched(self: Connection, name: str, literals: dict[str, Any], /, **values: Any) -> list[Row]:
        if name.startswith("hybrid_search_together"):
            noting.scanned.append(literals["scanned"])
        return await fetch_with(self, name, literals, **values)

    monkeypatch.setattr(Connection, "fetch_with", fetched)
    return noting


@pytest.fixture
async def counted(engine: Engine, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audiences of a and b are counted ahead of searches."""
    monkeypatch.setattr(large, "COUNTED_FROM", 1)
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        assert [one.rows for one in await large.count(connection, DEFAULT_WORKSPACE)] == [5, 5]
    for agent in ("a", "b"):
        await _recall(engine, agent=agent)


def _draft(content: str, **fields: Any) -> MemoryDraft:
    return MemoryDraft(**({"agent": "a", "type": "fact", "content": content} | fields))


async def _recall(
    engine: Engine, query: str = "kettle", principal: Principal = ADMIN, key: KnownKey | None = None, **fields: Any
) -> Recalled:
    request = SearchRequest(**({"agent": "a", "query": query} | fields))
    return await recall(engine, principal, request, count_access=False, key=key)


async def _all(engine: Engine, sent: Sent, *searches: Any) -> list[Any]:
    """The answers to searches that come while another is under way."""
    sent.waiting = len(searches)
    sent.begun.clear()
    sent.sizes.clear()
    first = asyncio.create_task(_recall(engine, limit=1))
    await sent.begun.wait()
    answers = await asyncio.gather(*searches, return_exceptions=True)
    assert len((await first).results) == 1
    return answers


def _told(answer: Recalled) -> list[tuple[Any, ...]]:
    """What a search answers, but for what changes by itself."""
    return [
        (one.told["content"], set(one.told), one.score, one.keyword_rank, one.semantic_rank, one.boosts, one.tokens)
        for one in answer.results
    ]


def _contents(answer: Recalled) -> list[str]:
    return sorted(one.told["content"] for one in answer.results)


async def test_each_finds_what_it_finds_alone(engine: Engine, sent: Sent) -> None:
    asked: list[dict[str, Any]] = [
        {"query": f"{words} {place}", "agent": agent}
        for agent in ("a", "b")
        for place in PLACES
        for words in ("where", "kettle")
    ] + [{"query": "zebra"}, {"query": "kettle", "as_of": engine.now()}, {"query": "kettle", "agent": "b"}]
    alone = [_told(await _recall(engine, **one)) for one in asked]
    assert sent.sizes == [1] * len(asked)
    together = await _all(engine, sent, *(_recall(engine, **one) for one in asked))
    assert [_told(answer) for answer in together] == alone
    assert sent.sizes == [len(asked)]
    assert {content for found in alone[:10] for content, *_ in found} == {f"The kettle of a is in {p}" for p in PLACES}


@pytest.mark.usefixtures("counted")
async def test_rows_of_one_audience_are_read_once(engine: Engine, sent: Sent) -> None:
    """Each question compares its vector with what holds at its own moment and passes the filter."""
    events = [_draft(f"The kettle {said}", type="event") for said in ("went", "fell", "left", "came", "sang")]
    gone, faded, lent, bought, _ = [saved.memory["id"] for saved in await remember(engine, ADMIN, events)]
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE search_index SET deleted = true WHERE id = $1", gone)
        await connection.raw.execute("UPDATE search_index SET faded = true WHERE id = $1", faded)
        await connection.raw.execute(
            "UPDATE search_index SET valid_from = now() - interval '3 days', expires_at = now() - interval '1 day',"
            " valid_until = CASE WHEN id = $2 THEN now() - interval '2 days' END WHERE id IN ($1, $2)",
            lent, bought,
        )  # fmt: skip
    now = engine.now()
    then = [None, now - timedelta(hours=36), now - timedelta(hours=60)]
    for fields, counts in (({}, [6, 1, 2]), ({"include_faded": True}, [7, 1, 2]), ({"types": ["fact"]}, [5, 0, 0])):
        asked: list[dict[str, Any]] = [
            {"query": query, "as_of": as_of} for query in ("kettle", "oven") for as_of in then
        ]
        alone = [_told(await _recall(engine, strategy="semantic", **one, **fields)) for one in asked]
        together = await _all(engine, sent, *(_recall(engine, strategy="semantic", **one, **fields) for one in asked))
        assert [_told(answer) for answer in together] == alone
        assert [len(found) for found in alone] == counts * 2
        assert sent.sizes == [len(asked)]
        assert sent.scanned[-1]


@pytest.mark.usefixtures("counted")
async def test_rows_of_several_audiences_are_read_for_each(engine: Engine, sent: Sent) -> None:
    agents_ = ("a", "b", "a")
    answers = await _all(engine, sent, *(_recall(engine, agent=agent) for agent in agents_))
    assert [{content.split()[3] for content in _contents(answer)} for answer in answers] == [{a} for a in agents_]
    assert sent.scanned == [False] * len(sent.scanned)
    assert sent.sizes == [3]


@pytest.mark.usefixtures("counted")
async def test_more_rows_than_postgres_keeps_in_memory_are_not(
    engine: Engine, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, scanned in ((3_000, True), (2_000, False)):
        monkeypatch.setattr(searching_together, "SCANNED_MAX", most)
        answers = await _all(engine, sent, _recall(engine), _recall(engine, "oven"))
        assert [len(answer.results) for answer in answers] == [5, 5]
        assert sent.scanned[-1] == scanned


async def test_one_that_finds_nothing_among_others(engine: Engine, sent: Sent) -> None:
    never = engine.now().replace(year=2000)
    nothing, all_ = await _all(engine, sent, _recall(engine, as_of=never), _recall(engine, agent="b"))
    assert nothing.results == []
    assert len(all_.results) == 5
    assert sent.sizes == [2]


async def test_what_asks_for_something_else_is_sent_by_itself(engine: Engine, sent: Sent) -> None:
    fields: list[dict[str, Any]] = [{}, {"limit": 3}, {"fusion": "rrf"}, {"types": ["event"]}, {"strategy": "keyword"}]
    answers = await _all(engine, sent, *(_recall(engine, **one) for one in fields))
    assert [len(answer.results) for answer in answers] == [5, 3, 5, 0, 5]
    assert [answer.results[0].semantic_rank is None for answer in (answers[0], answers[4])] == [False, True]
    assert sent.sizes == [1] * len(fields)


async def test_workspaces_stay_apart(engine: Engine, sent: Sent) -> None:
    other = Principal(new_id(), uuid4(), "admin", None)
    async with engine.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=other.workspace_id, name="other")
    await remember(engine, other, [_draft("The kettle is elsewhere")])
    assert _contents(await _recall(engine, principal=other)) == ["The kettle is elsewhere"]
    here, there = await _all(engine, sent, _recall(engine), _recall(engine, principal=other))
    assert len(here.results) == 5
    assert _contents(there) == ["The kettle is elsewhere"]
    assert sent.sizes == [1, 1]


async def test_who_joins_or_leaves_a_team_sees_it_among_others(engine: Engine, sent: Sent) -> None:
    async def in_teams(*teams: str) -> None:
        async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
            agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, "b")
            await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, list(teams))

    await remember(engine, ADMIN, [_draft("The kettle of the team", agent="a", team="red", scope=Scope.TEAM)])
    for teams, seen in ((("red",), 6), ((), 5)):
        await in_teams(*teams)
        searches = [_recall(engine, agent=agent) for agent in ("a", "b", "a", "b")]
        answers = await _all(engine, sent, *searches)
        assert [len(answer.results) for answer in answers] == [5, seen, 5, seen]
        assert sent.sizes[0] == 4


@pytest.mark.parametrize("ended", ["UPDATE api_keys SET revoked_at = now()", "UPDATE api_keys SET hash = sha256(hash)"])
async def test_a_key_that_ended_is_refused_among_others(engine: Engine, sent: Sent, ended: str) -> None:
    keys = [KnownKey(Principal(DEFAULT_WORKSPACE, new_id(), "admin", None), bytes([n]) * 32, None) for n in range(3)]
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        for number, key in enumerate(keys):
            values = {"id": key.principal.key_id, "name": f"key {number}", "role": "admin", "agent": None}
            await connection.run("add_key", workspace=DEFAULT_WORKSPACE, hash=key.hash, **values)

    async def all_keys() -> list[Any]:
        return await _all(engine, sent, *(_recall(engine, principal=key.principal, key=key) for key in keys))

    assert [len(answer.results) for answer in await all_keys()] == [5, 5, 5]
    assert sent.sizes == [3]
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute(f"{ended} WHERE id = $1", keys[1].principal.key_id)
    first, second, third = await all_keys()
    assert isinstance(second, Unconfirmed)
    assert [len(answer.results) for answer in (first, third)] == [5, 5]
    keys[0] = replace(keys[0], settings={"retrieval": {"fusion": "rrf"}})
    assert [isinstance(answer, Unconfirmed) for answer in await all_keys()] == [True, True, False]


async def test_a_failure_is_its_own(engine: Engine, sent: Sent) -> None:
    hybrid_together = sent.hybrid_together

    async def failing(connection: Connection, searches: Sequence[search.Prepared]) -> list[list[Row] | None]:
        if any(one.values["text"] == "broken" for one in searches):
            raise ReverieError("broken")
        return await hybrid_together(connection, searches)

    sent.hybrid_together = failing
    first, broken, third = await _all(engine, sent, *(_recall(engine, query) for query in ("sink", "broken", "shed")))
    assert isinstance(broken, ReverieError)
    assert [len(answer.results) for answer in (first, third)] == [5, 5]
    assert sent.sizes == [3, 1, 1, 1]


async def test_what_is_no_small_search_of_memories_alone_is_sent_by_itself(engine: Engine, sent: Sent) -> None:
    for fields in ({"include": ["memories", "messages"]}, {"query": "kettle yesterday"}, {"strategy": "recent"}):
        assert (await _recall(engine, **fields)).results
    assert sent.sizes == []
