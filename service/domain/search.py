"""What a search asks for, and the ranking's settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.domain.types import MemoryType, Scope
from service.domain.values import JsonObject, Moment, Name, Query, Tag, Unit

Strategy = Literal["hybrid", "semantic", "keyword", "recent"]
Fusion = Literal["relative", "rrf"]


class Ranking(BaseModel):
    """How hybrid candidates are found and fused. Workspace settings may change each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fusion: Fusion = "relative"
    rrf_k: int = Field(60, ge=1, le=1000, description="k = 60: Cormack, Clarke, Büttcher 2009")
    candidates: int = Field(50, ge=10, le=500, description="of each list")
    k1: float = Field(0.9, ge=0, le=5, description="BM25 term saturation")
    b: float = Field(0.4, ge=0, le=1, description="BM25 length normalisation")
    words_floor: int = Field(30, ge=1, le=1000, description="shorter texts count as this long")
    words_saturation: float = Field(8.0, gt=0, le=1000, description="a vector of few words is trusted less")
    vector_weight: Unit = Field(0.5, description="share of the vector side in the relative fusion")

    def parameters(self) -> dict[str, Any]:
        """As the search query names them."""
        return {name: getattr(self, name) for name in Ranking.model_fields}


class SearchRequest(BaseModel):
    """A search as its caller gives it (rows R1 to R7)."""

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
    metadata: JsonObject | None = None
    min_importance: Unit | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    now: Moment | None = None
    max_tokens: int | None = Field(None, ge=0, le=16_000)
    include: list[Literal["memories", "messages", "documents"]] = ["memories"]
    include_faded: bool = False
    explain: bool = False
    rerank: bool | None = None
