"""Figures of a workspace by day (UTC): memories, dreams and searches. Days are inclusive on both ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.latency import BUCKETS

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class SearchDay:
    """Whose searches of which day (UTC), in a workspace."""

    day: date
    agent: str


@dataclass(slots=True)
class SearchCounts:
    """How many searches there were, how many of them degraded, and their latencies by bucket."""

    searches: int = 0
    degraded: int = 0
    latencies: list[int] = field(default_factory=lambda: [0] * BUCKETS)

    def add(self, other: SearchCounts) -> None:
        """Count the other's as well."""
        self.searches += other.searches
        self.degraded += other.degraded
        self.latencies = [mine + theirs for mine, theirs in zip(self.latencies, other.latencies, strict=True)]


async def add_searches(connection: Connection, workspace: UUID, counted: Mapping[SearchDay, SearchCounts]) -> None:
    """Add to what is stored; searches of agents that do not exist are not kept."""
    for key in sorted(counted):
        counts = counted[key]
        await connection.run(
            "add_search_counts", workspace=workspace, day=key.day, agent=key.agent, searches=counts.searches,
            degraded=counts.degraded, latencies=counts.latencies,
        )  # fmt: skip


async def by_day(
    connection: Connection, workspace: UUID, *, since: date, until: date, agent: str | None
) -> dict[str, list[Row]]:
    """Rows by day of ``memories``, ``faded``, ``dreams`` and ``searches``, of one agent or (None) of all; days without
    any are missing."""
    span = {"workspace": workspace, "since": since, "until": until, "agent": agent}
    return {
        name: await connection.fetch(f"{name}_by_day", **span) for name in ("memories", "faded", "dreams", "searches")
    }


async def totals(connection: Connection, workspace: UUID, *, agent: str | None, now: datetime) -> Record:
    """What there is now, of one agent or (None) of all."""
    return dict(await connection.one("stats_totals", workspace=workspace, agent=agent, now=now))
