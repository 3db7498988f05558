"""A failing embedder leaves memories pending: found by keyword meanwhile, embedded by the worker later."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import numpy as np

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.embedding.embedder import EmbeddingFailed, Vectors
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import EMBED_BATCH, Runtime
from worker.maintenance.vectors import embed_pending

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


class Flaky:
    """An embedder that answers ``good`` more calls and then fails."""

    source, model, dim, signature = "static", "flaky", 4, "static:flaky:4"

    def __init__(self, good: int) -> None:
        self.good = good

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        if self.good == 0:
            raise EmbeddingFailed("down")
        self.good -= 1
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

    async def aclose(self) -> None:
        """Nothing to let go of."""


class Overtaken(Flaky):
    """An embedder whose texts all change while it embeds them."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(good=10)
        self.runtime = runtime

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        async with self.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute("UPDATE memories SET version = version + 1")
        return await super().embed(texts, deadline_s)


async def states(runtime: Runtime) -> list[str]:
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch("SELECT embedding_model IS NULL AS pending FROM search_index ORDER BY id")
    return ["pending" if row["pending"] else "ready" for row in rows]


async def test_what_was_embedded_before_the_failure_is_kept(runtime: Runtime) -> None:
    runtime.embedder = Flaky(good=1)
    count = EMBED_BATCH + 10
    drafts = [MemoryDraft(agent="a", type="fact", content=f"fact number {n}") for n in range(count)]
    await remember(runtime, ADMIN, drafts)
    assert await states(runtime) == ["ready"] * EMBED_BATCH + ["pending"] * 10
    found = await recall(runtime, ADMIN, SearchRequest(agent="a", query=f"number {count - 1}"))
    assert found.results[0].memory.content == f"fact number {count - 1}"
    assert found.degraded is not None


async def test_the_worker_catches_up_once_the_embedder_answers(runtime: Runtime) -> None:
    runtime.embedder = Flaky(good=0)
    await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content=f"fact {n}") for n in range(300)])
    assert await embed_pending(runtime) == 0
    assert await states(runtime) == ["pending"] * 300
    runtime.embedder = Flaky(good=100)
    assert await embed_pending(runtime) == 300
    assert await states(runtime) == ["ready"] * 300
    assert await embed_pending(runtime) == 0


async def test_texts_that_keep_changing_wait_for_the_next_run(runtime: Runtime) -> None:
    runtime.embedder = Flaky(good=0)
    await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content=f"fact {n}") for n in range(3)])
    runtime.embedder = overtaken = Overtaken(runtime)
    await embed_pending(runtime)
    assert overtaken.good == 9
    assert await states(runtime) == ["pending"] * 3
    runtime.embedder = Flaky(good=1)
    assert await embed_pending(runtime) == 3
    assert await states(runtime) == ["ready"] * 3
