"""Searching memories: embed the query, one statement, then the walk under the token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np

from service.db.pool import Connection
from service.db.wal_lsn import PRIMARY_ONLY, require_lsn
from service.domain import timex
from service.domain.principal import CachedCredential, Principal
from service.domain.ranking import Ranked, rank
from service.domain.search import Ranking, SearchRequest
from service.domain.spending import paid_by
from service.embedding.base import EmbeddingFailed
from service.errors import InvalidInput, StaleCredential
from service.memory.access.redaction import redact_search
from service.memory.engine import Engine
from service.memory.search.reranking import RERANKED_MAX, reranked
from service.memory.search.search_results import NO_MEMORY, Degraded, SearchHit, SearchResults
from service.store import agents
from service.store.search.candidates import candidates, newest
from service.store.search.filters import Filters
from service.store.search.plan import KINDS, ModelChanged, Question, plan
from service.store.search.records import FoundRecord, records
from service.store.vectors import VectorSpace

BUDGET_FETCH = 200


@dataclass(frozen=True, slots=True)
class _Options:
    """What a search of a context has besides the request."""

    in_session: str | None
    on_task: str | None
    said_by: str | None
    whole: bool
    on_reader: Callable[[agents.Reader | None], None] | None
    key: CachedCredential | None


@dataclass(frozen=True, slots=True)
class _Query:
    """What is searched for, and the reader it is for."""

    workspace: UUID
    reader_key: agents.ReaderKey
    request: SearchRequest
    question: Question
    options: _Options


async def recall(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    *,
    count_access: bool = True,
    in_session: str | None = None,
    on_task: str | None = None,
    said_by: str | None = None,
    full_records: bool = True,
    on_reader: Callable[[agents.Reader | None], None] | None = None,
    key: CachedCredential | None = None,
) -> SearchResults:
    """Search as the acting agent. An agent, session or task nobody has heard of finds nothing, and neither does a
    caller with its memory off.

    ``in_session`` and ``on_task``: what they share is found too, besides everything else; a session or task in the
    request itself is a filter. ``said_by`` leaves out messages of other users. Not ``full_records``, memories come with
    no more than a context tells of them. ``on_reader`` is called with the reader before anything is searched, perhaps
    twice. Without a working embedder the search goes on by keyword and says so. Raises InvalidInput for an empty time
    range; with a ``key``, whose principal it is then, StaleCredential and other errors mean that it has to be looked
    up.
    """
    options = _Options(in_session, on_task, said_by, full_records, on_reader, key)
    started = perf_counter()
    try:
        found = await _recall(engine, principal, request, options, count_access=count_access)
    except ModelChanged:
        if engine.refresh_active_model is None:
            raise
        await engine.refresh_active_model()
        require_lsn(PRIMARY_ONLY)
        found = await _recall(engine, principal, request, options, count_access=count_access)
    degraded = "no" if found.degraded is None else "yes"
    engine.metrics.searches.labels(request.strategy, degraded).observe(perf_counter() - started)
    return found


async def _recall(
    engine: Engine, principal: Principal, request: SearchRequest, options: _Options, *, count_access: bool
) -> SearchResults:
    agent = principal.acting_agent(request.agent)
    if principal.no_memory:
        return SearchResults([], 0, request.strategy, NO_MEMORY)
    if request.since and request.until and request.since >= request.until:
        raise InvalidInput(("body", "until"), "must be later than since")
    request = await redact_search(engine, principal, request)
    vector, space, degraded = await _query_vector(engine, principal, request)
    timed = timex.parse(request.query, request.now or engine.now())
    question = Question(
        text="" if request.strategy == "semantic" and vector is not None else timed.text.strip() or request.query,
        windows=timed.windows,
        space=space,
        embedding=vector,
    )

    reader_key = agents.ReaderKey(agent, request.session or options.in_session, request.task or options.on_task)
    query = _Query(principal.workspace_id, reader_key, request, question, options)
    answer = await engine.search(principal.workspace_id, lambda connection: _search(connection, engine, query))
    if answer is None:
        return SearchResults([], 0, request.strategy, degraded)
    found, reranks = answer
    if reranks:
        with paid_by(principal.payer(agent)):
            found, failure = await reranked(engine, request.query, found)
        degraded = degraded or failure
    results = _apply_token_budget(found, request.limit, request.max_tokens)
    engine.read_audit.note(principal, "search", [agent, *(result.payload["agent"] for result in results)])
    if count_access:
        engine.access_counts.count(principal.workspace_id, [result.memory["id"] for result in results if result.memory])
    return SearchResults(results, sum(result.tokens for result in results), request.strategy, degraded)


async def _search(connection: Connection, engine: Engine, query: _Query) -> tuple[list[SearchHit], bool] | None:
    """What is found, as many as the later stages need, and whether it is to be reranked; None for an unknown reader."""
    workspace, request, options = query.workspace, query.request, query.options
    reader = await agents.reader(connection, workspace, query.reader_key, options.key)
    if reader is None and options.key is not None:
        raise StaleCredential
    if options.on_reader is not None:
        options.on_reader(reader)
    if reader is None or _references_unknown_scope(request, reader):
        return None
    ranking, kinds = _ranking(request, reader), _kinds(request)
    planned = await plan(
        connection,
        workspace,
        reader,
        _filters(engine, request, reader, options.said_by),
        ranking,
        None if _is_recency_only(request) else query.question,
        engine.search_limits,
        kinds=kinds,
        limit=_fetch_limit(request, reader),
    )
    ranked: Sequence[Ranked | None]
    if planned.strategy == "recent":
        ids = await newest(connection, planned)
        ranked = [None] * len(ids)
    else:
        found = await candidates(connection, planned)
        ranked = best = rank(found, query.question.windows, ranking, limit=planned.limit)
        ids = [one.id for one in best]
    records_ = await records(connection, workspace, ids, kinds=kinds, whole=options.whole)
    return _found(ids, ranked, records_), _reranks(request, reader)


def _kinds(request: SearchRequest) -> list[int]:
    return [KINDS[wanted] for wanted in dict.fromkeys(request.include)]


def _is_recency_only(request: SearchRequest) -> bool:
    """Whether there is nothing to rank by but time."""
    return request.strategy == "recent" or (not request.query.strip() and request.strategy != "semantic")


def _reranks(request: SearchRequest, reader: agents.Reader) -> bool:
    """Whether a model ranks what is found anew."""
    return reader.settings.retrieval.rerank if request.rerank is None else request.rerank


def _fetch_limit(request: SearchRequest, reader: agents.Reader) -> int:
    """How many candidates the later stages need."""
    wanted = request.limit if request.max_tokens is None else max(request.limit, BUDGET_FETCH)
    return max(wanted, RERANKED_MAX) if _reranks(request, reader) else wanted


def _references_unknown_scope(request: SearchRequest, reader: agents.Reader) -> bool:
    return (request.session is not None and reader.session_id is None) or (
        request.task is not None and reader.task_id is None
    )


def _ranking(request: SearchRequest, reader: agents.Reader) -> Ranking:
    chosen = reader.settings.retrieval
    return chosen.model_copy(update={"fusion": request.fusion}) if request.fusion else chosen


async def _query_vector(
    engine: Engine, principal: Principal, request: SearchRequest
) -> tuple[np.ndarray[Any, Any] | None, VectorSpace | None, Degraded | None]:
    """The query's vector and its space, or why there is none although the strategy wanted one."""
    if request.strategy in ("keyword", "recent") or not request.query.strip():
        return None, None, None
    if engine.embedder is None:
        return None, None, Degraded("no embedder is configured (EMBEDDING_MODEL=none)", "keyword")
    try:
        with paid_by(principal.payer(request.agent)):
            return *await engine.embed_query(request.query), None
    except EmbeddingFailed as error:
        return None, None, Degraded(error.message, "keyword")


def _filters(engine: Engine, request: SearchRequest, reader: agents.Reader, said_by: str | None) -> Filters:
    return Filters(
        as_of=request.as_of or engine.now(),
        types=[t.value for t in request.types] if request.types is not None else None,
        scopes=[s.value for s in request.scopes] if request.scopes is not None else None,
        tags_any=request.tags if request.tags and request.tags_mode == "any" else None,
        tags_all=request.tags if request.tags and request.tags_mode == "all" else None,
        user=request.user,
        said_by=said_by,
        session_id=reader.session_id if request.session else None,
        task_id=reader.task_id if request.task else None,
        metadata=request.metadata or None,
        min_importance=request.min_importance,
        since=request.since,
        until=request.until,
        include_faded=request.include_faded,
    )


def _found(ids: Sequence[UUID], ranked: Sequence[Ranked | None], records_: dict[UUID, FoundRecord]) -> list[SearchHit]:
    """Results in order; what was deleted since they were ranked is left out."""
    results: list[SearchHit] = []
    for id_, scores in zip(ids, ranked, strict=True):
        record = records_.get(id_)
        if record is None:
            continue
        found = SearchHit(
            kind=record.kind,
            memory=record.fields if record.kind == "memory" else None,
            message=record.fields if record.kind == "message" else None,
            document=record.fields if record.kind == "document" else None,
            rank=len(results) + 1,
            tokens=record.tokens,
        )
        results.append(found if scores is None else replace(found, **_scores(scores)))
    return results


def _scores(ranked: Ranked) -> dict[str, Any]:
    """Where each list had a result, and why it is where it is."""
    return {
        "score": ranked.score,
        "keyword_rank": ranked.keyword_rank,
        "semantic_rank": ranked.semantic_rank,
        "keyword_score": ranked.keyword_score,
        "semantic_score": ranked.semantic_score,
        "boosts": ranked.boosts,
    }


def _apply_token_budget(found: Sequence[SearchHit], limit: int, max_tokens: int | None) -> list[SearchHit]:
    """Walk the ranking: take what fits, skip what does not and go on, up to ``limit`` results."""
    if max_tokens is None:
        return list(found[:limit])
    results: list[SearchHit] = []
    left = max_tokens
    for one in found:
        if len(results) < limit and one.tokens <= left:
            results.append(one)
            left -= one.tokens
    return results
