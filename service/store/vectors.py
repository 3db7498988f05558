"""Vectors as they are stored: under a number for their model, in the way that model's signature says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector, Vector

from service.db.queries import Flags
from service.embedding.embedder import DEFAULT_STORAGE, Storage

Embedding = npt.NDArray[np.float32]
"""The vector of a text, as its embedder gives it."""
Stored = HalfVector | Vector

_HALFVEC: Flags = {"vector_column": "embedding", "other_vector_column": "embedding_float32", "vector_type": "halfvec"}
_FLOAT32: Flags = {"vector_column": "embedding_float32", "other_vector_column": "embedding", "vector_type": "vector"}
_FLAGS: dict[Storage, Flags] = {"halfvec": _HALFVEC, "float32": _FLOAT32, "binary": _HALFVEC}
NO_SPACE: Flags = _FLAGS[DEFAULT_STORAGE]
"""For queries that store vectors where there is none to store."""


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """What makes vectors comparable: they are of one embedding model, stored under ``number``, and kept in one way."""

    number: int
    storage: Storage = DEFAULT_STORAGE

    @property
    def flags(self) -> Flags:
        """Return the flags of queries: in which column vectors are stored, as which type, and which column stays
        empty."""
        return _FLAGS[self.storage]

    def stored(self, vector: Embedding) -> Stored:
        """Return a vector as Postgres takes it."""
        return Vector(vector) if self.storage == "float32" else HalfVector(vector)


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Vectors of a batch in one space; a row is None where embedding is pending."""

    space: VectorSpace | None
    vectors: Sequence[Embedding | None]

    @property
    def model(self) -> int | None:
        """Return the number of their embedder."""
        return self.space.number if self.space else None

    @property
    def flags(self) -> Flags:
        """As those of their space."""
        return self.space.flags if self.space else NO_SPACE

    def stored(self) -> list[Stored | None]:
        """Return the vectors as Postgres takes them."""
        space = self.space
        return [None if space is None or vector is None else space.stored(vector) for vector in self.vectors]
