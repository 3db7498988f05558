"""Saved searches and the results of their runs. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.saved_searches import RESULTS_MAX, SavedSearchContent

READ_AT_ONCE = 100
SUCCESSORS_MAX = 1_000
"""Memories that superseded one after the other."""


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
    """Replace the content of a saved search; whether it was there."""
    return bool(
        await connection.fetch(
            "change_saved_search", workspace=workspace, id=search_id, now=now, **_columns(content)
        )
    )  # fmt: skip


def _columns(content: SavedSearchContent) -> dict[str, Any]:
    return {
        "name": content.name,
        "query": content.query,
        "options": content.kept_options(),
        "expected": [str(memory) for memory in content.expected],
        "k": content.k,
    }


async def count(connection: Connection, workspace: UUID, agent_id: UUID) -> int:
    """How many an agent has."""
    return await connection.value("count_saved_searches", workspace=workspace, agent_id=agent_id)


async def get(connection: Connection, workspace: UUID, search_id: UUID, agent: str | None = None) -> Row | None:
    """A saved search with its newest result (``last_id``, ``last_recall``, ``last_at``); with an
    ``agent``, only one of that agent."""
    return await connection.row("get_saved_search", workspace=workspace, id=search_id, agent=agent)


async def list_(
    connection: Connection, workspace: UUID, agent: str | None, *, before: UUID | None, limit: int
) -> list[Row]:
    """Saved searches as ``get`` gives them, newest first."""
    return await connection.fetch("list_saved_searches", workspace=workspace, agent=agent, before=before, limit=limit)


async def delete(connection: Connection, workspace: UUID, search_id: UUID) -> None:
    """Remove a saved search with its results."""
    await connection.run("delete_saved_search", workspace=workspace, id=search_id)


async def current(
    connection: Connection, workspace: UUID, expected: Iterable[tuple[UUID, UUID]], now: datetime
) -> dict[tuple[UUID, UUID], UUID]:
    """Of pairs of an agent and a memory, the memory that holds now in its place; without those that are gone."""
    pairs = list(dict.fromkeys(expected))
    rows = await connection.fetch(
        "expected_memories", workspace=workspace, agent_ids=[agent for agent, _ in pairs],
        ids=[memory for _, memory in pairs], steps_max=SUCCESSORS_MAX, now=now,
    )  # fmt: skip
    return {(row["agent_id"], row["expected"]): row["current"] for row in rows}


async def add_result(connection: Connection, workspace: UUID, result: Mapping[str, Any]) -> Row | None:
    """Store the result of a run, of which the newest ``RESULTS_MAX`` are kept; None where the search is gone or has
    another revision by now."""
    row = await connection.row("add_saved_search_result", workspace=workspace, **result)
    await connection.run(
        "trim_saved_search_results", workspace=workspace, search_id=result["search_id"], kept=RESULTS_MAX
    )
    return row


async def results(
    connection: Connection, workspace: UUID, search_id: UUID, *, before: UUID | None, limit: int
) -> list[Row]:
    """Results of a saved search, newest first."""
    return await connection.fetch(
        "list_saved_search_results", workspace=workspace, search_id=search_id, before=before, limit=limit
    )


async def texts(connection: Connection, workspace: UUID, *, locked: bool) -> AsyncIterator[list[Row]]:
    """All saved searches of the workspace, some at a time."""
    after: UUID | None = None
    while found := await connection.fetch(
        "saved_search_texts", {"locked": locked}, workspace=workspace, after=after, limit=READ_AT_ONCE
    ):
        yield found
        after = found[-1]["id"]


async def purge(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> int:
    """Remove saved searches with their results; how many searches there were."""
    return await connection.run("purge_saved_searches", workspace=workspace, ids=ids)
