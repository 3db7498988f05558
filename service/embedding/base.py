"""What every embedder promises, its errors, and running blocking models off the event loop.

Errors::

    ReverieError
      x EmbedderMisconfigured   the setting EMBEDDING_MODEL (or EMBEDDING_DIM) cannot work; raised when opening
      x EmbeddingFailed         this call gave no vectors; another one may
        + EmbeddingTimedOut     … because its deadline passed
        + EmbeddingOverBudget   … because the budget of whoever pays did not allow the call
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from service.concurrency.transaction_guard import assert_outside_transaction
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
        """The model's name, without its source."""

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
    """The name under which vectors are stored and compared."""
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
