"""A cache in front of an embedder: least recently used, expiring, each text in flight only once."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from service.concurrency.lru import LRUCache
from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.installation import CACHE_SIZE, CACHE_TTL_S
from service.embedding.base import Embedder, EmbeddingFailed, EmbeddingOverBudget, EmbeddingTimedOut, Vectors

CLOCK_RESOLUTION_S = 0.001
"""By so much a timer of uvloop may fire before the moment that it was set for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    vector: Vectors  # (dim,)
    expires_at: float


@dataclass(frozen=True, slots=True)
class _InFlight:
    task: asyncio.Task[Vectors]
    row: int
    ends_at: float | None  # by the event loop's clock


@dataclass(frozen=True, slots=True)
class EmbeddingCache:
    """Cache of embeddings of the answering process, since its start."""

    hits: Annotated[int, Field(description="Number of texts whose vector was cached.")]
    misses: Annotated[int, Field(description="Number of texts that had to be embedded.")]
    entries: Annotated[int, Field(description="Number of cached vectors.")]
    entries_max: Annotated[int, Field(description="Maximum number of cached vectors.")]


class CachedEmbedder:
    """An Embedder that remembers ``size`` vectors for ``ttl_s`` seconds, keyed ``source:model:dim:sha256(text)``.

    A text asked for while it is being embedded waits for that call, which goes on when its first caller is
    cancelled. Failures reach everybody who waits and are never kept. A call that runs out of the time or the budget of
    the caller who began it is begun again for the others.
    """

    def __init__(
        self,
        embedder: Embedder,
        size: int = CACHE_SIZE,
        ttl_s: float = CACHE_TTL_S,
        clock: Callable[[], float] = time.monotonic,
        *,
        single_flight: bool = True,
    ) -> None:
        """``clock`` returns seconds and never goes back. Without ``single_flight`` a text is embedded for each that
        asks for it at the same time: for an embedder that takes less time than waiting for another's call."""
        self.inner = embedder
        self.source, self.model, self.dim = embedder.source, embedder.model, embedder.dim
        self.signature = embedder.signature
        self._single_flight = single_flight
        self._ttl_s = ttl_s
        self._clock = clock
        self._entries: LRUCache[str, _Entry] = LRUCache(size)
        self._size = size
        self._hits = 0
        self._misses = 0
        self._in_flight: dict[str, _InFlight] = {}

    @property
    def use(self) -> EmbeddingCache:
        """Return how it has served so far."""
        return EmbeddingCache(self._hits, self._misses, len(self._entries), self._size)

    def holds(self, text: str) -> bool:
        """Return whether the vector of a text would come from the cache now."""
        return bool(self._lookup([self._key(text)]))

    def configure(self, size: int, ttl_s: float) -> None:
        """Remember so many vectors for so long from now on; another size begins with none."""
        if size != self._size:
            self._size, self._entries = size, LRUCache(size)
        self._ttl_s = ttl_s

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed. The result is the caller's own copy."""
        # Also for a hit: whether a text is cached must not decide whether a bug is seen.
        assert_outside_transaction()
        keys = [self._key(text) for text in texts]
        found = self._lookup(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        self._hits += len(found)
        self._misses += len(missing)
        if missing:
            found |= await self._fetch(missing, deadline_s)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, key in enumerate(keys):
            vectors[row] = found[key]
        return vectors

    async def aclose(self) -> None:
        """Cancel what is in flight and close the inner embedder."""
        tasks = {flight.task for flight in self._in_flight.values()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.inner.aclose()

    def _key(self, text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self.signature}:{digest}"

    def _lookup(self, keys: Sequence[str]) -> dict[str, Vectors]:
        now = self._clock()
        found = {}
        for key in keys:
            entry = self._entries.get(key)
            if entry is not None and entry.expires_at > now:
                found[key] = entry.vector
        return found

    async def _fetch(self, missing: dict[str, str], deadline_s: float | None) -> dict[str, Vectors]:
        """Embed ``missing`` (key to text), joining flights that carry some of it already."""
        if not self._single_flight:
            vectors = await self.inner.embed(list(missing.values()), deadline_s)
            self._keep(list(missing), vectors)
            return dict(zip(missing, vectors, strict=True))
        ends_at = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
        found: dict[str, Vectors] = {}
        while missing:
            left_s = None if ends_at is None else ends_at - asyncio.get_running_loop().time()
            joined = {key: self._in_flight[key] for key in missing if key in self._in_flight}
            fresh = {key: text for key, text in missing.items() if key not in joined}
            own = self._start_flight(fresh, left_s) if fresh else None
            joined |= {key: self._in_flight[key] for key in fresh}
            _, late = await asyncio.wait({flight.task for flight in joined.values()}, timeout=left_s)
            for key, flight in joined.items():
                if flight.task in late:
                    raise EmbeddingTimedOut(f"No embedding within {deadline_s:g} s.")
                if flight.task is not own and _caller_deadline_expired(flight):
                    continue
                if flight.task.cancelled():
                    raise EmbeddingFailed("The embedder was closed meanwhile.")
                found[key] = flight.task.result()[flight.row]
            missing = {key: text for key, text in missing.items() if key not in found}
        return found

    def _start_flight(self, texts: dict[str, str], deadline_s: float | None) -> asyncio.Task[Vectors]:
        keys = list(texts)
        ends_at = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
        task = asyncio.create_task(self.inner.embed(list(texts.values()), deadline_s))
        for row, key in enumerate(keys):
            self._in_flight[key] = _InFlight(task, row, ends_at)
        task.add_done_callback(lambda done: self._finish_flight(keys, done))
        return task

    def _finish_flight(self, keys: Sequence[str], task: asyncio.Task[Vectors]) -> None:
        for key in keys:
            del self._in_flight[key]
        if not task.cancelled() and task.exception() is None:
            self._keep(keys, task.result())

    def _keep(self, keys: Sequence[str], vectors: Vectors) -> None:
        expires_at = self._clock() + self._ttl_s
        for key, vector in zip(keys, vectors, strict=True):
            # A copy, as a row would keep its whole batch in memory.
            self._entries.put(key, _Entry(vector.copy(), expires_at))


def _caller_deadline_expired(flight: _InFlight) -> bool:
    """Return whether the flight ended by the deadline or the budget of the caller who began it, not by a limit of the
    embedder."""
    error = None if flight.task.cancelled() else flight.task.exception()
    if isinstance(error, EmbeddingOverBudget):
        return True
    late = flight.ends_at is not None and asyncio.get_running_loop().time() >= flight.ends_at - CLOCK_RESOLUTION_S
    return late and isinstance(error, EmbeddingTimedOut)
