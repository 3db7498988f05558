"""Runs of saved searches: the ranks of the expected memories and the recall, as the agent searches now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import structlog

from service.domain.ids import NO_KEY, new_id
from service.domain.principal import Principal
from service.domain.saved_searches import SEARCHES_MAX, Cause, ExpectedOutcome, LostAt, SearchResultRecord, recall_at
from service.domain.search import RankingOptions, SearchRequest
from service.errors import NotFound, ReverieError
from service.memory.engine import Engine
from service.memory.saved_searches.saved import ABSENT, owned, state_of
from service.memory.search.explain import Explanation, explain
from service.memory.search.recall import recall
from service.memory.search.search_results import SearchAnswer
from service.store import agents, saved_searches
from service.store.saved_searches import StoredSearch

log = structlog.get_logger(__name__)


async def run_search(
    engine: Engine, principal: Principal, search_id: UUID, overrides: RankingOptions
) -> list[SearchResultRecord]:
    """Run a saved search and store the result; none, and nothing stored, with memory off.

    Raises Forbidden, NotFound.
    """
    principal.require_write()
    async with engine.db.transaction(principal.workspace_id) as connection:
        search = await owned(connection, principal, search_id, change=True)
    if principal.no_memory:
        return []
    result = await _run(engine, principal, search, overrides, "request")
    if result is None:
        raise NotFound(ABSENT)
    return [result]


async def run_searches(
    engine: Engine, principal: Principal, agent: str | None, overrides: RankingOptions
) -> list[SearchResultRecord]:
    """Run all saved searches of the acting agent and store their results, as ``run_search``, newest search first."""
    principal.require_write()
    agent = principal.acting_agent(agent)
    if principal.no_memory:
        return []
    searches = await _listed(engine, principal.workspace_id, agent, None)
    own = [search for search in searches if principal.user is None or search.owners == [principal.user]]
    results = [await _run(engine, principal, search, overrides, "request") for search in own]
    return [result for result in results if result is not None]


async def run_scheduled(engine: Engine, workspace: UUID) -> int:
    """Run all saved searches of a workspace, each as its agent; return how many results were stored. One that fails
    does not hold up the others."""
    done = 0
    before: UUID | None = None
    while searches := await _listed(engine, workspace, None, before):
        for search in searches:
            reader = Principal(workspace, NO_KEY, "agent", search.agent)
            try:
                done += await _run(engine, reader, search, RankingOptions(), "schedule") is not None
            except ReverieError as error:
                log.warning("saved_search_failed", search_id=str(search.id), error=error.message)
        before = searches[-1].id
    return done


async def _listed(engine: Engine, workspace: UUID, agent: str | None, before: UUID | None) -> list[StoredSearch]:
    """Return saved searches of an agent, or of the workspace, newest first."""
    async with engine.db.transaction(workspace) as connection:
        return await connection.many(
            StoredSearch, "list_saved_searches", workspace=workspace, agent=agent, before=before, limit=SEARCHES_MAX
        )


async def _run(
    engine: Engine, principal: Principal, search: StoredSearch, overrides: RankingOptions, cause: Cause
) -> SearchResultRecord | None:
    """Search, store the result and return it; None where the saved search was changed or removed meanwhile."""
    principal = replace(principal, named_user=None)
    workspace, changed = principal.workspace_id, overrides.model_dump(mode="json", exclude_unset=True)
    request = SearchRequest.model_validate(
        search.options | changed | {"agent": search.agent, "query": search.query, "limit": search.k}
    )
    found = await recall(engine, principal, request, count_access=False, for_prompt=True)
    expected = search.expected_ids
    async with engine.db.transaction(workspace) as connection:
        pairs = [(search.agent_id, memory) for memory in expected]
        current = await saved_searches.current(connection, workspace, pairs, engine.now())
        settings = (await agents.named_agent_settings(connection, workspace, search.agent)).retrieval
    outcomes = [
        await _outcome(engine, principal, request, found, memory, current.get((search.agent_id, memory)))
        for memory in expected
    ]
    result = SearchResultRecord(
        id=new_id(),
        search_id=search.id,
        revision=search.revision,
        cause=cause,
        k=search.k,
        recall=recall_at(search.k, outcomes),
        outcomes=outcomes,
        overrides=changed,
        settings=settings.model_dump(mode="json"),
        strategy=found.strategy,
        embedder=found.embedder,
        degraded=found.degraded is not None,
        created_at=engine.now(),
    )
    async with engine.db.transaction(workspace) as connection:
        stored = await saved_searches.add_result(connection, workspace, result)
    return result if stored else None


async def _outcome(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    found: SearchAnswer,
    memory: UUID,
    current: UUID | None,
) -> ExpectedOutcome:
    rank: int | None = None
    lost_at: LostAt | None = None
    if current is not None:
        rank = _rank(found, (memory, current))
        if rank is None:
            rank, lost_at = _lost(await explain(engine, principal, request, current, found, for_prompt=True))
    return ExpectedOutcome(memory, state_of(memory, current), current, rank, lost_at)


def _lost(fate: Explanation | None) -> tuple[int | None, LostAt]:
    """Return the rank below the limit, where that is why, and the stage."""
    if fate is None or fate.stage == "returned":
        return None, "filters"
    return (fate.ranks.final if fate.ranks is not None and fate.stage == "limit" else None), fate.stage


def _rank(found: SearchAnswer, memories: Sequence[UUID]) -> int | None:
    """Return the place of the first result that shows or stands for one of these memories."""
    return next((hit.rank for hit in found.results if not set(memories).isdisjoint(hit.memory_ids)), None)
