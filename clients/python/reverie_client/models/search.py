"""What searches, previews and questions answer."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from reverie_client.models.base import Answer, Degraded, Json
from reverie_client.models.conversations import DocumentPart, FoundMessage
from reverie_client.models.memories import MemoryRecord


class AlsoFound(Answer):
    """A memory or message that says the same as a result."""

    kind: Literal["memory", "message"]
    id: UUID


class QueryMatch(Answer):
    """The place of a result among those of one wording of the query."""

    query: str
    rank: int
    score: float


class SearchResult(Answer):
    """What was found, in the field that its ``kind`` names, and what explains its place."""

    kind: Literal["memory", "message", "document"] = "memory"
    memory: MemoryRecord | None = None
    message: FoundMessage | None = None
    document: DocumentPart | None = None
    score: float
    rank: int
    keyword_rank: int | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    semantic_score: float | None = None
    boosts: dict[str, float] = {}
    relevance: float | None = None
    matched_fields: list[str] = []
    tokens: int
    also: list[AlsoFound] = []
    queries: list[QueryMatch] = []

    @property
    def text(self) -> str:
        """What a found memory or turn says; empty for what is no text."""
        found = self.memory or self.message
        return found.content if found is not None and isinstance(found.content, str) else ""

    @property
    def line(self) -> str:
        """A line for a prompt: who said it, where it is a turn, or whose word it rests on, where it is hearsay."""
        if self.message is not None:
            return f"- {self.message.role}: {self.text}"
        whose = self.memory.attribution if self.memory is not None else ""
        return f"- {self.text}" + (f" ({whose})" if whose else "")


class QueryCache(Answer):
    """Of how many wordings of a query the vector was cached, and how many were embedded."""

    hits: int
    misses: int


class SearchAnswer(Answer):
    """What a search found, best first."""

    results: list[SearchResult]
    tokens: int
    strategy: str
    degraded: Degraded | None = None
    pending: int = 0
    tier: str | None = None
    embedder: str | None = None
    store: str | None = None
    cache: QueryCache | None = None


class NeededChange(Answer):
    """A field of the request whose other value would bring a memory back; None leaves it out."""

    field: str
    value: Any


class Explanation(Answer):
    """The stage at which a search lost a memory, and what was worked out about it until then."""

    found: bool
    stage: str
    filters: list[str] = []
    ranks: Json | None = None
    scores: Json | None = None
    min_relevance: float | None = None
    shown_as: UUID | None = None
    would_need: list[NeededChange] = []


class PreviewAnswer(SearchAnswer):
    """What a search would find, and what becomes of one memory."""

    timings_ms: dict[str, float]
    explanation: Explanation | None = None


class AskAnswer(Answer):
    """An answer from memory."""

    answer: str | None
    citations: list[UUID]
    memories: list[Json]
    degraded: Degraded | None = None
    data: Any = None
    evidence: list[Json] | None = None


class AskEvent(Answer):
    """What comes of a question: ``memories`` that were found, and then the ``answer`` once it has been checked."""

    event: Literal["memories", "answer"]
    memories: list[Json] | None = None
    answer: AskAnswer | None = None
