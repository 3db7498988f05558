"""Searching memories: embed the query, one statement, then the walk under the token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from uuid import UUID

from service.db.wal_lsn import PRIMARY_ONLY, require_lsn
from service.domain import timex
from service.domain.context import IncludeMessages
from service.domain.owners import shown_viewer, viewer_of
from service.domain.polarity import asked_stance
from service.domain.principal import CachedCredential, Principal
from service.domain.search import SearchRequest, Strategy
from service.domain.spending import paid_by
from service.domain.text_normalization import holds_letters
from service.domain.where import parse_where
from service.embedding.base import EmbeddingFailed
from service.embedding.cache import CachedEmbedder
from service.embedding.storage import storage_of
from service.errors import InvalidInput
from service.memory.access.redaction import redact_search, where_query
from service.memory.access.workspace import check_filters, get_settings
from service.memory.engine import Engine
from service.memory.search.opposites import opposites_last
from service.memory.search.reranking import reranked
from service.memory.search.search_batch import SearchOptions, SearchQuery, search, search_wordings, viewer
from service.memory.search.search_results import NO_MEMORY, STORES, Degraded, QueryCache, SearchAnswer, SearchResult
from service.memory.search.stage_timings import StageTimings
from service.memory.search.wordings import FUSED_MIN, all_wordings, fused
from service.store import agents
from service.store.search.plan import ModelChanged, Question
from service.store.vectors import Embedding, VectorSpace


async def recall(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    *,
    count_access: bool = True,
    in_session: str | None = None,
    on_task: str | None = None,
    said_by: str | None = None,
    include_messages: IncludeMessages | None = "always",
    documents: list[UUID] | None = None,
    entities: list[str] | None = None,
    for_context: bool = False,
    for_prompt: bool = False,
    on_reader: Callable[[agents.Reader | None], None] | None = None,
    key: CachedCredential | None = None,
    timings: StageTimings | None = None,
) -> SearchAnswer:
    """Search as the acting agent. An agent, session or task nobody has heard of finds nothing, and neither does a
    caller with its memory off.

    ``in_session`` and ``on_task``: what they share is found too, besides everything else; a session or task in the
    request itself is a filter. ``said_by`` leaves out messages of other users, ``include_messages`` those that a dream
    has read or all (None: as the settings of a context say), ``documents`` all other documents, ``entities`` memories
    that speak of none of them. ``for_context``, memories and messages come with what a context has to know besides.
    ``for_prompt``, as in a call for one, a request without a user or a session finds what belongs to nobody.
    ``on_reader`` is called with the reader before anything is searched, perhaps twice; ``timings`` gets how long each
    stage took. Without a working embedder the search goes on by keyword and says so. Raises InvalidInput for an empty
    time range; with a ``key``, whose principal it is then, StaleCredential and other errors mean that it has to be
    looked up.
    """
    options = SearchOptions(
        in_session,
        on_task,
        said_by,
        include_messages,
        documents,
        entities,
        for_context,
        for_prompt or principal.for_prompt,
        on_reader,
        key,
        timings,
    )
    started = perf_counter()
    request, strategy = await with_defaults(engine, principal, request)
    try:
        found = await _recall(engine, principal, request, strategy, options, count_access=count_access)
    except ModelChanged:
        if engine.refresh_active_model is None:
            raise
        await engine.refresh_active_model()
        require_lsn(PRIMARY_ONLY)
        found = await _recall(engine, principal, request, strategy, options, count_access=count_access)
    seconds, degraded = perf_counter() - started, found.degraded is not None
    engine.metrics.searches.labels(strategy, "yes" if degraded else "no").observe(seconds)
    if count_access:
        agent = principal.acting_agent(request.agent)
        engine.search_counts.note(principal.workspace_id, agent, seconds, degraded=degraded)
    return found


async def with_defaults(engine: Engine, principal: Principal, request: SearchRequest) -> tuple[SearchRequest, Strategy]:
    """A request with the workspace's settings for what it leaves open, and the strategy. Raises InvalidInput for types
    that the workspace does not have."""
    settings = await get_settings(engine, principal)
    check_filters(settings.memory_types, ("body", "types"), request.types)
    defaults = settings.retrieval
    strategy = request.strategy or defaults.strategy
    max_tokens = defaults.max_tokens if request.max_tokens is None else request.max_tokens
    return request.model_copy(update={"strategy": strategy, "max_tokens": max_tokens}), strategy


async def search_query(
    engine: Engine, principal: Principal, request: SearchRequest, options: SearchOptions
) -> tuple[SearchQuery, Degraded | None]:
    """What to look for by the query of a request, and why it has no vector although the strategy wanted one."""
    agent = principal.acting_agent(request.agent)
    reader_key = agents.ReaderKey(agent, request.session or options.in_session, request.task or options.on_task)
    where = await where_query(engine, principal, parse_where(request.where, ("body", "where")))
    question, failure = await _question(engine, principal, request)
    user = principal.acting_user(request.user)
    return SearchQuery(principal.workspace_id, reader_key, user, request, question, options, where), failure


async def _recall(
    engine: Engine,
    principal: Principal,
    request: SearchRequest,
    strategy: Strategy,
    options: SearchOptions,
    *,
    count_access: bool,
) -> SearchAnswer:
    agent = principal.acting_agent(request.agent)
    if principal.no_memory:
        read_for = viewer_of(principal.acting_user(request.user), None, "separate", prompt=options.for_prompt)
        return SearchAnswer.empty(strategy, read_for, NO_MEMORY)
    if request.since and request.until and request.since >= request.until:
        raise InvalidInput(("body", "until"), "must be later than since")
    timings = options.timings or StageTimings()
    request, limit = await redact_search(engine, principal, request), request.limit
    wordings, degraded = await all_wordings(engine, principal, request)
    for_stance = strategy != "recent" and asked_stance(wordings[0]) is not None
    if len(wordings) > 1 or for_stance:
        request = request.model_copy(update={"limit": max(request.limit, FUSED_MIN)})
    timings.end("prepare")
    queries, cache, failure = await _queries(engine, principal, request, wordings, options)
    degraded = degraded or failure
    timings.end("embed")
    if len(queries) > 1:
        several = await search_wordings(engine, queries)
        found = fused(wordings, several) if several else None
    else:
        found = await search(engine, queries[0])
    if found is None:
        return SearchAnswer.empty(strategy, viewer(queries[0], None), degraded)
    timings.end("search")
    timings.ms |= found.timings_ms
    hits = found.hits
    if for_stance:
        contents = [hit.record.content for hit in hits]
        # Of a string little is read: 7 ms for the longest fifty, too little to wait for another workspace's slice.
        parsed = sum(len(str(content)) for content in contents if not isinstance(content, str))
        hits = await engine.executor.run(opposites_last, wordings[0], hits, characters=parsed)
    if found.reranks:
        with paid_by(principal.payer(agent, found.viewer)):
            hits, failure = await reranked(engine, request.query, hits)
        degraded = degraded or failure
    timings.end("rerank")
    results = _apply_token_budget(hits, limit, request.max_tokens)
    engine.read_audit.note(principal, "search", [agent, *(result.agent for result in results)])
    if count_access:
        engine.access_counts.count(principal.workspace_id, [id_ for result in results for id_ in result.memory_ids])
    tokens = sum(result.tokens for result in results)
    by_vector = any(query.question.embedding is not None for query in queries)
    embedder = engine.embedder.signature if engine.embedder is not None and by_vector else None
    return SearchAnswer(
        results, tokens, strategy, shown_viewer(found.viewer), degraded, found.pending, found.tier, embedder,
        store="postgres" if embedder is None else STORES[storage_of(embedder)],
        cache=cache if isinstance(engine.embedder, CachedEmbedder) and by_vector else None,
    )  # fmt: skip


async def _queries(
    engine: Engine, principal: Principal, request: SearchRequest, wordings: Sequence[str], options: SearchOptions
) -> tuple[list[SearchQuery], QueryCache, Degraded | None]:
    """A query for each wording, how the embedder's cache served them, and why the first without a vector has none."""
    queries: list[SearchQuery] = []
    cache, degraded = QueryCache(0, 0), None
    for wording in wordings:
        worded = request.model_copy(update={"query": wording})
        cached = isinstance(engine.embedder, CachedEmbedder) and engine.embedder.holds(wording)
        query, failure = await search_query(engine, principal, worded, options)
        if query.question.embedding is not None:
            cache = QueryCache(cache.hits + cached, cache.misses + (not cached))
        degraded = degraded or failure
        queries.append(query)
    return queries, cache, degraded


async def _question(engine: Engine, principal: Principal, request: SearchRequest) -> tuple[Question, Degraded | None]:
    """What to look for, and why it has no vector although the strategy wanted one.

    A query of nothing but a time has no words, unless it is a date in figures, as a text may hold it.
    """
    timed = timex.parse(request.query, request.now or engine.now())
    time_only = bool(timed.windows) and not timed.text
    vector, space, degraded = (None, None, None) if time_only else await _query_vector(engine, principal, request)
    words = request.query if time_only and not holds_letters(request.query) else timed.text
    text = "" if request.strategy == "semantic" and vector is not None else words
    return Question(text=text, windows=timed.windows, space=space, embedding=vector), degraded


async def _query_vector(
    engine: Engine, principal: Principal, request: SearchRequest
) -> tuple[Embedding | None, VectorSpace | None, Degraded | None]:
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


def _apply_token_budget(found: Sequence[SearchResult], limit: int, max_tokens: int | None) -> list[SearchResult]:
    """Walk the ranking: take what fits, skip what does not and go on, up to ``limit`` results."""
    if max_tokens is None:
        return list(found[:limit])
    results: list[SearchResult] = []
    left = max_tokens
    for one in found:
        if len(results) < limit and one.tokens <= left:
            results.append(one)
            left -= one.tokens
    return results
