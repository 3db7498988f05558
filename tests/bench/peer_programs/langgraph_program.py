"""LangGraph's AsyncPostgresStore: started by the benchmark in the peers' own environment."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.postgres import AsyncPostgresStore
from shared_work import Work, serve
from static_embedder import DIM, Embedder

BATCH = 100


async def main() -> None:
    work = Work.given()
    embed = Embedder()
    async with AsyncPostgresStore.from_conn_string(
        work.url,
        pool_config={"min_size": work.clients, "max_size": work.clients},
        index={"dims": DIM, "embed": embed, "fields": ["text"]},
    ) as store:
        await store.setup()
        numbers = itertools.count()
        texts = itertools.cycle(work.texts)

        async def save(_: int) -> None:
            await store.aput(("a",), str(next(numbers)), {"text": next(texts)})

        async def save_batch(_: int) -> None:
            await store.abatch([PutOp(("a",), str(next(numbers)), {"text": next(texts)}) for _ in range(BATCH)])

        async def search(number: int) -> None:
            await store.asearch(("a",), query=work.queries[number % len(work.queries)], limit=10)

        async def batches() -> float:
            return BATCH * await per_second(save_batch, work, 1)

        for number in range(work.standing):
            await save(number)
        await serve(
            work,
            search,
            {
                "searches": lambda: per_second(search, work, work.clients),
                "write": lambda: per_second(save, work, 1),
                "writes": lambda: per_second(save, work, work.clients),
                "batch": batches,
            },
        )


async def per_second(way: Callable[[int], Awaitable[Any]], work: Work, clients: int) -> float:
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
