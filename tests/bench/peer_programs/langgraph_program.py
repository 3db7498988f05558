"""LangGraph's AsyncPostgresStore: started by the benchmark in the peers' own environment; prints JSON."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.store.postgres import AsyncPostgresStore
from shared_work import DIM, Embedder, Work, percentiles, report


async def main() -> None:
    work = Work.given(sys.argv[1])
    embed = Embedder()
    async with AsyncPostgresStore.from_conn_string(
        work.url,
        pool_config={"min_size": work.clients, "max_size": work.clients},
        index={"dims": DIM, "embed": embed, "fields": ["text"]},
    ) as store:
        await store.setup()
        numbers = itertools.count()
        texts = iter(work.texts)

        async def save(_: int) -> None:
            await store.aput(("a",), str(next(numbers)), {"text": next(texts)})

        async def save_batch(_: int) -> None:
            from langgraph.store.base import PutOp

            await store.abatch([PutOp(("a",), str(next(numbers)), {"text": next(texts)}) for _ in range(100)])

        async def search(number: int) -> None:
            await store.asearch(("a",), query=work.queries[number % len(work.queries)], limit=10)

        started = time.perf_counter()
        for number in range(work.standing):
            await save(number)
        single = work.standing / (time.perf_counter() - started)
        for number in range(20):
            await search(number)
        taken = []
        for number in range(work.calls):
            begun = time.perf_counter()
            await search(number)
            taken.append(time.perf_counter() - begun)
        p50, p95 = percentiles(taken)
        searches = await concurrently(search, work, work.clients)
        writes = await concurrently(save, work, work.clients)
        batch = 100 * await concurrently(save_batch, work, 1)
    report(p50=p50, p95=p95, searches=searches, write=single, writes=writes, batch=batch)


async def concurrently(way: Callable[[int], Awaitable[Any]], work: Work, clients: int) -> float:
    """Calls a second with every task calling without a pause."""
    begin = time.perf_counter()
    end = begin + work.seconds
    done = 0

    async def loop(first: int) -> None:
        nonlocal done
        number = first
        while time.perf_counter() < end:
            await way(number)
            number += clients
            done += 1

    await asyncio.gather(*(loop(first) for first in range(clients)))
    return done / (time.perf_counter() - begin)


if __name__ == "__main__":
    asyncio.run(main())
