"""mem0 with pgvector, ``infer=False``: started by the benchmark in the peers' own environment; prints JSON."""

from __future__ import annotations

import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mem0 import Memory
from shared_work import DIM, Embedder, Work, latencies, report

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


def main() -> None:
    work = Work.given(sys.argv[1])
    memory = open_memory(work)
    texts = iter(work.texts)

    def save(_: int) -> None:
        memory.add(next(texts), user_id="a", infer=False)

    def search(number: int) -> None:
        memory.search(work.queries[number % len(work.queries)], filters={"user_id": "a"}, top_k=10)

    started = time.perf_counter()
    for number in range(work.standing):
        save(number)
    single = work.standing / (time.perf_counter() - started)
    for number in range(20):
        search(number)
    taken = latencies(search, work.calls)
    with ThreadPoolExecutor(work.clients) as pool:
        searches = concurrently(pool, search, work)
        writes = concurrently(pool, save, work)
    report(p50=taken[0], p95=taken[1], searches=searches, write=single, writes=writes, batch=None)


def concurrently(pool: ThreadPoolExecutor, way: Any, work: Work) -> float:
    """Calls a second with every thread calling without a pause."""
    end = time.perf_counter() + work.seconds

    def loop(first: int) -> int:
        done = 0
        while time.perf_counter() < end:
            way(first + done * work.clients)
            done += 1
        return done

    begin = time.perf_counter()
    return sum(pool.map(loop, range(work.clients))) / (time.perf_counter() - begin)


if __name__ == "__main__":
    main()
