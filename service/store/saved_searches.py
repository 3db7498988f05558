"""Saved searches and the results of their runs. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.db.records import make
from service.domain.json import JsonObject
from service.domain.saved_searches import RESULTS_MAX, ExpectedOutcome, SavedSearchContent, SearchResultRecord

READ_AT_ONCE = 100
SUCCESSORS_MAX = 1_000
"""Memories that superseded one after the other."""


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A saved search with the newest result of its present revision and without overrides."""

    id: UUID
    agent: str
    agent_id: UUID
    owners: list[str]
    name: str
    query: str
    options: JsonObject
    expected: list[str]
    k: int
    revision: int
    created_at: datetime
    updated_at: datetime
    last_id: UUID | None
    last_recall: float | None
    last_at: datetime | None

    @property
    def expected_ids(self) -> list[UUID]:
        """Return the ids of the memories that the search must find."""
        return [UUID(memory) for memory in self.expected]


@dataclass(frozen=True, slots=True)
class AskedSearch:
    """What a saved search asks."""

    id: UUID
    name: str
    query: str
    options: JsonObject


async def add(
    connection: Connection, workspace: UUID, search_id: UUID, content: SavedSearchContent, *, agent_id: UUID,
    created_by: str, now: datetime,
) -> None:  # fmt: skip
    """Add a saved search without a result."""
    await connection.run(
        "add_saved_search", workspace=workspace, id=search_id, agent_id=agent_id, created_by=created_by, now=now,
        **_columns(content),
    )  # fmt: skip


async def change(
    connection: Connection, workspace: UUID, search_id: UUID, content: SavedSearchContent, now: datetime
) -> bool:
    """Replace the content of a saved search; return whether it was there."""
    return bool(
        await connection.fetch(
            "change_saved_search", workspace=workspace, id=search_id, now=now, **_columns(content)
        )
    )  # fmt: skip


def _columns(content: SavedSearchContent) -> dict[str, object]:
    return {
        "owners": content.owners,
        "name": content.name,
        "query": content.query,
        "options": content.kept_options(),
        "expected": [str(memory) for memory in content.expected],
        "k": content.k,
    }


async def current(
    connection: Connection, workspace: UUID, expected: Iterable[tuple[UUID, UUID]], now: datetime
) -> dict[tuple[UUID, UUID], UUID]:
    """Return, of pairs of an agent and a memory, the memory that holds now in its place; without those that are
    gone."""
    pairs = list(dict.fromkeys(expected))
    rows = await connection.fetch(
        "expected_memories", workspace=workspace, agent_ids=[agent for agent, _ in pairs],
        ids=[memory for _, memory in pairs], steps_max=SUCCESSORS_MAX, now=now,
    )  # fmt: skip
    return {(row["agent_id"], row["expected"]): row["current"] for row in rows}


async def add_result(connection: Connection, workspace: UUID, result: SearchResultRecord) -> bool:
    """Store the result of a run, of which the newest ``RESULTS_MAX`` are kept; return False, and nothing is stored,
    where the search is gone or has another revision by now."""
    added = await connection.run(
        "add_saved_search_result", workspace=workspace, search_id=result.search_id, id=result.id,
        revision=result.revision, cause=result.cause, recall=result.recall, outcomes=result.outcomes,
        overrides=result.overrides, settings=result.settings, strategy=result.strategy, embedder=result.embedder,
        degraded=result.degraded, now=result.created_at,
    )  # fmt: skip
    await connection.run("trim_saved_search_results", workspace=workspace, search_id=result.search_id, kept=RESULTS_MAX)
    return bool(added)


async def results(
    connection: Connection, workspace: UUID, search_id: UUID, *, before: UUID | None, limit: int
) -> list[SearchResultRecord]:
    """Return the results of a saved search, newest first."""
    rows = await connection.fetch(
        "list_saved_search_results", workspace=workspace, search_id=search_id, before=before, limit=limit
    )
    return list(map(_result, rows))


def _result(row: Row) -> SearchResultRecord:
    outcomes = [
        ExpectedOutcome(
            memory_id=UUID(one["memory_id"]), state=one["state"],
            counted_as=UUID(one["counted_as"]) if one["counted_as"] else None, rank=one["rank"],
            lost_at=one["lost_at"],
        )
        for one in row["outcomes"]
    ]  # fmt: skip
    return make(SearchResultRecord, {**row, "outcomes": outcomes})


async def texts(connection: Connection, workspace: UUID, *, locked: bool) -> AsyncIterator[list[AskedSearch]]:
    """Yield what all saved searches of the workspace ask, some at a time."""
    after: UUID | None = None
    while found := await connection.many(
        AskedSearch, "saved_search_texts", {"locked": locked}, workspace=workspace, after=after, limit=READ_AT_ONCE
    ):
        yield found
        after = found[-1].id
