"""Answers of the routes about saved searches; their bodies are in ``service.domain.saved_searches``."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.field_types import AgentName, CreatedAt
from service.domain.saved_searches import Cause, ExpectedState, LostAt
from service.domain.search import FilteredOptions, RankingOptions, Strategy

ResultId = Field(description="Id of the result.")
Recall = Field(
    description="Recall at k: share of the expected memories among the first k results, from 0 to 1, without those "
    "that are gone; null where all are."
)


class ExpectedMemory(BaseModel):
    """Memory that a search must find."""

    memory_id: UUID = Field(description="Id of the memory.")
    state: ExpectedState = Field(
        description="State of the memory: `current`, `superseded` (its successor counts) or `gone` (deleted, expired, "
        "purged, or not readable for the agent any more; left out of the recall)."
    )
    counted_as: UUID | None = Field(
        description="Id of the memory that counts: itself, or the memory that superseded it; null once it is gone."
    )


class ExpectedOutcome(ExpectedMemory):
    """Outcome of a run for one expected memory."""

    rank: int | None = Field(
        description="Rank, starting at 1; above k for one that is lost at `limit`. Null for one lost at another stage."
    )
    lost_at: LostAt | None = Field(
        description="Stage of the search that lost the memory, as in a preview: `filters`, `candidates`, "
        "`min_relevance`, `duplicate`, `limit`, `rerank`, `max_tokens` or `polarity`; null for a found or a gone one."
    )


class LastResult(BaseModel):
    """Newest result of a saved search."""

    id: UUID = ResultId
    recall: float | None = Recall
    created_at: CreatedAt


class SavedSearch(BaseModel):
    """Query with the memories that it must find."""

    id: UUID = Field(description="Id of the saved search.")
    agent: AgentName
    name: str = Field(description="Name of the saved search.")
    query: str = Field(description="Search text.")
    options: FilteredOptions = Field(description="Options of the search that differ from the defaults.")
    expected: list[ExpectedMemory] = Field(description="Memories that must be found, with what became of them.")
    k: int = Field(description="Number of results in which they must be found.")
    revision: int = Field(
        description="Number of the content, starting at 1; a change of anything but the name raises it. Results of "
        "one revision are comparable."
    )
    last_result: LastResult | None = Field(
        description="Newest result of this revision without overrides; null before the first."
    )
    created_at: CreatedAt
    updated_at: datetime = Field(description="Time of the last change.")


class SearchResultRecord(BaseModel):
    """Result of a run of a saved search."""

    id: UUID = ResultId
    search_id: UUID = Field(description="Id of the saved search.")
    revision: int = Field(description="Revision of the saved search.")
    cause: Cause = Field(description="Cause of the run: `request` or `schedule`.")
    k: int = Field(description="Number of results in which the memories had to be found.")
    recall: float | None = Recall
    outcomes: list[ExpectedOutcome] = Field(description="Outcome for each expected memory.")
    overrides: RankingOptions = Field(description="Options of the run in place of those of the saved search.")
    settings: dict[str, Any] = Field(description="Settings `retrieval` of the agent during the run.")
    strategy: Strategy = Field(description="Strategy of the search: `hybrid`, `semantic`, `keyword` or `recent`.")
    embedder: str | None = Field(description="Signature of the embedder; null for a search without vectors.")
    degraded: bool = Field(description="Fallback during the run, for example to keywords without a working embedder.")
    created_at: CreatedAt
