"""Searching memories (rows R1 to R10): embed the query, one statement, then the walk under the token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np

from service.db.pool import Connection, Row
from service.db.positions import PRIMARY_ONLY, search_from
from service.domain import timex
from service.domain.principal import KnownKey, Principal
from service.domain.search import Ranking, SearchRequest
from service.embedding.base import EmbeddingFailed
from service.errors import InvalidInput, Unconfirmed
from service.memory.engine import Engine
from service.memory.found import MEMORY_OFF, Degraded, Found, Recalled
from service.memory.redaction import masked_search
from service.memory.reranking import RERANKED_MAX, reranked
from service.store import agents, memories, search, searching_together, sessions
from service.store.vectors import Space

BUDGET_FETCH = 200
BOOSTS = [(boost, f"{boost}_boost") for boost in ("question", "session", "time", "user")]


@dataclass(frozen=True, slots=True)
class _Around:
    """What a search of a context has besides the request."""

    in_session: str | None
    on_task: str | None
    said_by: str | None
    whole: bool
    on_reader: Callable[[agents.Reader | None], None] | None
    key: KnownKey | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for, and by whose eyes."""

    workspace: UUID
    eyes: agents.Eyes
    request: SearchRequest
    question: search.Question
    around: _Around

    def fits(self, reader: agents.Reader) -> bool:
        """Whether a reader last seen knows what the request names, and has the model of the question's vector."""
        return not _names_the_unknown(self.request, reader) and self.question.fits(reader)


async def recall(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    *,
    count_access: bool = True,
    in_session: str | None = None,
    on_task: str | None = None,
    said_by: str | None = None,
    whole: bool = True,
    on_reader: Callable[[agents.Reader | None], None] | None = None,
    key: KnownKey | None = None,
) -> Recalled:
    """Search as the acting agent. An agent, session or task nobody has heard of finds nothing, and neither does a
    caller with its memory off.

    ``in_session`` and ``on_task``: what they share is found too, besides everything else; a session or task in the
    request itself is a filter. ``said_by`` leaves out messages of other users. Not ``whole``, memories come with no
    more than a context tells of them. ``on_reader`` is told whose eyes it is before anything is searched, perhaps
    twice. Without a working embedder the search goes on by keyword and says so. Raises InvalidInput for an empty time
    range; with a ``key``, whose principal it is then, Unconfirmed and other errors mean that it has to be looked up.
    """
    around = _Around(in_session, on_task, said_by, whole, on_reader, key)
    started = perf_counter()
    try:
        found = await _recall(engine, principal, request, around, count_access=count_access)
    except search.ModelChanged:
        if engine.follow is None:
            raise
        await engine.follow()
        search_from(PRIMARY_ONLY)
        found = await _recall(engine, principal, request, around, count_access=count_access)
    degraded = "no" if found.degraded is None else "yes"
    engine.measures.searches.labels(request.strategy, degraded).observe(perf_counter() - started)
    return found


async def _recall(
    engine: Engine, principal: Principal, request: SearchRequest, around: _Around, *, count_access: bool
) -> Recalled:
    agent = principal.acting(request.agent)
    if principal.memory_off:
        return Recalled([], 0, request.strategy, MEMORY_OFF)
    if request.since and request.until and request.since >= request.until:
        raise InvalidInput(("body", "until"), "must be later than since")
    request = await masked_search(engine, principal, request)
    vector, space, degraded = await _query_vector(engine, request)
    timed = timex.parse(request.query, request.now or engine.now())
    question = search.Question(
        text="" if request.strategy == "semantic" and vector is not None else timed.text.strip() or request.query,
        windows=timed.windows,
        space=space,
        embedding=vector,
    )

    eyes = agents.Eyes(agent, request.session or around.in_session, request.task or around.on_task)
    seen = await _seen(engine, _Asked(principal.workspace_id, eyes, request, question, around))
    if seen is None:
        return Recalled([], 0, request.strategy, degraded)
    found, rerank = seen
    if rerank:
        found, failure = await reranked(engine, request.query, found)
        degraded = degraded or failure
    results = _within_budget(found, request.limit, request.max_tokens)
    engine.reads.note(principal, "search", [agent, *(result.told["agent"] for result in results)])
    if count_access:
        engine.usage.count(principal.workspace_id, [result.memory["id"] for result in results if result.memory])
    return Recalled(results, sum(result.tokens for result in results), request.strategy, degraded)


async def _seen(engine: Engine, asked: _Asked) -> tuple[list[Found], bool] | None:
    """What ``_look`` finds; a small search for a reader seen before goes along with others that wait."""
    trusting = asked.around.on_reader is None and not _newest(asked.request) and not engine.db.spread
    reader = engine.readers.get((asked.workspace, asked.eyes)) if trusting else None
    if reader is not None and not asked.fits(reader):
        reader = None
    prepared = _prepared(engine, asked, reader, trusting=True) if reader is not None else None
    if prepared is not None and prepared.goes_along and engine.replica is None and engine.db.searches_apart:
        work = partial(_together, engine, asked.workspace)
        rows = await engine.searches.do(searching_together.group(prepared), prepared, work)
        if rows is not None:
            assert reader is not None
            engine.readers.keep((asked.workspace, asked.eyes), reader)
            return _found(rows, {}), _reranks(asked.request, reader)
        reader = prepared = None

    async def look(connection: Connection) -> tuple[list[Found], bool] | None:
        return await _look(connection, engine, asked, reader, prepared, trusting=trusting)

    return await engine.search(asked.workspace, look)


async def _together(engine: Engine, workspace: UUID, searches: list[search.Prepared]) -> list[list[Row] | None]:
    async with engine.db.searching(workspace) as connection:
        return await searching_together.hybrid_together(connection, searches)


async def _look(
    connection: Connection,
    engine: Engine,
    asked: _Asked,
    reader: agents.Reader | None,
    prepared: search.Prepared | None,
    *,
    trusting: bool,
) -> tuple[list[Found], bool] | None:
    """What is found, as many as the later stages need, and whether it is to be reranked; None for an unknown reader.

    The ``reader`` last seen, and the search ``prepared`` for it, are taken where the search is ``trusting``: in its one
    statement it can look again whether it is. Raises Unconfirmed for a key that no statement made sure of.
    """
    workspace, request, around = asked.workspace, asked.request, asked.around
    seen_before = reader is not None
    while True:
        if around.key is not None and not trusting:
            raise Unconfirmed
        reader = reader or await agents.reader(connection, workspace, asked.eyes)
        if around.on_reader is not None:
            around.on_reader(reader)
        if reader is None or _names_the_unknown(request, reader):
            if around.key is not None:
                raise Unconfirmed
            return None
        rows: Sequence[Any] | None
        if _newest(request):
            rows = await search.recent(
                connection, workspace, reader, _filters(engine, request, reader, around.said_by),
                kinds=_kinds(request), limit=_fetched(request, reader),
            )  # fmt: skip
        else:
            how = search.hybrid_trusting if trusting else search.hybrid
            rows = await how(connection, reader, prepared or _prepared(engine, asked, reader, trusting=trusting))
        if rows is not None:
            if trusting:
                engine.readers.keep((workspace, asked.eyes), reader)
            brief = rows and "kind" in rows[0]
            others = {} if brief else await search.looked_up(connection, workspace, rows)
            return _found(rows, others), _reranks(request, reader)
        # One that has changed since it was looked up just now is not waited for, but taken as it was.
        reader, prepared, trusting, seen_before = None, None, seen_before, False


def _prepared(engine: Engine, asked: _Asked, reader: agents.Reader, *, trusting: bool) -> search.Prepared:
    """The search, which makes sure of the reader's eyes, and of the key if there is one, where it is ``trusting``."""
    request, around = asked.request, asked.around
    return search.prepared(
        asked.workspace,
        reader,
        _filters(engine, request, reader, around.said_by),
        _ranking(request, reader),
        asked.question,
        kinds=_kinds(request),
        limit=_fetched(request, reader),
        whole=around.whole,
        eyes=asked.eyes if trusting else None,
        key=around.key if trusting else None,
    )


def _kinds(request: SearchRequest) -> list[int]:
    return [search.KINDS[wanted] for wanted in dict.fromkeys(request.include)]


def _newest(request: SearchRequest) -> bool:
    """Whether there is nothing to rank by but time."""
    return request.strategy == "recent" or (not request.query.strip() and request.strategy != "semantic")


def _reranks(request: SearchRequest, reader: agents.Reader) -> bool:
    """Whether a model ranks what is found anew."""
    return reader.settings.retrieval.rerank if request.rerank is None else request.rerank


def _fetched(request: SearchRequest, reader: agents.Reader) -> int:
    """How many candidates the later stages need."""
    wanted = request.limit if request.max_tokens is None else max(request.limit, BUDGET_FETCH)
    return max(wanted, RERANKED_MAX) if _reranks(request, reader) else wanted


def _names_the_unknown(request: SearchRequest, reader: agents.Reader) -> bool:
    return (request.session is not None and reader.session_id is None) or (
        request.task is not None and reader.task_id is None
    )


def _ranking(request: SearchRequest, reader: agents.Reader) -> Ranking:
    chosen = reader.settings.retrieval
    return chosen.model_copy(update={"fusion": request.fusion}) if request.fusion else chosen


async def _query_vector(
    engine: Engine, request: SearchRequest
) -> tuple[np.ndarray[Any, Any] | None, Space | None, Degraded | None]:
    """The query's vector and its space, or why there is none although the strategy wanted one."""
    if request.strategy in ("keyword", "recent") or not request.query.strip():
        return None, None, None
    if engine.embedder is None:
        return None, None, Degraded("no embedder is configured (EMBEDDING_MODEL=none)", "keyword")
    try:
        return *await engine.embed_query(request.query), None
    except EmbeddingFailed as error:
        return None, None, Degraded(error.message, "keyword")


def _filters(engine: Engine, request: SearchRequest, reader: agents.Reader, said_by: str | None) -> search.Filters:
    return search.Filters(
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


def _found(rows: Sequence[Any], others: dict[UUID, search.Found]) -> list[Found]:
    """The ranking's rows with what they stand for, messages and documents among the ``others``, in order; what was
    deleted since they were ranked is left out."""
    if not rows:
        return []
    brief, ranked = "kind" in rows[0], "score" in rows[0]
    results: list[Found] = []
    for row in rows:
        kind: search.Kind = "memory"
        if brief:
            kind, told = row["kind"], sessions.message(row)
        elif row["id"] is not None:
            told = memories.record(row)
        elif row["found_id"] in others:
            kind, told = others[row["found_id"]]
        else:
            continue
        results.append(
            Found(
                kind=kind,
                memory=told if kind == "memory" else None,
                message=told if kind == "message" else None,
                document=told if kind == "document" else None,
                rank=len(results) + 1,
                tokens=row["tokens"] if kind == "memory" else told["tokens"],
                **(_scores(row) if ranked else {}),
            )
        )
    return results


def _scores(row: Any) -> dict[str, Any]:
    """Where each list had a result of the ranking, and why."""
    return {
        "score": row["score"],
        "keyword_rank": row["keyword_rank"],
        "semantic_rank": row["semantic_rank"],
        "keyword_score": row["keyword_score"],
        "semantic_score": row["semantic_score"],
        "boosts": {boost: value for boost, column in BOOSTS if (value := row[column])},
    }


def _within_budget(found: Sequence[Found], limit: int, max_tokens: int | None) -> list[Found]:
    """Walk the ranking: take what fits, skip what does not and go on, up to ``limit`` results."""
    if max_tokens is None:
        return list(found[:limit])
    results: list[Found] = []
    left = max_tokens
    for one in found:
        if len(results) < limit and one.tokens <= left:
            results.append(one)
            left -= one.tokens
    return results
