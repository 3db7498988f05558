"""Searches counted by day (UTC) and agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from service.db.pool import Connection
from service.domain.latency import BUCKETS


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
