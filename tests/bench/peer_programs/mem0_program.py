"""mem0 with pgvector, ``infer=False``: started by the benchmark in the peers' own environment."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from mem0_memory import open_memory
from shared_work import Work, serve

logging.disable(logging.WARNING)


async def main() -> None:
    work = Work.given()
    memory = open_memory(work.url, work.folder, work.clients)
    texts = itertools.cycle(work.texts)

    def save(_: int) -> None:
        memory.add(next(texts), user_id="a", infer=False)

    def search(number: int) -> None:
        memory.search(work.queries[number % len(work.queries)], filters={"user_id": "a"}, top_k=10)

    async def no_batches() -> None:
        """It has none."""

    for number in range(work.standing):
        save(number)
    with ThreadPoolExecutor(work.clients) as pool:

        def per_second(way: Callable[[int], None], clients: int) -> Callable[[], Awaitable[float]]:
            async def rate() -> float:
                return concurrently(pool, way, work, clients)

            return rate

        await serve(
            work,
            search,
            {
                "searches": per_second(search, work.clients),
                "write": per_second(save, 1),
                "writes": per_second(save, work.clients),
                "batch": no_batches,
            },
        )


def concurrently(pool: ThreadPoolExecutor, way: Callable[[int], None], work: Work, clients: int) -> float:
    """Calls a second with every thread calling without a pause."""
    end = time.perf_counter() + work.seconds

    def loop(first: int) -> int:
        done = 0
        while time.perf_counter() < end:
            way(first + done * clients)
            done += 1
        return done

    begin = time.perf_counter()
    return sum(pool.map(loop, range(clients))) / (time.perf_counter() - begin)


if __name__ == "__main__":
    asyncio.run(main())
