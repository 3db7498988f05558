"""What every use case works with: database, embedder, language model, clock. Opened once per process by the runtime."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import structlog

from service.db.pool import Connection, Database, Row
from service.db.replica import Replica
from service.domain.lately import Lately
from service.domain.principal import KnownKey
from service.embedding.base import Embedder, EmbeddingFailed
from service.embedding.storage import storage_of
from service.llm import LLM, Reranker
from service.measures import Measures
from service.memory.feed import Feed
from service.memory.places import KnownPlaces
from service.memory.reads import ReadCounter
from service.memory.shared import Shared
from service.memory.together import Together
from service.memory.usage import UsageCounter
from service.privacy import Redactor
from service.store.agents import Eyes, Reader
from service.store.embeddings import model_number
from service.store.vectors import Embedded, Space

CHEAP_SOURCE = "static"
READERS_MAX = 1_000
KEYS_MAX = 10_000
SEARCHED_AT_ONCE = max(2, os.cpu_count() or 0)
"""Statements of searches that come together: more than there are processors would only wait for each other."""

log = structlog.get_logger(__name__)

EMBEDDED_AT_ONCE = 128
DEADLINE_PER_TEXT_S = 0.05

Vector = np.ndarray[Any, Any]
T = TypeVar("T")


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _unseen(_: str, **__: Any) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(slots=True)
class Engine:
    """The lower layers, held together. ``embedder``, ``llm`` and ``reranker`` are None where none is configured.

    ``embedder`` is the one in use, which is another than the configured one until everything has been embedded anew
    (then that one is ``coming``); ``follow`` takes up what is in use now. ``lookout`` looks whether
    the models work. ``replica`` takes searches off the database where one is configured. ``span`` is a block as
    others see it in traces. ``webhooks_private``: webhooks may be sent to addresses inside the network.
    """

    db: Database
    replica: Replica | None = None
    embedder: Embedder | None = None
    embedding_deadline_s: float = 5.0
    llm: LLM | None = None
    reranker: Reranker | None = None
    redactor: Redactor = field(default_factory=Redactor)
    now: Callable[[], datetime] = _utc_now
    usage: UsageCounter = field(init=False)
    reads: ReadCounter = field(init=False)
    feed: Feed = field(init=False)
    saves: Together[Any, Any] = field(default_factory=Together)
    inserts: Together[Any, Any] = field(default_factory=Together)
    searches: Together[Any, Any] = field(default_factory=lambda: Together(SEARCHED_AT_ONCE))
    places: KnownPlaces = field(default_factory=KnownPlaces)
    readers: Lately[tuple[UUID, Eyes], Reader] = field(default_factory=lambda: Lately(READERS_MAX))
    keys: Lately[bytes, KnownKey] = field(default_factory=lambda: Lately(KEYS_MAX))
    key_looks: Shared[Row | None] = field(default_factory=Shared)
    coming: Embedder | None = None
    follow: Callable[[], Awaitable[None]] | None = None
    lookout: Callable[[], Awaitable[None]] | None = None
    webhooks_private: bool = False
    measures: Measures = field(default_factory=Measures)
    span: Callable[..., AbstractContextManager[Any]] = _unseen
    _models: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.usage = UsageCounter(self.db, self.now)
        self.reads = ReadCounter(self.db)
        self.feed = Feed(self.db, lambda: self.now())

    async def search(self, workspace: UUID, look: Callable[[Connection], Awaitable[T]]) -> T:
        """What ``look``, which writes nothing, finds in a search's transaction; on the replica if that is as good."""
        if self.replica is not None:
            return await self.replica.search(workspace, look)
        async with self.db.searching(workspace) as connection:
            return await look(connection)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Vectors for texts about to be stored. A failing embedder leaves them pending; a save never fails for it.

        The deadline grows with the number of texts. What is embedded before a failure is kept.
        """
        vectors: list[Vector | None] = []
        embedder = self.embedder
        if embedder is None or not texts:
            return Embedded(None, [None] * len(texts))
        ends_at = monotonic() + self.embedding_deadline_s + DEADLINE_PER_TEXT_S * len(texts)
        try:
            for start in range(0, len(texts), EMBEDDED_AT_ONCE):
                some = texts[start : start + EMBEDDED_AT_ONCE]
                vectors.extend(await embedder.embed(some, max(0.0, ends_at - monotonic())))
        except EmbeddingFailed as error:
            log.warning("embedding_pending", texts=len(texts) - len(vectors), error=error.message)
            vectors.extend([None] * (len(texts) - len(vectors)))
        pending = sum(vector is None for vector in vectors)
        self.measures.embedded.labels("pending").inc(pending)
        self.measures.embedded.labels("ready").inc(len(vectors) - pending)
        return Embedded(await self._space(embedder), vectors)

    async def embed_query(self, text: str) -> tuple[Vector, Space]:
        """The vector of a query and its space. Raises EmbeddingFailed; an embedder must be configured."""
        embedder = self.embedder
        assert embedder is not None
        vectors = await embedder.embed([text], self.embedding_deadline_s)
        return vectors[0], await self._space(embedder)

    async def embed_if_cheap(self, texts: Sequence[str]) -> Embedded:
        """Vectors for texts that can wait for the worker: only from an embedder that costs next to nothing."""
        if self.embedder is None or self.embedder.source != CHEAP_SOURCE:
            return Embedded(None, [None] * len(texts))
        return await self.embed(texts)

    async def space(self) -> Space | None:
        """Of this embedder's vectors; None without an embedder."""
        return None if self.embedder is None else await self._space(self.embedder)

    def use(self, embedder: Embedder, number: int) -> None:
        """Embed with this from now on."""
        self._models[embedder.signature] = number
        self.embedder = embedder

    async def _space(self, embedder: Embedder) -> Space:
        signature = embedder.signature
        if signature not in self._models:
            async with self.db.unscoped() as connection:
                self._models[signature] = await model_number(connection, signature, embedder.dim, embedder.model)
        return Space(self._models[signature], storage_of(signature))
