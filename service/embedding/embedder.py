"""What every embedder promises, its errors, how its vectors are kept, its condition, its cache, its noise level.

Errors::

    ReverieError
      x EmbedderMisconfigured   the setting EMBEDDING_MODEL (or EMBEDDING_DIM) cannot work; raised when opening
      x EmbeddingFailed         this call gave no vectors; another one may
        + EmbeddingTimedOut     … because its deadline passed
        + EmbeddingOverBudget   … because the budget of whoever pays did not allow the call

The noise level is how similar an embedder finds texts that have nothing to do with each other. It is measured on
questions and statements of different subjects, never on what is stored: the same model has the same level everywhere,
and one that is not known here is measured by one call, which a worker makes. A search takes a similarity up to this
level for chance.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Final, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
from pydantic import Field

from service.concurrency.lru import LRUCache
from service.concurrency.transaction_guard import assert_outside_transaction
from service.domain.health_status import HealthStatus
from service.errors import ReverieError

Vectors = npt.NDArray[np.float32]


class EmbedderMisconfigured(ReverieError):
    """EMBEDDING_MODEL names an embedder that cannot be opened."""


class EmbeddingFailed(ReverieError):
    """The embedder gave no vectors."""


class EmbeddingTimedOut(EmbeddingFailed):
    """The embedder gave no vectors before the deadline."""


class EmbeddingOverBudget(EmbeddingFailed):
    """The budget does not allow another call of the embedding model."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Safe for concurrent use within one event loop. Once it is open, source, model,
    dimension and signature do not change."""

    @property
    def source(self) -> str:
        """``static``, ``local`` or ``remote``."""

    @property
    def model(self) -> str:
        """Return the model's name, without its source."""

    @property
    def dim(self) -> int:
        """Length of every vector."""

    @property
    def signature(self) -> str:
        """``source:model:dim``; vectors of different signatures must not be compared."""

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """Embed ``texts``; the result has shape (len(texts), dim), float32, L2-normalised, in order.

        ``deadline_s`` bounds the whole call in seconds, retries included. No texts give shape (0, dim).
        Raises EmbeddingFailed, EmbeddingTimedOut, and the guard's error inside a database transaction.
        """

    async def aclose(self) -> None:
        """Let go of threads and connections; the embedder must not be used afterwards."""


def signature_of(source: str, model: str, dim: int) -> str:
    """Return the name under which vectors are stored and compared."""
    return f"{source}:{model}:{dim}"


def normalised(vectors: Vectors) -> Vectors:
    """Scale each row of (n, dim) to length 1 in place and return it.

    Raises EmbeddingFailed for a row that is zero or not finite: it has no direction, and one NaN in an
    index would poison every distance computed from it.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(norms) & (norms > 0)):
        raise EmbeddingFailed("The model returned a vector that is zero or not finite.")
    vectors /= norms
    return vectors


def replace_surrogates(text: str) -> str:
    """``text`` with surrogate pairs joined and lone surrogates replaced by U+FFFD, as no tokenizer takes them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@asynccontextmanager
async def deadline(seconds: float | None) -> AsyncIterator[None]:
    """Raise EmbeddingTimedOut when the block takes longer than ``seconds``; None waits forever."""
    try:
        async with asyncio.timeout(seconds) as scope:
            yield
    except TimeoutError as error:
        if not scope.expired():
            raise
        raise EmbeddingTimedOut(f"No embedding within {seconds:g} s.") from error


class ThreadEmbedder(ABC):
    """An embedder whose blocking model runs on one thread of its own, ``batch_max`` texts at a time.

    A thread cannot be interrupted, so slices are what makes a deadline or a cancellation effective, and what
    lets a search's one query in between the hundreds of texts of a batch write.
    """

    dim: int
    batch_max: int

    def __init__(self, thread: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=thread)

    @abstractmethod
    def _embed(self, texts: Sequence[str]) -> Vectors:
        """Embed a slice, as ``Embedder.embed``. Blocking."""

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed."""
        assert_outside_transaction()
        loop = asyncio.get_running_loop()
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        async with deadline(deadline_s):
            for start in range(0, len(texts), self.batch_max):
                piece = texts[start : start + self.batch_max]
                vectors[start : start + len(piece)] = await loop.run_in_executor(self._executor, self._embed, piece)
        return vectors

    async def aclose(self) -> None:
        """Stop the thread after what it is doing now."""
        self._executor.shutdown(wait=False, cancel_futures=True)


Storage = Literal["halfvec", "float32", "binary"]
"""- ``halfvec``: 2 bytes a dimension, and so in the index of very large audiences.
- ``float32``: 4 bytes a dimension, as the model gave them; 2 in the index.
- ``binary``: as ``halfvec``, but the index holds signs, one bit a dimension; the whole vectors rank what it finds.
"""

DEFAULT_STORAGE: Final[Storage] = "halfvec"


def with_storage(signature: str, storage: Storage) -> str:
    """Return an embedder's signature with how its vectors are kept; the default is not said."""
    return signature if storage == DEFAULT_STORAGE else f"{signature}:{storage}"


def storage_of(signature: str) -> Storage:
    """Return how vectors of this signature are kept."""
    said = signature.rpartition(":")[2]
    return next((storage for storage in get_args(Storage) if storage == said), DEFAULT_STORAGE)


def vector_bytes(storage: Storage, dim: int) -> int:
    """Return what one vector takes in its row, as pgvector has it."""
    return (4 if storage == "float32" else 2) * dim + 8


def base_signature(signature: str) -> str:
    """Return the signature of the embedder alone."""
    storage = storage_of(signature)
    return signature if storage == DEFAULT_STORAGE else signature.removesuffix(f":{storage}")


def can_convert_in_place(signature: str, former: str) -> bool:
    """Return whether vectors of a former signature are those of this one, once they are kept as this one says."""
    return base_signature(signature) == base_signature(former) and storage_of(signature) != "float32"


PROBE: Final = "Is anybody there?"
DEADLINE_MARGIN_S: Final = 0.5
"""A call given less time than this that runs out of it says nothing about the embedder."""


class MonitoredEmbedder:
    """An Embedder that keeps the ``condition`` of the one within; its signature says how the vectors are kept."""

    def __init__(self, embedder: Embedder, storage: Storage = DEFAULT_STORAGE) -> None:
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


CACHE_SIZE = 1_000
"""Vectors of one process: 4 MB of 1,024 dimensions each, and more texts than a process embeds within their time."""
CACHE_TTL_S = 300.0
"""A query repeats within a conversation, if at all; a vector never goes stale, as the key has the model."""
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

    A text asked for while it is being embedded waits for that call (single-flight), which goes on when its first caller
    is cancelled. Failures reach everybody who waits and are never kept. A call that runs out of the time or the budget
    of the caller who began it is begun again for the others.
    """

    def __init__(
        self,
        embedder: Embedder,
        size: int = CACHE_SIZE,
        ttl_s: float = CACHE_TTL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``clock`` returns seconds and never goes back."""
        self.inner = embedder
        self.source, self.model, self.dim = embedder.source, embedder.model, embedder.dim
        self.signature = embedder.signature
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


QUANTILE: Final = 0.99
"""Of the similarities of unrelated pairs."""

_KNOWN: Final = {"static:wordllama-l2_supercat:256": 0.2044, "local:all-MiniLM-L6-v2:384": 0.3118}
"""By signature, as measured."""

QUESTIONS: Final = (
    "What is the pressure of the boiler valve?",
    "Where did Ines go to school?",
    "Which bird sings in the garden at dawn?",
    "How many pages does the annual report have?",
    "When does the ferry to the island leave?",
    "Who painted the mural in the station hall?",
    "Does Pavel take sugar in his coffee?",
    "What did the dentist say about the crown?",
    "Which chess opening does Rosa prefer?",
    "How long does the bread dough have to rest?",
    "What was the score of the handball final?",
    "Why did the compiler reject the template?",
    "Whom did the committee elect as treasurer?",
    "Which vaccine does the puppy still need?",
    "How deep is the well behind the barn?",
    "What colour are the curtains in the nursery?",
    "Is the choir rehearsing on Thursday?",
    "How much rent does the bakery pay?",
    "What did grandmother keep in the cedar chest?",
    "Which telescope did Amir order?",
)
STATEMENTS: Final = (
    "The wifi password is written on the back of the router.",
    "Lena runs half marathons in the mountains.",
    "We ship the release on Friday after the security review.",
    "My sister moved to Lisbon to study architecture.",
    "The invoice for the printer was paid twice by mistake.",
    "He is allergic to peanuts and carries an injector.",
    "The quarterly budget for marketing is sixty thousand euros.",
    "She adopted a grey cat named Biscuit from the shelter.",
    "I prefer answers in bullet points without any emojis.",
    "The database runs on version eighteen with two replicas.",
    "They visited a volcano in Iceland during the honeymoon.",
    "Tom plays bass guitar in a jazz trio on weekends.",
    "The car needs new tyres before the winter.",
    "Our flight was cancelled because of the storm.",
    "The museum is closed on Mondays and public holidays.",
    "I finished the novel about the lighthouse keeper yesterday.",
    "The doctor told him to walk an hour every day.",
    "Nora wants to open a flower shop next spring.",
    "The solar panels produce less than the supplier promised.",
    "We agreed to call customers before raising any price.",
)


def known_noise(signature: str) -> float | None:
    """Return the noise level of the embedder of this signature, if it need not be measured."""
    return _KNOWN.get(base_signature(signature))


async def noise_level(embedder: Embedder, deadline_s: float | None = None) -> float:
    """Return the similarity that ``QUANTILE`` of unrelated pairs do not exceed. Raises as ``Embedder.embed``."""
    vectors = await embedder.embed([*QUESTIONS, *STATEMENTS], deadline_s)
    asked, stated = vectors[: len(QUESTIONS)], vectors[len(QUESTIONS) :]
    return round(float(np.quantile(asked @ stated.T, QUANTILE)), 4)
