"""The rows that a search ranks, with what it ranks them by."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from service.db.pool import Connection
from service.domain.ranking import Candidate
from service.store.search.plan import SearchPlan

STATEMENTS = {
    "exact": "exact_candidates",
    "scan": "large_candidates",
    "hnsw": "large_candidates",
    "filter_list": "large_candidates",
}


async def candidates(connection: Connection, plan: SearchPlan) -> Sequence[Candidate]:
    """What may be among the results of a plan that has a question, in no order."""
    rows = await connection.fetch(STATEMENTS[plan.strategy], plan.flags.as_dict(), **plan.values)
    return [Candidate._make(row) for row in rows]


async def newest(connection: Connection, plan: SearchPlan) -> list[UUID]:
    """The results of a plan that has none, best first."""
    rows = await connection.fetch("recent_candidates", plan.flags.as_dict(), **plan.values)
    return [row["id"] for row in rows]
