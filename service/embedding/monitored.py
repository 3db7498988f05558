"""An embedder whose every call is evidence of whether it works."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Final

from service.domain.health_status import HealthStatus
from service.embedding.base import Embedder, EmbeddingFailed, EmbeddingOverBudget, EmbeddingTimedOut, Vectors
from service.embedding.storage import DEFAULT, Storage, with_storage

PROBE: Final = "Is anybody there?"
DEADLINE_MARGIN_S: Final = 0.5
"""A call given less time than this that runs out of it says nothing about the embedder."""


class MonitoredEmbedder:
    """An Embedder that keeps the ``condition`` of the one within; its signature says how the vectors are kept."""

    def __init__(self, embedder: Embedder, storage: Storage = DEFAULT) -> None:
        self.inner = embedder
        self.source, self.model, self.dim = embedder.source, embedder.model, embedder.dim
        self.signature = with_storage(embedder.signature, storage)
        self.storage = storage
        self.condition = HealthStatus()

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed."""
        started = perf_counter()
        try:
            vectors = await self.inner.embed(texts, deadline_s)
        except EmbeddingFailed as error:
            hurried = isinstance(error, EmbeddingTimedOut) and deadline_s is not None and deadline_s < DEADLINE_MARGIN_S
            if not hurried and not isinstance(error, EmbeddingOverBudget):
                self.condition.mark_failed(error.message)
            raise
        if len(texts):
            self.condition.mark_ok((perf_counter() - started) * 1000)
        return vectors

    async def probe(self, deadline_s: float) -> None:
        """Embed one short text; what comes of it is in ``condition``."""
        try:
            await self.embed([PROBE], deadline_s)
        except EmbeddingFailed:
            return

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await self.inner.aclose()
