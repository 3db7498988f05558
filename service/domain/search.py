"""What a search asks for, and the ranking's settings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.domain.field_types import Metadata, Name, Query, Tag, Timestamp, UnitInterval
from service.domain.types import MemoryType, Scope

Strategy = Literal["hybrid", "semantic", "keyword", "recent"]
Fusion = Literal["relative", "rrf"]
Include = Literal["memories", "messages", "documents"]


class Ranking(BaseModel):
    """How hybrid candidates are found and fused. Workspace settings may change each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fusion: Fusion = "relative"
    rrf_k: int = Field(60, ge=1, le=1000, description="k = 60: Cormack, Clarke, Büttcher 2009")
    candidates: int = Field(50, ge=10, le=500, description="best of each list that are fused")
    k1: float = Field(1.2, ge=0, le=5, description="BM25: how soon a repeated word stops counting")
    b: float = Field(0.75, ge=0, le=1, description="BM25: how much length counts against a text")
    length_floor: int = Field(30, ge=1, le=1000, description="shorter texts count as this many words long")
    length_reference: float = Field(40, ge=1, le=1000, description="BM25's average length, fixed: it never goes stale")
    words_saturation: float = Field(8, gt=0, le=1000, description="few words make a vector count less: 1 - exp(-w/8)")
    vector_weight: UnitInterval = Field(0.5, description="share of the vector side in the relative fusion")
    previous_share: UnitInterval = Field(0.4, description="of the weight of a word said in the turn before")
    next_share: UnitInterval = Field(0.35, description="of the weight of a word said in the turn after")
    reply_share: UnitInterval = Field(0.5, description="added to previous_share for an answer to another's question")
    fade_after: float = Field(40, ge=0, le=10_000, description="words from which a turn needs its neighbours less")
    fade_over: float = Field(30, gt=0, le=10_000, description="and how fast that goes")
    question_penalty: UnitInterval = Field(0.15, description="taken from a text that only asks")
    session_boost: UnitInterval = Field(0.1, description="of the best score in the same session")
    time_boost: UnitInterval = Field(0.3, description="for what happened at a time that the query names")
    near_days: float = Field(3, gt=0, le=365, description="how fast that boost fades beside the time named")
    near_share: float = Field(0.25, gt=0, le=10, description="or this share of the time's own length, if longer")
    early_factor: float = Field(2, ge=1, le=10, description="before the time it fades this much faster")
    user_boost: UnitInterval = Field(0.15, description="for the user's own words where an assistant's are searched too")


class SearchRequest(BaseModel):
    """A search as its caller gives it."""

    model_config = ConfigDict(extra="forbid")

    agent: Name | None = None
    query: Query = ""
    strategy: Strategy = "hybrid"
    fusion: Fusion | None = None
    limit: int = Field(10, ge=1, le=100)
    types: Annotated[list[MemoryType], Field(max_length=8)] | None = None
    scopes: Annotated[list[Scope], Field(max_length=5)] | None = None
    tags: Annotated[list[Tag], Field(max_length=50)] | None = None
    tags_mode: Literal["any", "all"] = "any"
    user: Name | None = None
    session: Name | None = None
    task: Name | None = None
    metadata: Metadata | None = None
    min_importance: UnitInterval | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None
    as_of: Timestamp | None = None
    now: Timestamp | None = None
    max_tokens: int | None = Field(None, ge=0, le=16_000)
    include: Annotated[list[Include], Field(min_length=1, max_length=3)] = ["memories"]
    include_faded: bool = False
    explain: bool = False
    rerank: bool | None = None
