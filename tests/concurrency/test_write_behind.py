"""Counts written behind requests: a clean stop loses none of them, and counts none twice."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import asyncpg

from service.concurrency.write_behind import WriteBehindBuffer
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.memory.counters import AccessCounter
from service.memory.saving.remember import remember
from service.settings import Settings
from service.startup import open_runtime
from tests.databases import wait_for_lock_waiter
from tests.waiting import turns

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
COUNTED = "SELECT access_count FROM memory_usage WHERE workspace_id = $1"


async def test_a_stop_waits_for_what_is_being_written(settings: Settings, database_url: str) -> None:
    async with open_runtime(settings, "test") as runtime:
        [saved] = await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content="Tea is at four")])
        ids = [saved.memory.id]
        runtime.part(AccessCounter).count(DEFAULT_WORKSPACE, ids)
        await runtime.part(AccessCounter).flush()
        async with AccessCounter(runtime, flush_interval_s=0.01) as counter:
            holder = await asyncpg.connect(database_url)
            try:
                holding = holder.transaction()
                await holding.start()
                assert await holder.fetchval(f"{COUNTED} FOR UPDATE", DEFAULT_WORKSPACE) == 1
                counter.count(DEFAULT_WORKSPACE, ids)
                await wait_for_lock_waiter(holder)
                counter.count(DEFAULT_WORKSPACE, ids)
                stopping = asyncio.create_task(counter.__aexit__())
                await turns()
                assert not stopping.done()
                await holding.rollback()
                await stopping
                assert await holder.fetchval(COUNTED, DEFAULT_WORKSPACE) == 3
            finally:
                await holder.close()


async def test_a_memory_that_is_deleted_meanwhile_takes_no_counts_of_others_along(
    settings: Settings, database_url: str
) -> None:
    async with open_runtime(settings, "test") as runtime:
        drafts = [MemoryDraft(agent="a", type="fact", content=f"Tea is at {hour}") for hour in ("four", "five")]
        gone, kept = [saved.memory.id for saved in await remember(runtime, ADMIN, drafts)]
        counter = AccessCounter(runtime)
        counter.count(DEFAULT_WORKSPACE, [gone, kept])
        holder = await asyncpg.connect(database_url)
        try:
            async with holder.transaction():
                await holder.execute(
                    "DELETE FROM memories WHERE workspace_id = $1 AND id = $2", DEFAULT_WORKSPACE, gone
                )
                writing = asyncio.create_task(counter.flush())
                await wait_for_lock_waiter(holder)
            await writing
            await counter.flush()
            assert await holder.fetchval(COUNTED, DEFAULT_WORKSPACE) == 1
        finally:
            await holder.close()


class Gated(WriteBehindBuffer):
    """Writes when it may, and notes how often it has begun to."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.may_write = asyncio.Event()

    async def write(self) -> None:
        self.begun += 1
        await self.may_write.wait()


async def test_a_flush_ends_when_what_was_being_written_is_there() -> None:
    buffer = Gated()
    under_way = asyncio.create_task(buffer.flush())
    await asyncio.sleep(0)
    assert buffer.begun == 1
    asked = asyncio.create_task(buffer.flush())
    await turns()
    assert not asked.done()
    assert buffer.begun == 1
    buffer.may_write.set()
    await asyncio.gather(under_way, asked)
    assert buffer.begun == 2
