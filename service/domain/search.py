"""What a search asks for."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.domain.field_types import (
    ActingAgent,
    LocalTimestamp,
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
from service.domain.strict import StrictModel
from service.domain.times import ZoneName, local_time, zone_said
from service.domain.types import Scope
from service.domain.where import WhereObject

Strategy = Literal["hybrid", "semantic", "keyword", "recent"]
Fusion = Literal["relative", "rrf"]
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
AskersZone = Annotated[
    ZoneName | None,
    Field(
        description="Time zone of the asker, as an IANA name or an offset such as `+02:00`, in which a query names "
        "times. Default: the offset of `now`, else the setting `time_zone`."
    ),
]


Wordings = Annotated[
    Annotated[list[Query], Field(max_length=5)],
    Field(description="Further wordings of the query, at most 5; results of all are fused. Default empty."),
]
Expand = Annotated[
    bool, Field(description="Generation of further wordings by the language model LLM_MODEL. Default false.")
]


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
    max_tokens: TokenBudget | None = Field(None, description="Token budget of the results. Null: none. Default null.")
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
    now: LocalTimestamp | None = Field(
        None, description="Reference time of relative dates in the query. Default: the server's time."
    )
    time_zone: AskersZone = None


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

    def asked_at(self, zone: str, now: datetime) -> datetime:
        """Return when the search is asked, in the asker's time zone: ``now`` and ``zone`` where it does not say."""
        named = zone_said(self.now, self.time_zone) if self.now else self.time_zone
        return local_time(self.now or now, named, zone)


class PreviewRequest(SearchRequest):
    """Search whose ranking is explained."""

    explain_id: UUID | None = Field(
        None, description="Id of a memory whose fate in the search is explained. Default: none."
    )
