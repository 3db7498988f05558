"""Reordering search results by a reranking model (row R9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from service.llm.errors import LLMInvalidOutput
from service.llm.transport import attempt, load_litellm

TIMEOUT_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """Place of one document in the list given, and how relevant it is; scores of two calls do not compare."""

    index: int
    score: float


class Reranker:
    """RERANK_MODEL, by litellm's name for it, such as ``cohere/rerank-v3.5`` or ``jina_ai/…``."""

    def __init__(
        self, model: str, *, api_base: str | None = None, api_key: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        """Opens nothing: litellm is imported at the first call."""
        self.model = model
        self._api_base = api_base
        self._api_key = api_key
        self._timeout_s = timeout_s

    async def rerank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        """Every document once, the most relevant first; equal scores, and those left out, keep their order.

        One attempt only: a search is waiting, and has an order already. Raises LLMUnavailable, LLMRefused,
        LLMInvalidOutput.
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
            api_base=self._api_base,
            api_key=self._api_key,
            timeout=self._timeout_s,
            max_retries=0,
        )
        response = await attempt(call, self.model, self._timeout_s)
        try:
            scores = {int(each["index"]): float(each["relevance_score"]) for each in response.results}
        except (KeyError, TypeError, ValueError) as error:
            raise LLMInvalidOutput(f"{self.model} gave no scores: {error!r}") from error
        if not scores or not all(0 <= index < len(documents) for index in scores):
            raise LLMInvalidOutput(f"{self.model} scored other documents than those given.")
        lowest = min(scores.values())
        ranked = [Ranked(index, scores.get(index, lowest)) for index in range(len(documents))]
        return sorted(ranked, key=lambda each: (each.index not in scores, -each.score, each.index))
