"""Reordering search results by a reranking model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.domain.spending import FAILED, UNRECORDED, Ledger
from service.llm.errors import LLMInvalidOutput, LLMUnavailable
from service.llm.exchanges import exchange_of
from service.llm.transport import REQUEST_TIMEOUT, call_once
from service.provider.library import load_litellm
from service.provider.prices import estimated_tokens, reported, usage_of

TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """Place of one document in the list given, and how relevant it is; scores of two calls do not compare."""

    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Reranker:
    """RERANK_MODEL, by litellm's name for it, such as ``cohere/rerank-v3.5`` or ``jina_ai/…``. ``ledger``: where each
    call is recorded. Opens nothing: litellm is imported at the first call."""

    model: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S
    ledger: Ledger = UNRECORDED

    async def rerank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        """Every document once, the most relevant first; equal scores, and those left out, keep their order.

        One attempt only: a search is waiting, and has an order already. Raises LLMUnavailable, LLMRefused,
        LLMInvalidOutput, BudgetReached.
        """
        if not documents:
            return []
        litellm = await load_litellm()
        call = partial(
            litellm.arerank,
            model=self.model,
            query=query,
            documents=list(documents),
            return_documents=False,
            api_base=self.api_base,
            api_key=self.api_key,
            timeout=self.timeout_s,
            max_retries=0,
        )
        tokens = estimated_tokens([query, *documents])
        charge = await self.ledger.reserve("rerank", self.model, usage_of(self.model, tokens))
        used = usage_of(self.model, tokens, failed=True)
        answered, failure = "", None
        try:
            response = await call_once(call, self.model, self.timeout_s, self.api_base, self.api_key)
            used = usage_of(self.model, _billed_tokens(response, tokens))
            answered = str(response.results)
        except BaseException as error:
            failure = error
            if isinstance(error, LLMUnavailable) and error.status != REQUEST_TIMEOUT:
                used = FAILED
            raise
        finally:
            asked = [{"role": "query", "content": query}, *({"role": "document", "content": one} for one in documents)]
            charge.settle(used, partial(exchange_of, asked, answered, failure))
        try:
            scores = {int(each["index"]): float(each["relevance_score"]) for each in response.results}
        except (KeyError, TypeError, ValueError) as error:
            raise LLMInvalidOutput(f"{self.model} gave no scores: {error!r}") from error
        if not scores or not all(0 <= index < len(documents) for index in scores):
            raise LLMInvalidOutput(f"{self.model} scored other documents than those given.")
        lowest = min(scores.values())
        ranked = [Ranked(index, scores.get(index, lowest)) for index in range(len(documents))]
        return sorted(ranked, key=lambda each: (each.index not in scores, -each.score, each.index))


def _billed_tokens(response: Any, estimated: int) -> int:
    """The tokens the provider reports; the estimate where it bills searches instead of tokens."""
    meta = getattr(response, "meta", None) or {}
    usage = meta.get("tokens") or meta.get("billed_units") or {}
    return reported(usage.get("input_tokens") or usage.get("total_tokens"), estimated)
