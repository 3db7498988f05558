"""Saved searches: tests of what an agent finds, and their runs: the ranks of the expected memories and the recall, as
the agent searches now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.db.records import make_all
from service.domain import cursors
from service.domain.ids import NO_KEY, new_id
from service.domain.principal import Principal
from service.domain.saved_searches import (
    SEARCHES_MAX,
    Cause,
    ExpectedMemory,
    ExpectedOutcome,
    ExpectedState,
    LastResult,
    LostAt,
    SavedSearch,
    SavedSearchContent,
    SavedSearchDraft,
    SearchResultRecord,
    recall_at,
)
from service.domain.search import RankingOptions, SearchRequest
from service.errors import Conflict, InvalidInput, NotFound, ReverieError
from service.memory.access import audit
from service.memory.access.redaction import kept_where, masking_of, redact_fields
from service.memory.access.workspace import check_filters, get_settings
from service.memory.counters import ReadCounter
from service.memory.search.explain import Explanation, explain
from service.memory.search.recall import recall
from service.memory.search_results import SearchAnswer
from service.runtime import Runtime
from service.store import agents, saved_searches
from service.store.saved_searches import StoredSearch

log = structlog.get_logger(__name__)

ABSENT = "There is no such saved search here."
READ = "saved_search"

Content = TypeVar("Content", bound=SavedSearchContent)


async def add_search(runtime: Runtime, principal: Principal, draft: SavedSearchDraft) -> SavedSearch | None:
    """Save a search of the acting agent; None, and nothing saved, with memory off.

    Raises Forbidden, InvalidInput, and Conflict when there are too many.
    """
    principal.require_write()
    agent = principal.acting_agent(draft.agent)
    if principal.no_memory:
        return None
    draft = await _checked(runtime, principal, draft)
    workspace, search_id = principal.workspace_id, new_id()
    async with runtime.db.transaction(workspace, viewer=principal.writes_as) as connection:
        agent_id = await agents.ensure_agent(connection, workspace, agent)
        count: int = await connection.value("count_saved_searches", workspace=workspace, agent_id=agent_id)
        if count >= SEARCHES_MAX:
            raise Conflict(f"An agent may have {SEARCHES_MAX} saved searches.")
        await _check_expected(runtime, connection, workspace, agent_id, draft)
        await saved_searches.add(
            connection, workspace, search_id, draft,
            agent_id=agent_id, created_by=principal.actor, now=runtime.now(),
        )  # fmt: skip
        await audit.record(connection, principal, "saved_search.created", target=str(search_id))
        search = await owned(connection, principal, search_id)
        return (await _shown(runtime, connection, workspace, [search]))[0]


async def get_search(runtime: Runtime, principal: Principal, search_id: UUID) -> SavedSearch:
    """Return a saved search with what became of its expected memories. Raises NotFound."""
    async with runtime.db.transaction(principal.workspace_id) as connection:
        search = await owned(connection, principal, search_id)
        (shown,) = await _shown(runtime, connection, principal.workspace_id, [search])
    runtime.part(ReadCounter).note(principal, READ, [search.agent])
    return shown


async def list_searches(
    runtime: Runtime, principal: Principal, agent: str | None, *, limit: int, cursor: str | None
) -> tuple[list[SavedSearch], str | None]:
    """Return some saved searches, newest first, as ``get_search`` gives them, and the cursor of the next."""
    (before,) = cursors.decode(cursor, UUID)
    named = principal.reader_agent(agent)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        rows = await connection.fetch(
            "list_saved_searches", workspace=principal.workspace_id, agent=named, before=before, limit=limit + 1
        )
        rows, more = cursors.paginate(rows, limit, "id")
        shown = await _shown(runtime, connection, principal.workspace_id, make_all(StoredSearch, rows))
    runtime.part(ReadCounter).note(principal, READ, [named, *(search.agent for search in shown)])
    return shown, more


async def put_search(
    runtime: Runtime, principal: Principal, search_id: UUID, content: SavedSearchContent
) -> SavedSearch:
    """Replace the content of a saved search; expected memories that it has already may be gone. Raises Forbidden,
    InvalidInput, NotFound."""
    principal.require_write()
    content = await _checked(runtime, principal, content)
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        search = await owned(connection, principal, search_id, change=True)
        await connection.view_as(principal.writes_as)
        await _check_expected(runtime, connection, workspace, search.agent_id, content, known=search.expected_ids)
        if not await saved_searches.change(connection, workspace, search_id, content, runtime.now()):
            raise NotFound(ABSENT)
        await audit.record(connection, principal, "saved_search.updated", target=str(search_id))
        search = await owned(connection, principal, search_id)
        return (await _shown(runtime, connection, workspace, [search]))[0]


async def delete_search(runtime: Runtime, principal: Principal, search_id: UUID) -> None:
    """Remove a saved search with its results. Raises Forbidden, NotFound."""
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        search = await owned(connection, principal, search_id, change=True)
        await agents.hold(connection, principal.workspace_id, search.agent_id, NotFound(ABSENT))
        await connection.run("delete_saved_search", workspace=principal.workspace_id, id=search_id)
        await audit.record(connection, principal, "saved_search.deleted", target=str(search_id))


async def search_results(
    runtime: Runtime, principal: Principal, search_id: UUID, *, limit: int, cursor: str | None
) -> tuple[list[SearchResultRecord], str | None]:
    """Return some results of a saved search, newest first. Raises NotFound."""
    (before,) = cursors.decode(cursor, UUID)
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        search = await owned(connection, principal, search_id)
        results = await saved_searches.results(connection, workspace, search_id, before=before, limit=limit + 1)
    runtime.part(ReadCounter).note(principal, READ, [search.agent])
    return cursors.paginate(results, limit, "id")


async def owned(connection: Connection, principal: Principal, search_id: UUID, *, change: bool = False) -> StoredSearch:
    """Return a saved search of the caller's agent, or of the workspace. Raises NotFound, and Forbidden where the caller
    may not ``change`` it."""
    search = await connection.first(
        StoredSearch, "get_saved_search", workspace=principal.workspace_id, id=search_id, agent=principal.agent
    )
    if search is None:
        raise NotFound(ABSENT)
    if change:
        principal.check_changes(search.owners)
    return search


def state_of(memory: UUID, current: UUID | None) -> ExpectedState:
    """Return what became of an expected memory, by the one that holds now in its place."""
    return "gone" if current is None else "current" if current == memory else "superseded"


async def _shown(
    runtime: Runtime, connection: Connection, workspace: UUID, searches: Sequence[StoredSearch]
) -> list[SavedSearch]:
    pairs = [(search.agent_id, memory) for search in searches for memory in search.expected_ids]
    now = await saved_searches.current(connection, workspace, pairs, runtime.now())
    return [
        SavedSearch(
            id=search.id,
            agent=search.agent,
            name=search.name,
            query=search.query,
            options=search.options,
            expected=[_expected(memory, now.get((search.agent_id, memory))) for memory in search.expected_ids],
            k=search.k,
            revision=search.revision,
            last_result=_last(search),
            created_at=search.created_at,
            updated_at=search.updated_at,
        )
        for search in searches
    ]


def _expected(memory: UUID, current: UUID | None) -> ExpectedMemory:
    return ExpectedMemory(memory, state_of(memory, current), current)


def _last(search: StoredSearch) -> LastResult | None:
    if search.last_id is None or search.last_at is None:
        return None
    return LastResult(search.last_id, search.last_recall, search.last_at)


async def _check_expected(
    runtime: Runtime,
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    content: SavedSearchContent,
    *,
    known: Collection[UUID] = (),
) -> None:
    pairs = [(agent_id, memory) for memory in content.expected]
    found = await saved_searches.current(connection, workspace, pairs, runtime.now())
    for place, memory in enumerate(content.expected):
        if (agent_id, memory) not in found and memory not in known:
            raise InvalidInput(("body", "expected", place), "is no memory that the agent may read")


async def _checked(runtime: Runtime, principal: Principal, content: Content) -> Content:
    """Return the content as it may be stored. Raises InvalidInput."""
    options = content.options
    if options.since and options.until and options.since >= options.until:
        raise InvalidInput(("body", "options", "until"), "must be later than since")
    types = (await get_settings(runtime, principal)).memory_types
    check_filters(types, ("body", "options", "types"), options.types)
    kept = await redact_fields(
        runtime, principal, {"name": content.name, "query": content.query, "metadata": options.metadata}
    )
    masking, loc = await masking_of(runtime, principal), ("body", "options", "where")
    where = await kept_where(runtime, principal.workspace_id, masking, options.where, loc)
    user = principal.acting_user(options.user)
    options = options.model_copy(update={"metadata": kept["metadata"], "where": where, "user": user})
    return content.model_copy(update={"name": kept["name"], "query": kept["query"], "options": options})


async def run_search(
    runtime: Runtime, principal: Principal, search_id: UUID, overrides: RankingOptions
) -> list[SearchResultRecord]:
    """Run a saved search and store the result; none, and nothing stored, with memory off.

    Raises Forbidden, NotFound.
    """
    principal.require_write()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        search = await owned(connection, principal, search_id, change=True)
    if principal.no_memory:
        return []
    result = await _run(runtime, principal, search, overrides, "request")
    if result is None:
        raise NotFound(ABSENT)
    return [result]


async def run_searches(
    runtime: Runtime, principal: Principal, agent: str | None, overrides: RankingOptions
) -> list[SearchResultRecord]:
    """Run all saved searches of the acting agent and store their results, as ``run_search``, newest search first."""
    principal.require_write()
    agent = principal.acting_agent(agent)
    if principal.no_memory:
        return []
    searches = await _listed(runtime, principal.workspace_id, agent, None)
    own = [search for search in searches if principal.user is None or search.owners == [principal.user]]
    results = [await _run(runtime, principal, search, overrides, "request") for search in own]
    return [result for result in results if result is not None]


async def run_scheduled(runtime: Runtime, workspace: UUID) -> int:
    """Run all saved searches of a workspace, each as its agent; return how many results were stored. One that fails
    does not hold up the others."""
    done = 0
    before: UUID | None = None
    while searches := await _listed(runtime, workspace, None, before):
        for search in searches:
            reader = Principal(workspace, NO_KEY, "agent", search.agent)
            try:
                done += await _run(runtime, reader, search, RankingOptions(), "schedule") is not None
            except ReverieError as error:
                log.warning("saved_search_failed", search_id=str(search.id), error=error.message)
        before = searches[-1].id
    return done


async def _listed(runtime: Runtime, workspace: UUID, agent: str | None, before: UUID | None) -> list[StoredSearch]:
    """Return saved searches of an agent, or of the workspace, newest first."""
    async with runtime.db.transaction(workspace) as connection:
        return await connection.many(
            StoredSearch, "list_saved_searches", workspace=workspace, agent=agent, before=before, limit=SEARCHES_MAX
        )


async def _run(
    runtime: Runtime, principal: Principal, search: StoredSearch, overrides: RankingOptions, cause: Cause
) -> SearchResultRecord | None:
    """Search, store the result and return it; None where the saved search was changed or removed meanwhile."""
    principal = replace(principal, named_user=None)
    workspace, changed = principal.workspace_id, overrides.model_dump(mode="json", exclude_unset=True)
    request = SearchRequest.model_validate(
        search.options | changed | {"agent": search.agent, "query": search.query, "limit": search.k}
    )
    found = await recall(runtime, principal, request, count_access=False, for_prompt=True)
    expected = search.expected_ids
    async with runtime.db.transaction(workspace) as connection:
        pairs = [(search.agent_id, memory) for memory in expected]
        current = await saved_searches.current(connection, workspace, pairs, runtime.now())
        settings = (await agents.named_agent_settings(connection, workspace, search.agent)).retrieval
    outcomes = [
        await _outcome(runtime, principal, request, found, memory, current.get((search.agent_id, memory)))
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
        created_at=runtime.now(),
    )
    async with runtime.db.transaction(workspace) as connection:
        stored = await saved_searches.add_result(connection, workspace, result)
    return result if stored else None


async def _outcome(
    runtime: Runtime,
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
            rank, lost_at = _lost(await explain(runtime, principal, request, current, found, for_prompt=True))
    return ExpectedOutcome(memory, state_of(memory, current), current, rank, lost_at)


def _lost(fate: Explanation | None) -> tuple[int | None, LostAt]:
    """Return the rank below the limit, where that is why, and the stage."""
    if fate is None or fate.stage == "returned":
        return None, "filters"
    return (fate.ranks.final if fate.ranks is not None and fate.stage == "limit" else None), fate.stage


def _rank(found: SearchAnswer, memories: Sequence[UUID]) -> int | None:
    """Return the place of the first result that shows or stands for one of these memories."""
    return next((hit.rank for hit in found.results if not set(memories).isdisjoint(hit.memory_ids)), None)
