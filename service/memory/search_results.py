"""Searches and their results, below what batches them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, WithJsonSchema

from service.domain.context import IncludeMessages
from service.domain.documents import DocumentPart
from service.domain.memory import Memory
from service.domain.owners import Viewer, ViewerField, shown_viewer
from service.domain.principal import CachedCredential
from service.domain.ranking import MatchedField, Ranked
from service.domain.search import SearchRequest, Strategy
from service.domain.session import FoundMessage
from service.embedding.embedder import Storage
from service.store import agents
from service.store.search.plan import Question, Tier
from service.store.search.records import FoundChunk, FoundRecord
from service.store.where import WhereQuery

Store = Literal["postgres", "pgvector:halfvec", "pgvector:float32", "pgvector:binary"]
STORES: dict[Storage, Store] = {
    "halfvec": "pgvector:halfvec", "float32": "pgvector:float32", "binary": "pgvector:binary",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AlsoFound:
    """Memory or message that says the same as a result and takes no place of its own."""

    kind: Annotated[Literal["memory", "message"], Field(description="Kind of what was found: `memory` or `message`.")]
    id: Annotated[UUID, Field(description="Id of the memory or message.")]


@dataclass(frozen=True, slots=True)
class QueryMatch:
    """Place of a result among those of one wording of the query."""

    query: Annotated[str, Field(description="Wording of the query.")]
    rank: Annotated[int, Field(description="Rank in the results of this wording, starting at 1.")]
    score: Annotated[float, Field(description="Score in the results of this wording.")]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Found memory, message or document chunk, with the parts of its score."""

    kind: Annotated[
        Literal["memory", "message", "document"],
        Field(description="Kind of the result: `memory`, `message` or `document`; the field of this name is set."),
    ]
    memory: Annotated[Memory | None, Field(description="Found memory; null for other kinds.")]
    message: Annotated[FoundMessage | None, Field(description="Found message; null for other kinds.")]
    document: Annotated[DocumentPart | None, Field(description="Found document chunk; null for other kinds.")]
    score: Annotated[float, Field(description="Final score, comparable within one response.")]
    rank: Annotated[int, Field(description="Rank in the results, starting at 1.")]
    relevance: Annotated[
        float | None,
        Field(
            description="Relevance from 0 to 1: the larger of vector similarity and share of the query's words or "
            "time; null for strategy `recent`."
        ),
    ]
    also: Annotated[
        list[AlsoFound],
        Field(
            description="Messages that the found memory came from, or memories from the found message, that were "
            "found with it. They take no place and no tokens."
        ),
    ]
    matched_fields: Annotated[
        list[MatchedField],
        Field(
            description="Fields with words of the query: `content`, `key`, `tags`, `summary`; empty without a common "
            "word."
        ),
    ]
    queries: Annotated[
        list[QueryMatch], Field(description="Matches by wording of the query; empty for a single wording.")
    ]
    tokens: Annotated[int, Field(description="Length in tokens.")]
    boosts: Annotated[
        dict[str, float],
        Field(
            description="Boosts included in the score, by name: `question`, `session`, `time`, `user`, `importance`, "
            "`polarity`."
        ),
    ]
    keyword_rank: Annotated[int | None, Field(description="Rank by BM25; null outside the keyword candidates.")]
    keyword_score: Annotated[float | None, Field(description="BM25 score.")]
    semantic_rank: Annotated[
        int | None, Field(description="Rank by vector similarity; null outside the vector candidates.")
    ]
    semantic_score: Annotated[float | None, Field(description="Weighted cosine similarity.")]
    rerank_score: Annotated[float | None, Field(description="Score of the reranker; null without reranking.")]

    @classmethod
    def of(cls, found: FoundRecord, ranked: Ranked | None, also: list[AlsoFound], *, rank: int) -> SearchResult:
        """Return what was found as the result at ``rank``; the newest of all are not ``ranked``."""
        record = found.record
        return cls(
            kind=found.kind,
            memory=record if isinstance(record, Memory) else None,
            message=record if isinstance(record, FoundMessage) else None,
            document=record if isinstance(record, DocumentPart) else None,
            score=ranked.score if ranked else 0.0,
            rank=rank,
            keyword_rank=ranked.keyword_rank if ranked else None,
            semantic_rank=ranked.semantic_rank if ranked else None,
            keyword_score=ranked.keyword_score if ranked else None,
            semantic_score=ranked.semantic_score if ranked else None,
            boosts=dict(ranked.boosts) if ranked else {},
            relevance=ranked.relevance if ranked else None,
            matched_fields=list(ranked.matched_fields) if ranked else [],
            tokens=found.tokens,
            rerank_score=None,
            also=also,
            queries=[],
        )

    @property
    def record(self) -> Memory | FoundMessage | DocumentPart:
        """Return what was found, of whatever kind."""
        found = self.memory or self.message or self.document
        assert found is not None
        return found

    @property
    def agent(self) -> str:
        """Return the agent it belongs to."""
        record = self.record
        assert isinstance(record, Memory | FoundMessage | FoundChunk)
        return record.agent

    @property
    def memory_ids(self) -> list[UUID]:
        """Return the memories that it shows or stands for."""
        own = [self.memory.id] if self.memory else []
        return [*own, *(one.id for one in self.also if one.kind == "memory")]


@dataclass(frozen=True, slots=True)
class Degraded:
    """Degradation of an answer: its cause and the fallback."""

    reason: Annotated[str, Field(description="Cause of the degradation.")]
    fallback: Annotated[str, Field(description="Method used instead.")]


@dataclass(frozen=True, slots=True)
class QueryCache:
    """Use of the embedder's cache by a search."""

    hits: Annotated[int, Field(description="Number of wordings of the query with a cached vector.")]
    misses: Annotated[int, Field(description="Number of wordings of the query that were embedded.")]


@dataclass(frozen=True, slots=True)
class OmittedResults:
    """Results of a search omitted for lack of budget."""

    count: Annotated[int, Field(description="Number of omitted results.")]
    tokens: Annotated[int, Field(description="Total length of the omitted results in tokens.")]


NOTHING_OMITTED = OmittedResults(0, 0)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Response to a search."""

    results: Annotated[list[SearchResult], Field(description="Results by descending score.")]
    tokens: Annotated[int, Field(description="Total length of the results in tokens.")]
    omitted: Annotated[
        OmittedResults, Field(description="Those of the best `limit` results that did not fit into `max_tokens`.")
    ]
    strategy: Annotated[
        Strategy,
        WithJsonSchema({"type": "string"}),
        Field(description="Strategy used: `hybrid`, `semantic`, `keyword` or `recent`."),
    ]
    viewer: ViewerField
    degraded: Annotated[Degraded | None, Field(description="Degradation of the search; null for a complete search.")]
    pending: Annotated[int, Field(description="Number of candidates without a vector yet, compared by words alone.")]
    tier: Annotated[
        Literal["exact", "scan", "hnsw", "filter_list", "recent"] | None,
        Field(
            description="Method of finding candidates: `exact` (all rows), `scan` (all vectors, the rarer words), "
            "`hnsw` (approximate index), `filter_list` (rows of a selective filter) or `recent`; null "
            "where nothing was searched."
        ),
    ]
    embedder: Annotated[
        str | None, Field(description="Signature of the embedder of the query; null without a query vector.")
    ]
    store: Annotated[
        Store | None,
        Field(
            description="Store of what was searched: `postgres` (words alone), or the vectors' as `pgvector:halfvec`,"
            " `pgvector:float32` or `pgvector:binary`; null where nothing was searched."
        ),
    ]
    cache: Annotated[
        QueryCache | None, Field(description="Use of the embedder's cache; null without a query vector or a cache.")
    ]

    @classmethod
    def empty(cls, strategy: Strategy, viewer: Viewer, degraded: Degraded | None) -> SearchAnswer:
        """Return the answer where nothing was searched."""
        return cls(
            [],
            0,
            NOTHING_OMITTED,
            strategy,
            shown_viewer(viewer),
            degraded,
            pending=0,
            tier=None,
            embedder=None,
            store=None,
            cache=None,
        )


NO_MEMORY = Degraded("memory is switched off for this call", "none")
SWITCHED_OFF = Degraded("the memory of this agent is switched off (setting memory.enabled)", "none")


class StageTimings:
    """Milliseconds by stage; what a stage takes in several pieces is added up."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._since = perf_counter()

    def end(self, stage: str) -> None:
        """Count the time since the last stage ended for this one."""
        now = perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + (now - self._since) * 1000
        self._since = now


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search of a context besides the request."""

    in_session: str | None = None
    on_task: str | None = None
    said_by: str | None = None
    include_messages: IncludeMessages | None = "always"
    documents: list[UUID] | None = None
    entities: list[str] | None = None
    for_context: bool = False
    for_prompt: bool = False
    on_reader: Callable[[agents.Reader | None], None] | None = None
    key: CachedCredential | None = None
    timings: StageTimings | None = None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question to search for, and its reader."""

    workspace: UUID
    reader_key: agents.ReaderKey
    user: str | None
    request: SearchRequest
    question: Question
    options: SearchOptions
    where: WhereQuery | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Results, best first, as many as the later stages need, and whether a model is to rank them anew; ``pending``
    candidates had no vector yet to be compared by."""

    hits: list[SearchResult]
    reranks: bool
    pending: int
    tier: Tier
    viewer: Viewer
    timings_ms: Mapping[str, float]
    """Of the stages that were carried out together with those of other searches."""
