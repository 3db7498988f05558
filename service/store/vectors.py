"""Vectors as they are stored: under a number for their model, in the way that model's signature says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pgvector import HalfVector, Vector

from service.db.queries import variant_of
from service.embedding.storage import DEFAULT, Storage

Stored = HalfVector | Vector


@dataclass(frozen=True, slots=True)
class Space:
    """What makes vectors comparable: they are of one embedding model, stored under ``number``, and kept in one way."""

    number: int
    storage: Storage = DEFAULT

    def statement(self, name: str) -> str:
        """The query of that name for vectors of this kind."""
        return variant_of(name, self.storage)

    def stored(self, vector: np.ndarray[Any, Any]) -> Stored:
        """A vector as Postgres takes it."""
        return Vector(vector) if self.storage == "float32" else HalfVector(vector)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of a batch in one space; a row is None where embedding is pending."""

    space: Space | None
    vectors: Sequence[np.ndarray[Any, Any] | None]

    @property
    def model(self) -> int | None:
        """The number of their embedder."""
        return self.space.number if self.space else None

    def statement(self, name: str) -> str:
        """The query of that name that stores them."""
        return self.space.statement(name) if self.space else name

    def stored(self) -> list[Stored | None]:
        """The vectors as Postgres takes them."""
        space = self.space
        return [None if space is None or vector is None else space.stored(vector) for vector in self.vectors]
