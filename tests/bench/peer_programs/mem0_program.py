"""mem0 with pgvector, ``infer=False``: started by the benchmark in the peers' own environment."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mem0 import Memory
from shared_work import DIM, Embedder, Work, serve

logging.disable(logging.WARNING)


class Embedding:
    """The embedder, as mem0 calls it."""

    def __init__(self) -> None:
        self._embedder = Embedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._embedder([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return self._embedder(texts)


def open_memory(work: Work) -> Any:
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "pgvector",
                "config": {
                    "connection_string": work.url,
                    "embedding_model_dims": DIM,
                    "collection_name": "bench",
                    "minconn": work.clients,
                    "maxconn": work.clients,
                },
            },
            "embedder": {"provider": "openai", "config": {"api_key": "none is called"}},
            "llm": {"provider": "openai", "config": {"api_key": "none is called"}},
            "history_db_path": f"{work.folder}/mem0-history.db",
        }
    )
    memory.embedding_model = Embedding()
    return memory


async def main() -> None:
    work = Work.given()
    memory = open_memory(work)
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
