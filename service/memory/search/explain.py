"""Why a memory is, or is not, among the results of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal
from uuid import UUID

from service.db.pool import Connection
from service.domain.principal import Principal
from service.domain.ranking import Candidate, Ranked, is_relevant, rank
from service.domain.search import LIMIT_MAX, SearchRequest
from service.errors import InvalidInput, NotFound
from service.memory.access.redaction import redact_search
from service.memory.engine import Engine
from service.memory.saving.lifecycle import get_memory
from service.memory.search.recall import recall, search_query, with_defaults
from service.memory.search.search_batch import Planned, SearchOptions, plan_all, ranking_of, reranks
from service.memory.search.search_results import SearchHit, SearchResults
from service.memory.search.stage_timings import StageTimings
from service.store.search.candidates import candidates, newest
from service.store.search.visibility import hidden_by

LISTS_MAX = 1_000
"""Candidates of each list that are looked through; ranks below that are not worked out."""

Stage = Literal[
    "returned", "filters", "candidates", "min_relevance", "duplicate", "limit", "rerank", "max_tokens", "polarity"
]


@dataclass(frozen=True, slots=True)
class Change:
    """A field of the request whose other value would bring the memory back; None takes the filter away."""

    field: str
    value: Any


@dataclass(frozen=True, slots=True)
class Scores:
    """What a memory is ranked by."""

    score: float
    keyword_score: float | None
    semantic_score: float | None
    relevance: float | None
    boosts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places from 1: in the list by words, in that by vectors, and among all that pass the floor."""

    keyword: int | None
    semantic: int | None
    final: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The stage of a search at which a memory was lost, and what was worked out about it until then.

    ``filters`` names the fields of the request or the states of the memory that hide it, ``shown_as`` the result that
    stands for it.
    """

    found: bool
    stage: Stage
    filters: Sequence[str] = ()
    ranks: Ranks | None = None
    scores: Scores | None = None
    min_relevance: float | None = None
    shown_as: UUID | None = None
    would_need: Sequence[Change] = ()


@dataclass(frozen=True, slots=True)
class ExplainedResults(SearchResults):
    """The answer to a search, with milliseconds by stage, and what became of one memory; None where nothing was
    searched."""

    timings_ms: Mapping[str, float] = field(default_factory=dict)
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class _Places:
    """Everything that was compared: with the floor of the request (``ranked``), and ``unfloored`` without it and
    without duplicates giving way."""

    ranked: Sequence[Ranked]
    unfloored: Mapping[UUID, Ranked]
    min_relevance: float | None
    floor: float


async def explained_search(
    engine: Engine, principal: Principal, request: SearchRequest, memory: UUID | None
) -> ExplainedResults:
    """Search without counting access, and say what became of a memory, if one is given.

    Raises InvalidInput for a memory that the caller may not read, and for a search in several wordings, each of which
    ranks it.
    """
    if memory is not None:
        await _check(engine, principal, request, memory)
    timings, started = StageTimings(), perf_counter()
    results = await recall(engine, principal, request, count_access=False, timings=timings)
    timings_ms = {**timings.ms, "total": (perf_counter() - started) * 1000}
    explanation = None
    if memory is not None and not principal.no_memory:
        explanation = await explain(engine, principal, request, memory, results)
    values = {name: getattr(results, name) for name in SearchResults.__dataclass_fields__}
    return ExplainedResults(**values, timings_ms=timings_ms, explanation=explanation)


async def _check(engine: Engine, principal: Principal, request: SearchRequest, memory: UUID) -> None:
    if request.queries or request.expand:
        raise InvalidInput(("body", "explain_id"), "explains a search in one wording: leave out queries and expand")
    try:
        await get_memory(engine, principal, memory, include=frozenset({"deleted", "expired"}))
    except NotFound as error:
        raise InvalidInput(("body", "explain_id"), "is no memory that you may read") from error


async def explain(
    engine: Engine, principal: Principal, request: SearchRequest, memory: UUID, results: SearchResults
) -> Explanation | None:
    """What became of a memory in a search with these results; None for an agent without any memory."""
    shown = next((hit for hit in results.results if memory in hit.memory_ids), None)
    if shown is not None:
        return _shown(shown, memory)
    request, _ = await with_defaults(engine, principal, await redact_search(engine, principal, request))
    query, _ = await search_query(engine, principal, request, SearchOptions())

    async def read(connection: Connection) -> Explanation | None:
        (planned,) = await plan_all(connection, engine, [query])
        return None if planned is None else await _lost(connection, planned, memory, results)

    return await engine.search(principal.workspace_id, read)


def _shown(hit: SearchHit, memory: UUID) -> Explanation:
    own = hit.memory is not None and hit.memory["id"] == memory
    return Explanation(
        found=own,
        stage="returned" if own else "duplicate",
        ranks=Ranks(hit.keyword_rank, hit.semantic_rank, hit.rank) if own else None,
        scores=_scores(hit) if own else None,
        shown_as=None if own else hit.payload["id"],
        would_need=[] if own else [Change("include", ["memories"])],
    )


async def _lost(connection: Connection, planned: Planned, memory: UUID, results: SearchResults) -> Explanation:
    """Where a memory was lost that is no result."""
    former = planned.former
    if memory not in former.changed:
        filters = await hidden_by(connection, planned.plan, memory)
    else:
        filters = [] if memory in former.versions else ["as_of"]
    if filters:
        fields = [name for name in filters if name in SearchRequest.model_fields]
        need = [Change(name, True if name == "include_faded" else None) for name in fields if name != "include"]
        need += [Change("include", ["memories"])] if "include" in fields else []
        return Explanation(found=False, stage="filters", filters=filters, would_need=need)
    if planned.plan.strategy == "recent":
        rows = former.and_newest(await newest(connection, planned.plan, LISTS_MAX))
        place = next((place for place, row in enumerate(rows, start=1) if row.id == memory), None)
        return _below_limit(planned, results, Ranks(None, None, place), None)
    wide = planned.plan.widened(max(planned.plan.best, LISTS_MAX))
    compared = [*await candidates(connection, wide), *former.candidates]
    return _ranked_low(planned, results, memory, _places(planned, compared))


def _places(planned: Planned, compared: Sequence[Candidate]) -> _Places:
    ranking, noise = ranking_of(planned.query.request, planned.reader), planned.reader.noise
    windows = planned.query.question.windows
    unfloored = rank(
        [one._replace(sources=None) for one in compared],
        windows,
        ranking.model_copy(update={"min_relevance": 0.0}),
        limit=LISTS_MAX,
        noise=noise,
    )
    return _Places(
        ranked=rank(compared, windows, ranking, limit=LISTS_MAX, noise=noise),
        unfloored={one.id: one for one in unfloored},
        min_relevance=ranking.min_relevance,
        floor=noise,
    )


def _ranked_low(planned: Planned, results: SearchResults, memory: UUID, places: _Places) -> Explanation:
    one = places.unfloored.get(memory)
    if one is None:
        return Explanation(found=False, stage="candidates")
    place = next((place for place, each in enumerate(places.ranked, start=1) if each.id == memory), None)
    ranks, scores = Ranks(one.keyword_rank, one.semantic_rank, place), _scores(one)
    if not is_relevant(one.relevance, places.min_relevance, places.floor):
        least = places.floor if places.min_relevance is None else places.min_relevance
        need = [Change("min_relevance", one.relevance)]
        return Explanation(
            found=False, stage="min_relevance", ranks=ranks, scores=scores, min_relevance=least, would_need=need
        )
    shown_as = next((each.id for each in places.ranked if memory in each.also), None)
    if shown_as is not None:
        need = [Change("include", ["memories"])]
        return Explanation(
            found=False, stage="duplicate", ranks=ranks, scores=scores, shown_as=shown_as, would_need=need
        )
    return _below_limit(planned, results, ranks, scores)


def _below_limit(planned: Planned, results: SearchResults, ranks: Ranks, scores: Scores | None) -> Explanation:
    """A memory that would be a result if there were more of them."""
    request, place = planned.query.request, ranks.final
    if place is None:
        return Explanation(found=False, stage="candidates", ranks=ranks, scores=scores)
    if place > request.limit:
        need = [Change("limit", place)] if place <= LIMIT_MAX else []
        return Explanation(found=False, stage="limit", ranks=ranks, scores=scores, would_need=need)
    if reranks(request, planned.reader):
        need = [Change("rerank", False)]
        return Explanation(found=False, stage="rerank", ranks=ranks, scores=scores, would_need=need)
    if request.max_tokens is not None and len(results.results) < request.limit:
        return Explanation(
            found=False, stage="max_tokens", ranks=ranks, scores=scores, would_need=[Change("max_tokens", None)]
        )
    need = [Change("limit", min(LIMIT_MAX, request.limit * 2))]
    return Explanation(found=False, stage="polarity", ranks=ranks, scores=scores, would_need=need)


def _scores(one: Ranked | SearchHit) -> Scores:
    return Scores(one.score, one.keyword_score, one.semantic_score, one.relevance, one.boosts)
