"""Very large audiences: indexed in the background, and found as exactly as small ones meanwhile and afterwards."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from service.db.pool import Connection
from service.domain.drafts import MemoryDraft, MessageDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.memory.sessions.conversations import append_messages
from service.runtime import Runtime
from service.settings import Settings
from service.store import agents, hnsw
from tests.databases import wait_for_lock_waiter
from tests.worker.large_audience import ADMIN, LOW_HNSW_LIMITS, LOW_LIMITS, notes, opened
from worker.maintenance.vectors import maintain_hnsw

LIMITS = replace(LOW_LIMITS, postings=30)
HNSW_LIMITS = replace(LOW_HNSW_LIMITS, common_from=20)
QUERIES = ("cups of green tea", "who repairs the roof", "budget of the third quarter", "tea")


async def best(runtime: Runtime, query: str, **fields: object) -> list[str]:
    """What is found, however little it has to do with the query."""
    request = SearchRequest.model_validate({"agent": "a", "query": query, "min_relevance": 0} | fields)
    return [result.memory.content for result in (await recall(runtime, ADMIN, request)).results]


async def test_an_indexed_audience_answers_as_an_exact_scan_does(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(600))
        exact = {query: await best(runtime, query) for query in QUERIES}
        assert await maintain_hnsw(runtime) == 600
        assert await maintain_hnsw(runtime) == 0
        for query in QUERIES:
            overlap = set(exact[query]) & set(await best(runtime, query))
            assert len(overlap) >= 9, query


@pytest.mark.first_tier
async def test_what_is_not_indexed_yet_is_found_too(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(300))
        await maintain_hnsw(runtime)
        await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content="The swordfish swims at dawn")])
        for strategy in ("hybrid", "semantic", "keyword"):
            found = await best(runtime, "swordfish at dawn", strategy=strategy)
            assert found[0] == "The swordfish swims at dawn", strategy


@pytest.mark.first_tier
async def test_a_narrow_filter_never_leaves_the_answer_short(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(600))
        await maintain_hnsw(runtime)
        for strategy in ("hybrid", "semantic"):
            assert len(await best(runtime, "a train to Bergen", about="u", strategy=strategy, limit=50)) == 12
            assert len(await best(runtime, "green tea", tags=["odd"], strategy=strategy, limit=20)) == 20


async def test_an_audience_that_has_shrunk_is_small_again(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(120))
        await maintain_hnsw(runtime)
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute("DELETE FROM search_index WHERE words > 0")
            await connection.raw.execute("DELETE FROM search_terms")
        await maintain_hnsw(runtime)
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            assert await connection.raw.fetchval("SELECT count(*) FROM audience_rows") == 0


async def test_two_large_audiences_of_one_reader_are_searched_together(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await _join_team(runtime, "red")
        await remember(runtime, ADMIN, notes(300))
        await remember(runtime, ADMIN, notes(300, start=300, scope="team", team="red"))
        exact = {query: await best(runtime, query, limit=40) for query in QUERIES}
        assert {content.split()[1] > "3" for content in exact["cups of green tea"]} == {True, False}
        assert await maintain_hnsw(runtime) == 600
        for query in QUERIES:
            overlap = set(exact[query]) & set(await best(runtime, query, limit=40))
            assert len(overlap) >= 38, query


async def test_what_was_large_once_is_still_found_beside_what_is(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await _join_team(runtime, "red")
        await remember(runtime, ADMIN, notes(300))
        [swordfish] = notes(1, scope="team", team="red")
        swordfish.content = "The swordfish swims at dawn"
        await remember(runtime, ADMIN, [swordfish])
        await maintain_hnsw(runtime)
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute("UPDATE search_index SET ann = true, part = 7 WHERE scope = 'team'")
        for strategy in ("hybrid", "semantic"):
            assert (await best(runtime, "swordfish at dawn", strategy=strategy))[0] == "The swordfish swims at dawn"


async def test_each_large_audience_goes_to_the_emptiest_part(settings: Settings) -> None:
    async with opened(settings, LIMITS, replace(HNSW_LIMITS, partitions=2)) as runtime:
        for team, count in (("red", 400), ("green", 300), ("blue", 200)):
            await _join_team(runtime, team)
            await remember(runtime, ADMIN, notes(count, scope="team", team=team))
        assert await maintain_hnsw(runtime) == 900
        assert await _parts(runtime) == {400: 0, 300: 1, 200: 1}
        for team in ("red", "green", "blue"):
            await _join_team(runtime, team)
            assert len(await best(runtime, "green tea", limit=50)) == 50


async def test_an_audience_that_would_be_lost_among_others_is_scanned_exactly(settings: Settings) -> None:
    async with opened(settings, LIMITS, replace(HNSW_LIMITS, cost_rows=100, partitions=1)) as runtime:
        await remember(runtime, ADMIN, notes(300))
        await _join_team(runtime, "red")
        await remember(runtime, ADMIN, notes(150, start=300, scope="team", team="red"))
        assert await maintain_hnsw(runtime) == 300
        found = await best(runtime, "green tea", limit=50)
        assert {int(content.split()[1]) >= 300 for content in found} == {True, False}
        runtime.hnsw_limits = replace(runtime.hnsw_limits, partitions=2)
        assert await maintain_hnsw(runtime) == 150
        assert await _parts(runtime) == {300: 0, 150: 1}
        assert len(set(found) & set(await best(runtime, "green tea", limit=50))) >= 48


async def _give_part(connection: Connection, one: hnsw.AudienceStats, part: int) -> None:
    await connection.run(
        "assign_partition", workspace=DEFAULT_WORKSPACE, audience=one.audience, kind=one.kind, part=part
    )


async def test_an_audience_that_is_large_again_goes_where_it_was(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(300))
        exact = {query: await best(runtime, query) for query in QUERIES}
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            [one] = await hnsw.count(connection, DEFAULT_WORKSPACE, runtime.hnsw_limits)
            await _give_part(connection, one, 5)
        assert await maintain_hnsw(runtime) == 300
        runtime.hnsw_limits = replace(HNSW_LIMITS, counted_from=1_000)
        await maintain_hnsw(runtime)
        assert await _parts(runtime) == {}
        runtime.hnsw_limits = HNSW_LIMITS
        assert await maintain_hnsw(runtime) == 0
        assert await _parts(runtime) == {300: 5}
        for query in QUERIES:
            assert len(set(exact[query]) & set(await best(runtime, query))) >= 9, query


async def test_two_workers_give_an_audience_one_part(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(300))
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            [one] = await hnsw.count(connection, DEFAULT_WORKSPACE, runtime.hnsw_limits)

        async def given() -> int | None:
            async with runtime.db.transaction(DEFAULT_WORKSPACE) as second:
                return await hnsw.partition_of(second, DEFAULT_WORKSPACE, one.audience)

        async with runtime.db.transaction(DEFAULT_WORKSPACE) as first:
            assert await hnsw.partition_of(first, DEFAULT_WORKSPACE, one.audience) is None
            answer = asyncio.create_task(given())
            async with runtime.db.unscoped() as watching:
                await wait_for_lock_waiter(watching.raw)
            await _give_part(first, one, 5)
        assert await answer == 5
        assert await maintain_hnsw(runtime) == 300
        assert await _parts(runtime) == {300: 5}


async def test_all_kinds_of_an_audience_go_to_one_part(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(600))
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute(
                "UPDATE search_index SET kind = 1 WHERE id IN (SELECT id FROM search_index LIMIT 250)"
            )
        assert await maintain_hnsw(runtime) == 600
        assert await _parts(runtime) == {350: 0, 250: 0}


async def test_indexes_of_models_out_of_use_are_dropped(settings: Settings) -> None:
    async with opened(settings, LIMITS, HNSW_LIMITS) as runtime:
        await remember(runtime, ADMIN, notes(300))
        async with runtime.db.unscoped() as connection:
            await hnsw.build_index(connection, hnsw.Partition(99, 0), "halfvec", dim=8)
            assert set(await hnsw.indexes(connection)) == {"ix_search_index_ann_99_0"}
        await maintain_hnsw(runtime)
        async with runtime.db.unscoped() as connection:
            [name] = await hnsw.indexes(connection)
        space = await runtime.space()
        assert space is not None
        assert name.startswith(f"ix_search_index_ann_{space.number}_")


async def test_counting_ahead_leaves_the_scores_as_they_are(settings: Settings) -> None:

    async def scores(runtime: Runtime) -> list[float | None]:
        request = SearchRequest(
            agent="a", query="green tea", strategy="keyword", limit=40, include=["memories", "messages"]
        )
        return [found.keyword_score for found in (await recall(runtime, ADMIN, request)).results]

    async with opened(settings, LIMITS, replace(HNSW_LIMITS, large_from=1_000)) as runtime:
        await _join_team(runtime, "red")
        await remember(runtime, ADMIN, notes(60))
        await remember(runtime, ADMIN, notes(10, start=60, scope="team", team="red"))
        said = [MessageDraft(role="user", content=f"Cup {n} of green tea is empty") for n in range(15)]
        await append_messages(runtime, ADMIN, "a", "s", said, user="u")
        before = await scores(runtime)
        await maintain_hnsw(runtime)
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            assert await connection.raw.fetchval("SELECT array_agg(rows) FROM audience_rows") == [60]
        assert await scores(runtime) == before


async def _parts(runtime: Runtime) -> dict[int, int]:
    """The part of each audience and kind, by its number of rows."""
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        return dict(await connection.raw.fetch("SELECT rows, part FROM audience_rows"))


async def _join_team(runtime: Runtime, team: str) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        agent_id = await agents.ensure_agent(connection, DEFAULT_WORKSPACE, "a")
        await agents.set_teams(connection, DEFAULT_WORKSPACE, agent_id, [team])
