"""Runs of saved searches: the ranks of the expected memories and the recall, as the agent searches now."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import structlog

from service.db.pool import Row
from service.domain.ids import NO_KEY, new_id
from service.domain.principal import Principal
from service.domain.saved_searches import SEARCHES_MAX, Cause, LostAt, Outcome, recall_at
from service.domain.search import RankingOptions, SearchRequest
from service.errors import NotFound, ReverieError
from service.memory.engine import Engine
from service.memory.saved_searches.saved import ABSENT, Record, expected_of, owned, state_of
from service.memory.search.explain import Explanation, explain
from service.memory.search.recall import recall
from service.memory.search.search_results import SearchAnswer
from service.store import agents, saved_searches

log = structlog.get_logger(__name__)


async def run_search(engine: Engine, principal: Principal, search_id: UUID, overrides: RankingOptions) -> list[Record]:
    """Run a saved search and store the result; none, and nothing stored, with memory off.

    Raises Forbidden, NotFound.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        row = await owned(connection, principal, search_id)
    if principal.no_memory:
        return []
    result = await _run(engine, principal, row, overrides, "request")
    if result is None:
        raise NotFound(ABSENT)
    return [result]


async def run_searches(
    engine: Engine, principal: Principal, agent: str | None, overrides: RankingOptions
) -> list[Record]:
    """Run all saved searches of the acting agent and store their results, as ``run_search``, newest search first."""
    principal.require_write()
    agent = principal.acting_agent(agent)
    if principal.no_memory:
        return []
    rows = await _of_agent(engine, principal.workspace_id, agent)
    results = [await _run(engine, principal, row, overrides, "request") for row in rows]
    return [result for result in results if result is not None]


async def run_scheduled(engine: Engine, workspace: UUID) -> int:
    """Run all saved searches of a workspace, each as its agent; how many results were stored. One that fails does not
    hold up the others."""
    done, before = 0, None
    while True:
        async with engine.db.transaction(workspace) as connection:
            rows = await saved_searches.list_(connection, workspace, None, before=before, limit=SEARCHES_MAX)
        if not rows:
            return done
        for row in rows:
            reader = Principal(workspace, NO_KEY, "agent", row["agent"])
            try:
                done += await _run(engine, reader, row, RankingOptions(), "schedule") is not None
            except ReverieError as error:
                log.warning("saved_search_failed", search_id=str(row["id"]), error=error.message)
        before = rows[-1]["id"]


async def _of_agent(engine: Engine, workspace: UUID, agent: str) -> list[Row]:
    async with engine.db.transaction(workspace) as connection:
        return await saved_searches.list_(connection, workspace, agent, before=None, limit=SEARCHES_MAX)


async def _run(
    engine: Engine, principal: Principal, row: Row, overrides: RankingOptions, cause: Cause
) -> Record | None:
    """Search and store the result; None where the saved search was changed or removed meanwhile."""
    workspace, changed = principal.workspace_id, overrides.model_dump(mode="json", exclude_unset=True)
    request = SearchRequest.model_validate(
        row["options"] | changed | {"agent": row["agent"], "query": row["query"], "limit": row["k"]}
    )
    found = await recall(engine, principal, request, count_access=False)
    expected = expected_of(row)
    async with engine.db.transaction(workspace) as connection:
        pairs = [(row["agent_id"], memory) for memory in expected]
        current = await saved_searches.current(connection, workspace, pairs, engine.now())
        settings = (await agents.named_agent_settings(connection, workspace, row["agent"])).retrieval
    outcomes = [
        await _outcome(engine, principal, request, found, memory, current.get((row["agent_id"], memory)))
        for memory in expected
    ]
    result = {
        "search_id": row["id"], "id": new_id(), "revision": row["revision"], "cause": cause, "outcomes": outcomes,
        "recall": recall_at(row["k"], outcomes), "overrides": changed, "settings": settings.model_dump(mode="json"),
        "strategy": found.strategy, "embedder": found.embedder, "degraded": found.degraded is not None,
        "now": engine.now(),
    }  # fmt: skip
    async with engine.db.transaction(workspace) as connection:
        stored = await saved_searches.add_result(connection, workspace, result)
    return dict(stored) if stored is not None else None


async def _outcome(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    found: SearchAnswer,
    memory: UUID,
    current: UUID | None,
) -> Outcome:
    rank: int | None = None
    lost_at: LostAt | None = None
    if current is not None:
        rank = _rank(found, (memory, current))
        if rank is None:
            rank, lost_at = _lost(await explain(engine, principal, request, current, found))
    return {**state_of(memory, current), "rank": rank, "lost_at": lost_at}


def _lost(fate: Explanation | None) -> tuple[int | None, LostAt]:
    """The rank below the limit, where that is why, and the stage."""
    if fate is None or fate.stage == "returned":
        return None, "filters"
    return (fate.ranks.final if fate.ranks is not None and fate.stage == "limit" else None), fate.stage


def _rank(found: SearchAnswer, memories: Sequence[UUID]) -> int | None:
    """The place of the first result that shows or stands for one of these memories."""
    return next((hit.rank for hit in found.results if not set(memories).isdisjoint(hit.memory_ids)), None)
