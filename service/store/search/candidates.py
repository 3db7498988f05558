"""The rows that a search ranks, with what it ranks them by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from service.db.pool import Connection
from service.domain.ranking import Candidate
from service.store.search.plan import QUESTION, SearchPlan

Candidates = Sequence[Candidate]


class Recent(NamedTuple):
    """A row that is searched without a question: when it happened, and the messages that a memory came from."""

    id: UUID
    happened_at: datetime
    sources: Sequence[UUID] | None


async def exact_candidates(connection: Connection, plans: Sequence[SearchPlan]) -> list[Candidates]:
    """Return the candidates of each of these exact plans, which differ in their questions alone."""
    values = {name: value for name, value in plans[0].values.items() if name not in QUESTION}
    texts, embeddings = ([plan.values[name] for plan in plans] for name in QUESTION)
    flags = plans[0].flags.as_dict()
    rows = await connection.fetch("exact_candidates", flags, texts=texts, embeddings=embeddings, **values)
    found: list[list[Candidate]] = [[] for _ in plans]
    for row in rows:
        found[row["number"] - 1].append(Candidate._make(islice(row.values(), len(Candidate._fields))))
    return list(found)


async def candidates(connection: Connection, plan: SearchPlan) -> Candidates:
    """Return what may be among the results of a plan that has a question, in no order."""
    if plan.tier == "exact":
        return (await exact_candidates(connection, [plan]))[0]
    rows = await connection.fetch("large_candidates", plan.flags.as_dict(), **plan.values)
    return [Candidate._make(row) for row in rows]


async def newest(connection: Connection, plan: SearchPlan, limit: int) -> list[Recent]:
    """Return the newest ``limit`` rows that a plan without a question is for, newest first."""
    rows = await connection.fetch("recent_candidates", plan.flags.as_dict(), **plan.values, limit=limit)
    return [Recent._make(row) for row in rows]
