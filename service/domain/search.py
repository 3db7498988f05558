"""What a search asks for, and the ranking's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field

from service.domain.field_types import (
    ActingAgent,
    Metadata,
    Name,
    Query,
    ReadTask,
    Tag,
    Timestamp,
    TokenBudget,
    UnitInterval,
)
from service.domain.own_types import TYPES_MAX, TYPES_NAMED, TypeName
from service.domain.strict import FrozenModel, StrictModel
from service.domain.types import Scope
from service.domain.where import WhereObject

Strategy = Literal["hybrid", "semantic", "keyword", "recent"]
Fusion = Literal["relative", "rrf"]
FusionField = Annotated[
    Fusion,
    Field(
        description="Fusion of the hybrid candidates: `relative` (scaled scores) or `rrf` (Reciprocal Rank "
        "Fusion). Default `relative`."
    ),
]
LIMIT_MAX = 100
"""Results of one search."""

Include = Literal["memories", "messages", "documents"]


SearchedTypes = Annotated[
    Annotated[list[TypeName], Field(max_length=TYPES_MAX)] | None,
    Field(description=f"Memory types to search: {TYPES_NAMED}. Default: all."),
]
SearchedTags = Annotated[
    Annotated[list[Tag], Field(max_length=50)] | None, Field(description="Tags to filter by, at most 50.")
]
ContainedMetadata = Annotated[
    Metadata | None, Field(description="JSON object contained in the metadata of each result.")
]
OccurredSince = Annotated[Timestamp | None, Field(description="Earliest time of occurrence (or creation), inclusive.")]
OccurredUntil = Annotated[Timestamp | None, Field(description="Latest time of occurrence (or creation), exclusive.")]


Wordings = Annotated[
    Annotated[list[Query], Field(max_length=5)],
    Field(description="Further wordings of the query, at most 5; results of all are fused. Default empty."),
]
Expand = Annotated[
    bool, Field(description="Generation of further wordings by the language model LLM_MODEL. Default false.")
]


FieldWeight = Annotated[float, Field(ge=0.01, le=1)]


class Ranking(FrozenModel):
    """Candidate selection and fusion of hybrid search. Every value is a workspace setting."""

    fusion: FusionField = "relative"
    rrf_k: int = Field(
        60,
        ge=1,
        le=1000,
        description="Constant k of Reciprocal Rank Fusion. Default 60 (Cormack, Clarke, Büttcher 2009).",
    )
    candidates: int = Field(
        50,
        ge=10,
        le=500,
        description="Number of best candidates fused from each list, a fifth more where memories and messages are "
        "searched together. Default 50.",
    )
    k1: float = Field(1.2, ge=0, le=5, description="Term-frequency saturation of BM25. Default 1.2.")
    b: float = Field(0.75, ge=0, le=1, description="Length normalization of BM25. Default 0.75.")
    length_floor: int = Field(30, ge=1, le=1000, description="Minimum length in words assumed by BM25. Default 30.")
    length_reference: float = Field(
        40, ge=1, le=1000, description="Fixed average length in words assumed by BM25. Default 40."
    )
    key_weight: FieldWeight = Field(
        0.8, description="Weight of a word in the key of a memory, relative to one in its content. Default 0.8."
    )
    tag_weight: FieldWeight = Field(
        0.6, description="Weight of a word in the tags of a memory, relative to one in its content. Default 0.6."
    )
    summary_weight: FieldWeight = Field(
        0.4,
        description="Weight of a word that only the summary of a memory has, relative to one in its content. "
        "Default 0.4.",
    )
    words_saturation: float = Field(
        8, gt=0, le=1000, description="Word count w0 in the weight 1 - exp(-words/w0) of vector similarity. Default 8."
    )
    statement_saturation: float = Field(
        3,
        gt=0,
        le=1000,
        description="Word count w0 of memories of all types but `event` and `observation`, in place of "
        "`words_saturation`. Default 3.",
    )
    vector_weight: UnitInterval = Field(
        0.5, description="Share of vector similarity in relative fusion, from 0 to 1. Default 0.5."
    )
    previous_share: UnitInterval = Field(
        0.4, description="Share of the keyword weight of the previous message credited to a message. Default 0.4."
    )
    next_share: UnitInterval = Field(
        0.35, description="Share of the keyword weight of the next message credited to a message. Default 0.35."
    )
    reply_share: UnitInterval = Field(
        0.5, description="Addition to `previous_share` for an answer to another speaker's question. Default 0.5."
    )
    fade_after: float = Field(
        40,
        ge=0,
        le=10_000,
        description="Message length in words at the start of the decay of neighbor credit. Default 40.",
    )
    fade_over: float = Field(30, gt=0, le=10_000, description="Decay constant of neighbor credit in words. Default 30.")
    question_penalty: UnitInterval = Field(
        0.15, description="Share of the score subtracted from a text consisting of questions. Default 0.15."
    )
    session_boost: UnitInterval = Field(
        0.1, description="Share of the best score of the same session added to a score. Default 0.1."
    )
    dialogue_boost: UnitInterval = Field(
        0.2,
        description="Share of the scores of nearby messages in a dialogue of people added to a score. Default 0.2.",
    )
    time_boost: UnitInterval = Field(0.5, description="Largest boost for a time named by the query. Default 0.5.")
    near_days: float = Field(
        3, gt=0, le=365, description="Minimum decay constant of the time boost in days. Default 3."
    )
    near_share: float = Field(
        0.25,
        gt=0,
        le=10,
        description="Decay constant of the time boost as a share of the length of the named time. Default 0.25.",
    )
    early_factor: float = Field(
        2,
        ge=1,
        le=10,
        description="Decay factor of the time boost before the named time, relative to after it. Default 2.",
    )
    user_boost: UnitInterval = Field(
        0.15, description="Boost for the user's messages in a search that includes the assistant's. Default 0.15."
    )
    importance_boost: UnitInterval = Field(
        0.1, description="Boost of a memory of effective importance 1, in proportion for less. Default 0.1."
    )
    min_relevance: UnitInterval | None = Field(
        None,
        description="Minimum relevance of a result, from 0 (no limit) to 1. Null: the noise level of the embedder. "
        "Default null.",
    )

    def over(self, include: Sequence[str]) -> Self:
        """The same for what is searched: lists of memories and messages, which say much twice, are a fifth longer
        (docs/decisions/0164)."""
        if {"memories", "messages"} <= set(include):
            return self.model_copy(update={"candidates": self.candidates * 6 // 5})
        return self


class RankingOptions(StrictModel):
    """Options of a search that select and order its results by relevance."""

    strategy: Strategy | None = Field(
        None,
        description="Search strategy: `hybrid` (keywords and vectors), `semantic` (vectors), `keyword` (BM25) or "
        "`recent` (newest first). Default: the setting `retrieval.strategy`.",
    )
    fusion: Fusion | None = Field(
        None,
        description="Fusion of the hybrid candidates: `relative` (scaled scores) or `rrf` (Reciprocal Rank Fusion). "
        "Default: the workspace setting.",
    )
    min_relevance: UnitInterval | None = Field(
        None, description="Minimum relevance from 0 (no limit) to 1. Default: the workspace setting."
    )
    max_tokens: TokenBudget | None = Field(
        None, description="Token budget of the results. Default: the setting `retrieval.max_tokens` (no budget)."
    )
    include_faded: bool = Field(
        False, description="Inclusion of memories below the importance `retrieval.faded_below`. Default false."
    )
    rerank: bool | None = Field(
        None, description="Reranking of the results by the model RERANK_MODEL. Default: the workspace setting."
    )


class FilteredOptions(RankingOptions):
    """Options of a search, with its filters."""

    types: SearchedTypes = None
    scopes: Annotated[list[Scope], Field(max_length=5)] | None = Field(
        None, description="Scopes to search. Default: all."
    )
    tags: SearchedTags = None
    tags_mode: Literal["any", "all"] = Field(
        "any", description="Match of `tags`: `any` (at least one) or `all` (every tag). Default `any`."
    )
    user: Name | None = Field(
        None,
        description="User the search is for: what belongs to nobody or to this user is found. Default: the members of "
        "the session, else everybody.",
    )
    about: Name | None = Field(None, description="User described by the memories to find. Default: any.")
    session: Name | None = Field(None, description="Current session; its session-scoped memories are included.")
    task: ReadTask = None
    metadata: ContainedMetadata = None
    where: WhereObject = None
    min_importance: UnitInterval | None = Field(None, description="Minimum effective importance from 0 to 1.")
    since: OccurredSince = None
    until: OccurredUntil = None
    as_of: Timestamp | None = Field(
        None, description="Time of the facts: memories valid then, as they stood then, instead of now."
    )
    now: Timestamp | None = Field(
        None, description="Reference time of relative dates in the query. Default: the server's time."
    )


class SearchRequest(FilteredOptions):
    """Search with its filters."""

    agent: ActingAgent = None
    query: Query = Field("", description="Search text, at most 8,000 characters. Default empty.")
    queries: Wordings = Field([])
    expand: Expand = False
    limit: int = Field(10, ge=1, le=LIMIT_MAX, description="Number of results to return. Default 10.")
    include: Annotated[list[Include], Field(min_length=1, max_length=3)] = Field(
        ["memories"], description="Kinds of results: `memories`, `messages`, `documents`. Default `memories`."
    )
    explain: bool = Field(False, description="Addition of the parts of each score to the results. Default false.")


class PreviewRequest(SearchRequest):
    """Search whose ranking is explained."""

    explain_id: UUID | None = Field(
        None, description="Id of a memory whose fate in the search is explained. Default: none."
    )
