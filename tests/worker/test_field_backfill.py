"""Memories from before keys, tags and summaries were searched: the worker indexes them in batches, and goes on where
it was."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.store import memories
from worker.maintenance.upkeep import FIELDS_BATCH, backfill_fields

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
COUNT = 2 * FIELDS_BATCH + 50


async def stored_before(runtime: Runtime) -> set[tuple[Any, ...]]:
    """Memories as a former release left them; the postings that they are to have."""
    drafts = [
        MemoryDraft(
            agent=f"agent {number % 3}",
            type="fact",
            content=f"Cup {number} is on the shelf, and the cup is blue",
            tags=["kitchen", "cup"] if number % 2 else [],
            key=f"cup_{number}" if number % 5 == 0 else None,
            summary="Where crockery is" if number % 7 == 0 else None,
        )
        for number in range(COUNT)
    ]
    await remember(runtime, ADMIN, drafts)
    wanted = await postings(runtime)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        raw = connection.raw
        await raw.execute("UPDATE memories SET lexemes = ts_filter(lexemes, '{d}')")
        await raw.execute("DELETE FROM search_terms WHERE frequency >= 4096 AND frequency & 4095 = 0")
        await raw.execute("UPDATE search_terms SET frequency = frequency & 4095")
        await raw.execute("INSERT INTO field_backfills (workspace_id) VALUES ($1)", DEFAULT_WORKSPACE)
    assert await postings(runtime) != wanted
    return wanted


async def postings(runtime: Runtime) -> set[tuple[Any, ...]]:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        return {
            tuple(row) for row in await connection.raw.fetch("SELECT term, id, frequency, length FROM search_terms")
        }


async def waiting(runtime: Runtime) -> int:
    async with runtime.db.unscoped() as connection:
        count: int = await connection.raw.fetchval("SELECT count(*) FROM field_backfills")
    return count


async def test_postings_become_those_of_a_save_today(runtime: Runtime) -> None:
    wanted = await stored_before(runtime)
    request = SearchRequest(agent="agent 1", query="crockery", strategy="keyword")
    assert (await recall(runtime, ADMIN, request)).results == []
    await backfill_fields(runtime)
    assert await postings(runtime) == wanted
    assert await waiting(runtime) == 0
    assert (await recall(runtime, ADMIN, request)).results


async def test_a_batch_at_a_time_and_a_lost_one_is_done_again(runtime: Runtime) -> None:
    wanted = await stored_before(runtime)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        assert await memories.backfill_fields(connection, DEFAULT_WORKSPACE, FIELDS_BATCH)
    halfway = await postings(runtime)
    assert halfway != wanted

    async def killed() -> None:
        async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await memories.backfill_fields(connection, DEFAULT_WORKSPACE, FIELDS_BATCH)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await killed()
    assert await postings(runtime) == halfway
    await backfill_fields(runtime)
    assert await postings(runtime) == wanted


async def test_two_workers_do_not_meet(runtime: Runtime) -> None:
    wanted = await stored_before(runtime)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        assert await memories.backfill_fields(connection, DEFAULT_WORKSPACE, FIELDS_BATCH)
        await backfill_fields(runtime)
        assert await waiting(runtime) == 1, "the other one goes past"
    await asyncio.gather(backfill_fields(runtime), backfill_fields(runtime))
    await backfill_fields(runtime)
    assert await postings(runtime) == wanted
    assert await waiting(runtime) == 0


async def test_summaries_of_windows_move_to_lists_of_their_own(runtime: Runtime) -> None:
    await remember(
        runtime, ADMIN, [MemoryDraft(agent="a", type="event", content="The venue is Oslo", tags=["summary"])]
    )
    before = {term for term, *_ in await postings(runtime)}
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("UPDATE search_index SET window_summary = true")
        await connection.raw.execute("INSERT INTO field_backfills (workspace_id) VALUES ($1)", DEFAULT_WORKSPACE)
    await backfill_fields(runtime)
    after = {term for term, *_ in await postings(runtime)}
    assert len(before) == len(after)
    assert len(before & after) == 3, "the lists that filters read: its type, its tag and its owners"
    request = SearchRequest(agent="a", query="Oslo", strategy="keyword")
    assert len((await recall(runtime, ADMIN, request)).results) == 1
