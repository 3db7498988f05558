"""Saved searches: a query, the memories that it must find, and the recall of each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints
from typing_extensions import TypedDict

from service.domain.field_types import ActingAgent, Query, not_blank, reject_unstorable
from service.domain.search import LIMIT_MAX, FilteredOptions, RankingOptions
from service.domain.strict import StrictModel

SEARCHES_MAX = 100
"""Of an agent."""
EXPECTED_MAX = 20
RESULTS_MAX = 200
"""Kept of each saved search."""

Cause = Literal["request", "schedule"]
ExpectedState = Literal["current", "superseded", "gone"]
LostAt = Literal["filters", "candidates", "min_relevance", "duplicate", "limit", "rerank", "max_tokens", "polarity"]


def _distinct(ids: list[UUID]) -> list[UUID]:
    if len(set(ids)) < len(ids):
        raise ValueError("must not hold the same id twice")
    return ids


SearchName = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(reject_unstorable), AfterValidator(not_blank)
]
ExpectedIds = Annotated[
    list[UUID],
    Field(min_length=1, max_length=EXPECTED_MAX, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_distinct),
]


class SavedSearchContent(StrictModel):
    """Query with the memories that it must find."""

    name: SearchName = Field(description="Name of the saved search, at most 200 characters.")
    query: Query = Field("", description="Search text, at most 8,000 characters. Default empty.")
    options: FilteredOptions = Field(
        default_factory=FilteredOptions, description="Options of the search. Default: those of a search without any."
    )
    expected: ExpectedIds = Field(
        description=f"Ids of the memories that must be found, from 1 to {EXPECTED_MAX}, readable for the agent."
    )
    k: int = Field(
        10, ge=1, le=LIMIT_MAX, description="Number of results in which they must be found, from 1 to 100. Default 10."
    )

    def kept_options(self) -> dict[str, Any]:
        """The options that differ from the defaults, as JSON."""
        return self.options.model_dump(mode="json", exclude_defaults=True)


class SavedSearchDraft(SavedSearchContent):
    """Saved search to create."""

    agent: ActingAgent = None


class SearchRun(StrictModel):
    """Run of a saved search."""

    overrides: RankingOptions = Field(
        default_factory=RankingOptions,
        description="Options of this run in place of those of the saved search. Default: none.",
    )


class AgentSearchRun(SearchRun):
    """Run of all saved searches of an agent."""

    agent: ActingAgent = None


class ExpectedNow(TypedDict):
    """An expected memory, and ``counted_as`` the one that superseded it, else itself; None once it is gone."""

    memory_id: UUID
    state: ExpectedState
    counted_as: UUID | None


class Outcome(ExpectedNow):
    """What became of one expected memory in a run.

    ``rank`` starts at 1; None where it is not known. ``lost_at``: the stage of the search that lost it; None for one
    that is found or gone.
    """

    rank: int | None
    lost_at: LostAt | None


def recall_at(k: int, outcomes: Sequence[Outcome]) -> float | None:
    """Share of the expected memories that are among the first ``k`` results, without those that are gone; None where
    all are (recall@k; Manning, Raghavan, Schütze 2008, chapter 8)."""
    counted = [one for one in outcomes if one["state"] != "gone"]
    found = [one for one in counted if one["rank"] is not None and one["rank"] <= k and one["lost_at"] is None]
    return len(found) / len(counted) if counted else None
