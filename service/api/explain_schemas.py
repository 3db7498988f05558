"""Schemas of the explanation of a search."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.schemas import SearchAnswer


class NeededChange(BaseModel):
    """Change to the request that would bring a memory back."""

    field: str = Field(description="Name of the field of the request.")
    value: Any = Field(description="Value it would need; null to leave the field out.")


class ExplainedScores(BaseModel):
    """Scores of the explained memory."""

    score: float = Field(description="Final score, comparable within one response.")
    keyword_score: float | None = Field(description="BM25 score; null without a common word.")
    semantic_score: float | None = Field(description="Cosine similarity; null without a vector.")
    relevance: float | None = Field(description="Relevance from 0 to 1; null for strategy `recent`.")
    boosts: dict[str, float] = Field(description="Boosts included in the score, by name.")


class ExplainedRanks(BaseModel):
    """Ranks of the explained memory, starting at 1."""

    keyword: int | None = Field(description="Rank by BM25; null outside the best 1,000.")
    semantic: int | None = Field(description="Rank by vector similarity; null outside the best 1,000.")
    final: int | None = Field(description="Rank among all results above the minimum relevance; null below it.")


class Explanation(BaseModel):
    """Stage of the search at which a memory was lost, with all that was worked out until then."""

    found: bool = Field(description="Presence of the memory among the results.")
    stage: Literal[
        "returned", "filters", "candidates", "min_relevance", "duplicate", "limit", "rerank", "max_tokens", "polarity"
    ] = Field(
        description="Last stage reached: `returned`, `filters` (hidden by a filter or its state), `candidates` (not "
        "among the best 1,000 of any list), `min_relevance` (below the minimum), `duplicate` (another result stands "
        "for it), `limit` (ranked below the limit), `rerank` (moved down by the reranker), `max_tokens` (no room in "
        "the token budget) or `polarity` (states the opposite of the query)."
    )
    filters: list[str] = Field(
        description="Fields of the request that hide the memory, or its states: `deleted`, `superseded`, `expired`, "
        "`later` (valid only after `as_of`), `audience` (unreadable for the agent), `unindexed`. Empty at other stages."
    )
    ranks: ExplainedRanks | None = Field(description="Ranks of the memory; null where it was not compared.")
    scores: ExplainedScores | None = Field(description="Scores of the memory; null where it was not compared.")
    min_relevance: float | None = Field(description="Minimum relevance in force; null at other stages.")
    shown_as: UUID | None = Field(description="Id of the result that stands for the memory; null for none.")
    would_need: list[NeededChange] = Field(
        description="Changes to the request that would bring the memory back, all of them together; empty where none "
        "is known."
    )


class PreviewAnswer(SearchAnswer):
    """Response to a search preview."""

    timings_ms: dict[str, float] = Field(
        description="Milliseconds by stage: `prepare`, `embed`, `search` (in it `plan`, `candidates`, `rank` and "
        "`records`), `rerank`, and the `total`."
    )
    explanation: Explanation | None = Field(
        description="Explanation of `explain_id`; null without it, and where nothing was searched."
    )
