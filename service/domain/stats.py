"""Figures of a workspace by day (UTC), and present totals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import Field


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Memories of one day, as far as they are still kept (setting `retention.deleted_days`)."""

    made: Annotated[int, Field(description="Number of memories created.")]
    superseded: Annotated[int, Field(description="Number of memories superseded, without those deleted later.")]
    faded: Annotated[int, Field(description="Number of memories that dreams found below `retrieval.faded_below`.")]
    deleted: Annotated[int, Field(description="Number of memories deleted.")]


@dataclass(frozen=True, slots=True)
class DreamFigures:
    """Dreams that ended on one day, without dry runs."""

    dreams: Annotated[int, Field(description="Number of dreams.")]
    failed: Annotated[int, Field(description="Number of failed dreams.")]
    undone: Annotated[int, Field(description="Number of dreams undone since.")]
    messages: Annotated[int, Field(description="Number of messages read.")]
    created: Annotated[int, Field(description="Number of memories created.")]
    duration_p50_s: Annotated[float | None, Field(description="Median duration in seconds; null without a dream.")]
    duration_max_s: Annotated[float | None, Field(description="Longest duration in seconds; null without a dream.")]
    tokens: Annotated[int, Field(description="Tokens of calls to language models.")]
    cost_usd: Annotated[
        float, Field(description="Cost of calls to language models in US dollars, where prices are known.")
    ]


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """Searches of one day, those of contexts, questions and chats included, without previews."""

    searches: Annotated[int, Field(description="Number of searches.")]
    degraded: Annotated[int, Field(description="Number of degraded searches.")]
    p50_ms: Annotated[
        float | None,
        Field(description="Median latency in milliseconds, from a histogram of factor √2; null without a search."),
    ]
    p95_ms: Annotated[
        float | None,
        Field(
            description="Latency of the 95th percentile in milliseconds, from a histogram of factor √2; null without a "
            "search."
        ),
    ]


@dataclass(frozen=True, slots=True)
class DayFigures:
    """Figures of one day."""

    day: Annotated[date, Field(description="Day (UTC).")]
    memories: Annotated[MemoryFigures, Field(description="Memories of the day.")]
    dreams: Annotated[DreamFigures, Field(description="Dreams of the day.")]
    searches: Annotated[SearchFigures, Field(description="Searches of the day.")]


@dataclass(frozen=True, slots=True)
class Totals:
    """Present figures."""

    memories: Annotated[int, Field(description="Number of current memories.")]
    superseded: Annotated[int, Field(description="Number of superseded memories.")]
    deleted: Annotated[int, Field(description="Number of deleted memories that are still kept.")]
    entities: Annotated[int, Field(description="Number of entities.")]
    sessions: Annotated[int, Field(description="Number of sessions.")]
    dreams: Annotated[int, Field(description="Number of dreams, without dry runs.")]
    pending: Annotated[int, Field(description="Number of texts of the workspace without a vector yet.")]


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures by day, and present totals."""

    since: Annotated[date, Field(description="First day (UTC).")]
    until: Annotated[date, Field(description="Last day (UTC), inclusive.")]
    step: Annotated[Literal["day"], Field(description="Length of a step: `day`.")]
    agent: Annotated[str | None, Field(description="Name of the agent; null for the whole workspace.")]
    items: Annotated[list[DayFigures], Field(description="Figures of every day, oldest first.")]
    totals: Annotated[Totals, Field(description="Present totals.")]
