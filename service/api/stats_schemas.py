"""The shapes of figures by day."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field


class MemoryFigures(BaseModel):
    """Memories of one day, as far as they are still kept (setting `retention.deleted_days`)."""

    made: int = Field(description="Number of memories created.")
    superseded: int = Field(description="Number of memories superseded, without those deleted later.")
    faded: int = Field(description="Number of memories that dreams found below `retrieval.faded_below`.")
    deleted: int = Field(description="Number of memories deleted.")


class DreamFigures(BaseModel):
    """Dreams that ended on one day, without dry runs."""

    dreams: int = Field(description="Number of dreams.")
    failed: int = Field(description="Number of failed dreams.")
    undone: int = Field(description="Number of dreams undone since.")
    messages: int = Field(description="Number of messages read.")
    created: int = Field(description="Number of memories created.")
    duration_p50_s: float | None = Field(description="Median duration in seconds; null without a dream.")
    duration_max_s: float | None = Field(description="Longest duration in seconds; null without a dream.")
    tokens: int = Field(description="Tokens of calls to language models.")
    cost_usd: float = Field(description="Cost of calls to language models in US dollars, where prices are known.")


class SearchFigures(BaseModel):
    """Searches of one day, those of contexts, questions and chats included, without previews."""

    searches: int = Field(description="Number of searches.")
    degraded: int = Field(description="Number of degraded searches.")
    p50_ms: float | None = Field(
        description="Median latency in milliseconds, from a histogram of factor √2; null without a search."
    )
    p95_ms: float | None = Field(
        description="Latency of the 95th percentile in milliseconds, from a histogram of factor √2; null without a "
        "search."
    )


class DayFigures(BaseModel):
    """Figures of one day."""

    day: date = Field(description="Day (UTC).")
    memories: MemoryFigures = Field(description="Memories of the day.")
    dreams: DreamFigures = Field(description="Dreams of the day.")
    searches: SearchFigures = Field(description="Searches of the day.")


class Totals(BaseModel):
    """Present figures."""

    memories: int = Field(description="Number of current memories.")
    superseded: int = Field(description="Number of superseded memories.")
    deleted: int = Field(description="Number of deleted memories that are still kept.")
    entities: int = Field(description="Number of entities.")
    sessions: int = Field(description="Number of sessions.")
    dreams: int = Field(description="Number of dreams, without dry runs.")
    pending: int = Field(description="Number of texts of the workspace without a vector yet.")


class Stats(BaseModel):
    """Figures by day, and present totals."""

    since: date = Field(description="First day (UTC).")
    until: date = Field(description="Last day (UTC), inclusive.")
    step: Literal["day"] = Field(description="Length of a step: `day`.")
    agent: str | None = Field(description="Name of the agent; null for the whole workspace.")
    items: list[DayFigures] = Field(description="Figures of every day, oldest first.")
    totals: Totals = Field(description="Present totals.")
