"""Saved searches: a query, the memories that it must find, and the recall of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, GetPydanticSchema, StringConstraints

from service.domain.field_types import ActingAgent, AgentName, CreatedAt, Query, not_blank, reject_unstorable
from service.domain.json import JsonObject
from service.domain.search import LIMIT_MAX, FilteredOptions, RankingOptions, Strategy
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
        default_factory=FilteredOptions,
        description="Options of the search, which belongs to their `user`, by default the user of the request. Without "
        "one it finds what belongs to nobody. Default: those of a search without any.",
    )
    expected: ExpectedIds = Field(
        description=f"Ids of the memories that must be found, from 1 to {EXPECTED_MAX}, readable for the agent."
    )
    k: int = Field(
        10, ge=1, le=LIMIT_MAX, description="Number of results in which they must be found, from 1 to 100. Default 10."
    )

    @property
    def owners(self) -> list[str]:
        """Return whom the saved search belongs to: the user whom it is for."""
        return [] if self.options.user is None else [self.options.user]

    def kept_options(self) -> JsonObject:
        """Return the options that differ from the defaults, as JSON."""
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


@dataclass(frozen=True, slots=True)
class ExpectedMemory:
    """Memory that a search must find."""

    memory_id: Annotated[UUID, Field(description="Id of the memory.")]
    state: Annotated[
        ExpectedState,
        Field(
            description="State of the memory: `current`, `superseded` (its successor counts) or `gone` (deleted, "
            "expired, purged, or not readable for the agent any more; left out of the recall)."
        ),
    ]
    counted_as: Annotated[
        UUID | None,
        Field(
            description="Id of the memory that counts: itself, or the memory that superseded it; null once it is gone."
        ),
    ]


@dataclass(frozen=True, slots=True)
class ExpectedOutcome(ExpectedMemory):
    """Outcome of a run for one expected memory."""

    rank: Annotated[
        int | None,
        Field(
            description="Rank, starting at 1; above k for one that is lost at `limit`. Null for one lost at another "
            "stage."
        ),
    ]
    lost_at: Annotated[
        LostAt | None,
        Field(
            description="Stage of the search that lost the memory, as in a preview: `filters`, `candidates`, "
            "`min_relevance`, `duplicate`, `limit`, `rerank`, `max_tokens` or `polarity`; null for a found or a gone "
            "one."
        ),
    ]


ResultId = Annotated[UUID, Field(description="Id of the result.")]
Recall = Annotated[
    float | None,
    Field(
        description="Recall at k: share of the expected memories among the first k results, from 0 to 1, without those "
        "that are gone; null where all are."
    ),
]
StoredOptions = Annotated[JsonObject, GetPydanticSchema(lambda _, schema_of: schema_of(FilteredOptions))]
"""Options of a search as they are stored and shown: without the defaults."""
StoredOverrides = Annotated[JsonObject, GetPydanticSchema(lambda _, schema_of: schema_of(RankingOptions))]
"""Options of a run as they are stored and shown: those that it sets."""


@dataclass(frozen=True, slots=True)
class LastResult:
    """Newest result of a saved search."""

    id: ResultId
    recall: Recall
    created_at: CreatedAt


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """Query with the memories that it must find."""

    id: Annotated[UUID, Field(description="Id of the saved search.")]
    agent: AgentName
    name: Annotated[str, Field(description="Name of the saved search.")]
    query: Annotated[str, Field(description="Search text.")]
    options: Annotated[StoredOptions, Field(description="Options of the search that differ from the defaults.")]
    expected: Annotated[
        list[ExpectedMemory], Field(description="Memories that must be found, with what became of them.")
    ]
    k: Annotated[int, Field(description="Number of results in which they must be found.")]
    revision: Annotated[
        int,
        Field(
            description="Number of the content, starting at 1; a change of anything but the name raises it. Results of "
            "one revision are comparable."
        ),
    ]
    last_result: Annotated[
        LastResult | None, Field(description="Newest result of this revision without overrides; null before the first.")
    ]
    created_at: CreatedAt
    updated_at: Annotated[datetime, Field(description="Time of the last change.")]


@dataclass(frozen=True, slots=True)
class SearchResultRecord:
    """Result of a run of a saved search."""

    id: ResultId
    search_id: Annotated[UUID, Field(description="Id of the saved search.")]
    revision: Annotated[int, Field(description="Revision of the saved search.")]
    cause: Annotated[Cause, Field(description="Cause of the run: `request` or `schedule`.")]
    k: Annotated[int, Field(description="Number of results in which the memories had to be found.")]
    recall: Recall
    outcomes: Annotated[list[ExpectedOutcome], Field(description="Outcome for each expected memory.")]
    overrides: Annotated[
        StoredOverrides, Field(description="Options of the run in place of those of the saved search.")
    ]
    settings: Annotated[JsonObject, Field(description="Settings `retrieval` of the agent during the run.")]
    strategy: Annotated[
        Strategy, Field(description="Strategy of the search: `hybrid`, `semantic`, `keyword` or `recent`.")
    ]
    embedder: Annotated[str | None, Field(description="Signature of the embedder; null for a search without vectors.")]
    degraded: Annotated[
        bool, Field(description="Fallback during the run, for example to keywords without a working embedder.")
    ]
    created_at: CreatedAt


def recall_at(k: int, outcomes: Sequence[ExpectedOutcome]) -> float | None:
    """Return the share of the expected memories that are among the first ``k`` results, without those that are gone;
    None where all are (recall@k; Manning, Raghavan, Schütze 2008, chapter 8)."""
    counted = [one for one in outcomes if one.state != "gone"]
    found = [one for one in counted if one.rank is not None and one.rank <= k and one.lost_at is None]
    return len(found) / len(counted) if counted else None
