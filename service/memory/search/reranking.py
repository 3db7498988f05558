"""The optional last stage of a search: a model that reads each candidate with the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import structlog

from service.domain.message_text import plain_text
from service.llm import BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.engine import Engine
from service.memory.search.search_results import Degraded, SearchResult

log = structlog.get_logger(__name__)

RERANKED_MAX = 50
KEPT_ORDER = "the order without reranking"


async def reranked(
    engine: Engine, query: str, found: Sequence[SearchResult]
) -> tuple[list[SearchResult], Degraded | None]:
    """The best ``RERANKED_MAX`` in the order the reranker gives them, the rest after them as they were.

    Where there is no reranker, it fails, or the budget does not allow it, the order stays and the answer says why.
    """
    if engine.reranker is None:
        return list(found), Degraded("no reranker is configured (RERANK_MODEL)", KEPT_ORDER)
    best, rest = found[:RERANKED_MAX], found[RERANKED_MAX:]
    if not best or not query.strip():
        return list(found), None
    try:
        order = await engine.reranker.rerank(query, [plain_text(one.record.content) or "-" for one in best])
    except BudgetReached as error:
        return list(found), Degraded(error.message, KEPT_ORDER)
    except (LLMUnavailable, LLMInvalidOutput) as error:
        log.warning("rerank_failed", error=type(error).__name__)
        return list(found), Degraded(f"reranking failed: {error.message}", KEPT_ORDER)
    ahead = [replace(best[each.index], rerank_score=each.score) for each in order]
    return [replace(one, rank=rank) for rank, one in enumerate([*ahead, *rest], start=1)], None
