"""Saved searches and the results of their runs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from reverie_client.models.base import Answer, Json


class ExpectedMemory(Answer):
    """A memory that a search must find; ``counted_as`` its successor, or None once it is gone."""

    memory_id: UUID
    state: Literal["current", "superseded", "gone"]
    counted_as: UUID | None = None


class ExpectedOutcome(ExpectedMemory):
    """What became of an expected memory in a run: its rank, or the stage that lost it."""

    rank: int | None = None
    lost_at: str | None = None


class LastResult(Answer):
    """The newest result of a saved search."""

    id: UUID
    recall: float | None = None
    created_at: datetime


class SavedSearch(Answer):
    """A query with the memories that it must find among its first ``k`` results."""

    id: UUID
    agent: str
    name: str
    query: str
    options: Json
    expected: list[ExpectedMemory]
    k: int
    revision: int
    last_result: LastResult | None = None
    created_at: datetime
    updated_at: datetime


class SearchRun(Answer):
    """The result of a run of a saved search; ``recall`` is None where every expected memory is gone."""

    id: UUID
    search_id: UUID
    revision: int
    cause: Literal["request", "schedule"]
    k: int
    recall: float | None = None
    outcomes: list[ExpectedOutcome]
    overrides: Json
    settings: Json
    strategy: str
    embedder: str | None = None
    degraded: bool
    created_at: datetime


class SearchRuns(Answer):
    """The results of several saved searches."""

    items: list[SearchRun]
