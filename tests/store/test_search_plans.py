"""The plan-flip trap: a search stays full and right whatever plan Postgres has kept, without any statistics."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.settings import Settings
from service.startup import open_runtime
from tests.tuning import tuned

AGENTS = 200
MEMORIES = 100


async def test_every_search_is_full_25_times_on_one_connection(settings: Settings) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = tuned(settings, pool_size=1).model_copy(update={"embedding_model": "static"})
    async with open_runtime(one_connection, "test") as runtime:
        async with runtime.db.unscoped() as connection:
            await connection.raw.execute("ALTER TABLE search_index SET (autovacuum_enabled = off)")
            await connection.raw.execute("ALTER TABLE search_terms SET (autovacuum_enabled = off)")
        for start in range(0, AGENTS, 10):
            drafts = [
                MemoryDraft(agent=f"agent {agent}", type="fact", content=f"agent {agent} noted that cup {n} holds tea")
                for agent in range(start, start + 10)
                for n in range(MEMORIES)
            ]
            await remember(runtime, admin, drafts)
        for round_ in range(25):
            agent = f"agent {round_ * 7 % AGENTS}"
            for strategy in ("hybrid", "semantic", "keyword", "recent"):
                request = SearchRequest(agent=agent, query="which cup holds the tea", strategy=strategy, limit=20)
                found = await recall(runtime, admin, request)
                assert len(found.results) == 20, (round_, strategy)
                assert {result.memory.agent for result in found.results} == {agent}
            exact = SearchRequest(agent=agent, query=f"{agent} noted that cup 42 holds tea", limit=1)
            best = (await recall(runtime, admin, exact)).results[0]
            assert best.memory.content == f"{agent} noted that cup 42 holds tea"


async def test_what_has_expired_takes_no_place_among_the_best(settings: Settings) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    passing = [
        MemoryDraft(agent="a", type="fact", content=f"tea tea tea {n}", expires_at=datetime(2100, 1, 1, tzinfo=UTC))
        for n in range(90)
    ]
    lasting = [
        MemoryDraft(agent="a", type="fact", content=f"The long shelf number {n} in the kitchen holds tea")
        for n in range(20)
    ]
    async with open_runtime(settings, "test") as runtime:
        await remember(runtime, admin, passing + lasting)
        request = SearchRequest(
            agent="a", query="tea", strategy="keyword", limit=30, as_of=datetime(2101, 1, 1, tzinfo=UTC)
        )
        found = (await recall(runtime, admin, request)).results
    assert {result.memory.content for result in found if result.memory} == {draft.content for draft in lasting}
