"""Why a memory is, or is not, among the results of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service.db.pool import Connection
from service.domain.json import JsonValue
from service.domain.principal import Principal
from service.domain.ranking import Candidate, Ranked, is_relevant, rank
from service.domain.search import LIMIT_MAX, SearchRequest
from service.errors import InvalidInput, NotFound
from service.memory.access.redaction import redact_search
from service.memory.saving.lifecycle import get_memory
from service.memory.search.recall import recall, search_query, with_defaults
from service.memory.search.search_batch import Planned, plan_all, ranking_of, reranks
from service.memory.search_results import SearchAnswer, SearchOptions, SearchResult, StageTimings
from service.runtime import Runtime
from service.store.search.candidates import candidates, newest
from service.store.search.visibility import hidden_by

LISTS_MAX = 1_000
"""Candidates of each list that are looked through; ranks below that are not worked out."""

Stage = Literal[
    "returned", "filters", "candidates", "min_relevance", "duplicate", "limit", "rerank", "max_tokens", "polarity"
]


@dataclass(frozen=True, slots=True)
class NeededChange:
    """Change to the request that would bring a memory back."""

    field: Annotated[str, Field(description="Name of the field of the request.")]
    value: Annotated[JsonValue, Field(description="Value it would need; null to leave the field out.")]


@dataclass(frozen=True, slots=True)
class ExplainedScores:
    """Scores of the explained memory."""

    score: Annotated[float, Field(description="Final score, comparable within one response.")]
    keyword_score: Annotated[float | None, Field(description="BM25 score; null without a common word.")]
    semantic_score: Annotated[float | None, Field(description="Cosine similarity; null without a vector.")]
    relevance: Annotated[float | None, Field(description="Relevance from 0 to 1; null for strategy `recent`.")]
    boosts: Annotated[dict[str, float], Field(description="Boosts included in the score, by name.")]


@dataclass(frozen=True, slots=True)
class ExplainedRanks:
    """Ranks of the explained memory, starting at 1."""

    keyword: Annotated[int | None, Field(description="Rank by BM25; null outside the best 1,000.")]
    semantic: Annotated[int | None, Field(description="Rank by vector similarity; null outside the best 1,000.")]
    final: Annotated[
        int | None, Field(description="Rank among all results above the minimum relevance; null below it.")
    ]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Stage of the search at which a memory was lost, with all that was worked out until then."""

    found: Annotated[bool, Field(description="Presence of the memory among the results.")]
    stage: Annotated[
        Stage,
        Field(
            description="Last stage reached: `returned`, `filters` (hidden by a filter or its state), `candidates` "
            "(not among the best 1,000 of any list), `min_relevance` (below the minimum), `duplicate` "
            "(another result stands for it), `limit` (ranked below the limit), `rerank` (moved down by "
            "the reranker), `max_tokens` (no room in the token budget) or `polarity` (states the opposite"
            " of the query)."
        ),
    ]
    filters: Annotated[
        list[str],
        Field(
            description="Fields of the request that hide the memory, or its states: `deleted`, `superseded`, "
            "`expired`, `later` (valid only after `as_of`), `audience` (unreadable for the agent), "
            "`unindexed`. Empty at other stages."
        ),
    ]
    ranks: Annotated[ExplainedRanks | None, Field(description="Ranks of the memory; null where it was not compared.")]
    scores: Annotated[
        ExplainedScores | None, Field(description="Scores of the memory; null where it was not compared.")
    ]
    min_relevance: Annotated[float | None, Field(description="Minimum relevance in force; null at other stages.")]
    shown_as: Annotated[UUID | None, Field(description="Id of the result that stands for the memory; null for none.")]
    would_need: Annotated[
        list[NeededChange],
        Field(
            description="Changes to the request that would bring the memory back, all of them together; empty where "
            "none is known."
        ),
    ]

    @classmethod
    def at(
        cls,
        stage: Stage,
        *,
        found: bool = False,
        filters: Sequence[str] = (),
        ranks: ExplainedRanks | None = None,
        scores: ExplainedScores | None = None,
        min_relevance: float | None = None,
        shown_as: UUID | None = None,
        would_need: Sequence[NeededChange] = (),
    ) -> Explanation:
        """Return the explanation of a memory that got as far as ``stage``."""
        return cls(found, stage, list(filters), ranks, scores, min_relevance, shown_as, list(would_need))


@dataclass(frozen=True, slots=True)
class PreviewAnswer(SearchAnswer):
    """Response to a search preview."""

    timings_ms: Annotated[
        dict[str, float],
        Field(
            description="Milliseconds by stage: `prepare`, `embed`, `search` (in it `plan`, `candidates`, `rank` and "
            "`records`), `rerank`, and the `total`."
        ),
    ]
    explanation: Annotated[
        Explanation | None,
        Field(description="Explanation of `explain_id`; null without it, and where nothing was searched."),
    ]


@dataclass(frozen=True, slots=True)
class _Places:
    """Everything that was compared: with the floor of the request (``ranked``), and ``unfloored`` without it and
    without duplicates giving way."""

    ranked: Sequence[Ranked]
    unfloored: Mapping[UUID, Ranked]
    min_relevance: float | None
    floor: float


async def explained_search(
    runtime: Runtime, principal: Principal, request: SearchRequest, memory: UUID | None
) -> PreviewAnswer:
    """Search without counting access, and say what became of a memory, if one is given.

    Raises InvalidInput for a memory that the caller may not read, and for a search in several wordings, each of which
    ranks it.
    """
    if memory is not None:
        await _check(runtime, principal, request, memory)
    timings, started = StageTimings(), perf_counter()
    results = await recall(runtime, principal, request, count_access=False, timings=timings)
    timings_ms = {**timings.ms, "total": (perf_counter() - started) * 1000}
    explanation = None
    if memory is not None and not principal.no_memory:
        explanation = await explain(runtime, principal, request, memory, results)
    values = {name: getattr(results, name) for name in SearchAnswer.__dataclass_fields__}
    return PreviewAnswer(**values, timings_ms=timings_ms, explanation=explanation)


async def _check(runtime: Runtime, principal: Principal, request: SearchRequest, memory: UUID) -> None:
    if request.queries or request.expand:
        raise InvalidInput(("body", "explain_id"), "explains a search in one wording: leave out queries and expand")
    try:
        await get_memory(runtime, principal, memory, include=frozenset({"deleted", "expired"}))
    except NotFound as error:
        raise InvalidInput(("body", "explain_id"), "is no memory that you may read") from error


async def explain(
    runtime: Runtime,
    principal: Principal,
    request: SearchRequest,
    memory: UUID,
    results: SearchAnswer,
    *,
    for_prompt: bool = False,
) -> Explanation | None:
    """Return what became of a memory in a search with these results; None for an agent without any memory.

    ``for_prompt`` as in ``recall``.
    """
    shown = next((hit for hit in results.results if memory in hit.memory_ids), None)
    if shown is not None:
        return _shown(shown, memory)
    request, _ = await with_defaults(runtime, principal, await redact_search(runtime, principal, request))
    query, _ = await search_query(runtime, principal, request, SearchOptions(for_prompt=for_prompt))

    async def read(connection: Connection) -> Explanation | None:
        (planned,) = await plan_all(connection, runtime, [query])
        return None if planned is None else await _lost(connection, planned, memory, results)

    return await runtime.search(principal.workspace_id, read)


def _shown(hit: SearchResult, memory: UUID) -> Explanation:
    own = hit.memory is not None and hit.memory.id == memory
    return Explanation.at(
        "returned" if own else "duplicate",
        found=own,
        ranks=ExplainedRanks(hit.keyword_rank, hit.semantic_rank, hit.rank) if own else None,
        scores=_scores(hit) if own else None,
        shown_as=None if own else hit.record.id,
        would_need=[] if own else [NeededChange("include", ["memories"])],
    )


async def _lost(connection: Connection, planned: Planned, memory: UUID, results: SearchAnswer) -> Explanation:
    """Return where a memory was lost that is no result."""
    former = planned.former
    if memory not in former.changed:
        filters = await hidden_by(connection, planned.plan, memory)
    else:
        filters = [] if memory in former.versions else ["as_of"]
    if filters:
        fields = [name for name in filters if name in SearchRequest.model_fields]
        need = [NeededChange(name, True if name == "include_faded" else None) for name in fields if name != "include"]
        need += [NeededChange("include", ["memories"])] if "include" in fields else []
        return Explanation.at("filters", filters=filters, would_need=need)
    if planned.plan.tier == "recent":
        rows = former.and_newest(await newest(connection, planned.plan, LISTS_MAX))
        place = next((place for place, row in enumerate(rows, start=1) if row.id == memory), None)
        return _below_limit(planned, results, ExplainedRanks(None, None, place), None)
    wide = planned.plan.widened(max(planned.plan.best, LISTS_MAX))
    compared = [*await candidates(connection, wide), *former.candidates]
    return _ranked_low(planned, results, memory, _places(planned, compared))


def _places(planned: Planned, compared: Sequence[Candidate]) -> _Places:
    ranking, noise = ranking_of(planned.query.request, planned.reader), planned.reader.noise
    windows = planned.query.question.windows
    unfloored = rank(
        [one._replace(sources=None) for one in compared],
        windows,
        replace(ranking, min_relevance=0.0),
        limit=LISTS_MAX,
        noise=noise,
    )
    return _Places(
        ranked=rank(compared, windows, ranking, limit=LISTS_MAX, noise=noise),
        unfloored={one.id: one for one in unfloored},
        min_relevance=ranking.min_relevance,
        floor=noise,
    )


def _ranked_low(planned: Planned, results: SearchAnswer, memory: UUID, places: _Places) -> Explanation:
    one = places.unfloored.get(memory)
    if one is None:
        return Explanation.at("candidates")
    place = next((place for place, each in enumerate(places.ranked, start=1) if each.id == memory), None)
    ranks, scores = ExplainedRanks(one.keyword_rank, one.semantic_rank, place), _scores(one)
    if not is_relevant(one.relevance, places.min_relevance, places.floor):
        least = places.floor if places.min_relevance is None else places.min_relevance
        need = [NeededChange("min_relevance", one.relevance)]
        return Explanation.at("min_relevance", ranks=ranks, scores=scores, min_relevance=least, would_need=need)
    shown_as = next((each.id for each in places.ranked if memory in each.also), None)
    if shown_as is not None:
        need = [NeededChange("include", ["memories"])]
        return Explanation.at("duplicate", ranks=ranks, scores=scores, shown_as=shown_as, would_need=need)
    return _below_limit(planned, results, ranks, scores)


def _below_limit(
    planned: Planned, results: SearchAnswer, ranks: ExplainedRanks, scores: ExplainedScores | None
) -> Explanation:
    """Return a memory that would be a result if there were more of them."""
    request, place = planned.query.request, ranks.final
    if place is None:
        return Explanation.at("candidates", ranks=ranks, scores=scores)
    if place > request.limit:
        need = [NeededChange("limit", place)] if place <= LIMIT_MAX else []
        return Explanation.at("limit", ranks=ranks, scores=scores, would_need=need)
    if reranks(request, planned.reader):
        need = [NeededChange("rerank", False)]
        return Explanation.at("rerank", ranks=ranks, scores=scores, would_need=need)
    if request.max_tokens is not None and len(results.results) < request.limit:
        return Explanation.at("max_tokens", ranks=ranks, scores=scores, would_need=[NeededChange("max_tokens", None)])
    need = [NeededChange("limit", min(LIMIT_MAX, request.limit * 2))]
    return Explanation.at("polarity", ranks=ranks, scores=scores, would_need=need)


def _scores(one: Ranked | SearchResult) -> ExplainedScores:
    return ExplainedScores(one.score, one.keyword_score, one.semantic_score, one.relevance, dict(one.boosts))
