"""What a search gives back, and what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from service.domain.search import Strategy
from service.store import memories
from service.store.search.records import Kind


@dataclass(frozen=True, slots=True)
class Degraded:
    """Why a search gave less than was asked for, and what it did instead."""

    reason: str
    fallback: str


NO_MEMORY = Degraded("memory is switched off for this call", "none")


@dataclass(frozen=True, slots=True)
class AlsoFound:
    """A memory or message that gives way to a result, which says the same."""

    kind: Kind
    id: UUID


@dataclass(frozen=True, slots=True)
class QueryMatch:
    """The place, from 1, and the score of a result among those of one wording of the question."""

    query: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result with all that explains its place; the newest of all have no scores. What was found is in the field
    that ``kind`` names, whole or as far as a context tells of it."""

    kind: Kind
    memory: memories.Record | None
    message: dict[str, Any] | None
    document: dict[str, Any] | None
    rank: int
    tokens: int
    score: float = 0.0
    keyword_rank: int | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    semantic_score: float | None = None
    boosts: Mapping[str, float] = field(default_factory=dict)
    relevance: float | None = None
    matched_fields: Sequence[str] = ()
    rerank_score: float | None = None
    also: Sequence[AlsoFound] = ()
    queries: Sequence[QueryMatch] = ()

    @property
    def payload(self) -> dict[str, Any]:
        """What was found, whatever its kind."""
        return self.memory or self.message or self.document or {}

    @property
    def memory_ids(self) -> list[UUID]:
        """The memories that it shows or stands for."""
        own = [self.memory["id"]] if self.memory else []
        return [*own, *(one.id for one in self.also if one.kind == "memory")]


@dataclass(frozen=True, slots=True)
class CacheUse:
    """Of how many wordings the vector was in the cache, and of how many it was not."""

    hits: int
    misses: int


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The answer to a search. ``tokens`` is the sum over the results."""

    results: list[SearchHit]
    tokens: int
    strategy: Strategy
    degraded: Degraded | None
    pending: int = 0
    """Candidates that had no vector yet, and were compared by their words alone."""
    tier: str | None = None
    """How candidates were found (``Strategy`` of a plan); None where nothing was searched."""
    embedder: str | None = None
    """The signature of the embedder that the query was compared by, if it was."""
    store: str | None = None
    """What keeps that which was searched: Postgres or, where vectors were compared, pgvector and how it keeps them."""
    cache: CacheUse | None = None
    """How the embedder's cache served the query; None where it was not asked."""
