"""A model that nobody has measured is measured by the worker, once; searches then know chance from meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import uuid4

import numpy as np
import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.embedding.embedder import EmbeddingFailed, Vectors
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.runtime import Runtime
from worker.maintenance.upkeep import measure_noise

ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


class Unknown:
    """A remote model whose texts all point in some direction of their own, and are alike by chance for the rest."""

    source, model, dim, signature = "remote", "unknown", 64, "remote:unknown:64"

    def __init__(self) -> None:
        self.calls = 0
        self.down = False

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        if self.down:
            raise EmbeddingFailed("down")
        self.calls += 1
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        vectors = np.stack([np.random.default_rng(seed).normal(0.6, 1, self.dim) for seed in seeds])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    async def aclose(self) -> None:
        """Nothing to let go of."""


async def found(runtime: Runtime, query: str) -> list[str]:
    answer = await recall(runtime, ADMIN, SearchRequest(agent="a", query=query), count_access=False)
    return [one.record.content for one in answer.results]


async def test_it_is_measured_once_and_kept_with_the_signature(runtime: Runtime) -> None:
    embedder = runtime.embedder = Unknown()
    await measure_noise(runtime)
    assert embedder.calls == 0, "nothing has been embedded with it yet"
    await remember(runtime, ADMIN, [MemoryDraft(agent="a", type="fact", content="Maria likes tea")])
    async with runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE embedding_state SET active = (SELECT max(id) FROM embedding_models)")
    assert await found(runtime, "zxqvwk") == ["Maria likes tea"], "until then only what is not alike at all is left out"
    embedder.down = True
    await measure_noise(runtime)
    embedder.down = False
    calls = embedder.calls
    await measure_noise(runtime)
    await measure_noise(runtime)
    assert embedder.calls == calls + 1
    async with runtime.db.unscoped() as connection:
        noise = await connection.raw.fetchval(
            "SELECT noise FROM embedding_models WHERE signature = $1", Unknown.signature
        )
    assert noise == pytest.approx(0.5, abs=0.15)
    assert await found(runtime, "zxqvwk") == []
    assert await found(runtime, "tea") == ["Maria likes tea"]


async def test_without_an_embedder_there_is_nothing_to_measure(runtime: Runtime) -> None:
    runtime.embedder = None
    await measure_noise(runtime)
