"""The ambiguous band: one call that tells what the guards cannot, for pairs of similar statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog

from service.domain.json import dumps
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.dreams.prompts import ADJUDICATE, Verdicts
from worker.dreaming.checkpoints import Checkpoints
from worker.dreaming.plan import Key, Outcome, Pair

log = structlog.get_logger(__name__)

ANSWER_TOKENS_MAX = 1_500


async def adjudicate_pairs(pairs: Sequence[Pair], checkpoints: Checkpoints) -> dict[tuple[Key, Key], Outcome]:
    """The model's verdict on each pair. Where it gives none, whatever the reason, the pair stays apart."""
    verdicts: dict[tuple[Key, Key], Outcome] = {(pair.newer_key, pair.older_key): "different" for pair in pairs}
    lines = [dumps({"pair": n, "older": pair.older, "newer": pair.newer}).decode() for n, pair in enumerate(pairs, 1)]
    messages = [
        {"role": "system", "content": ADJUDICATE},
        {"role": "user", "content": "<pairs>\n" + "\n".join(lines) + "\n</pairs>"},
    ]

    async def call(llm: LLM) -> dict[str, Any]:
        answer = await llm.structured(messages, Verdicts, tokens_max=ANSWER_TOKENS_MAX)
        return answer.value.model_dump(mode="json")

    try:
        answered = Verdicts.model_validate(await checkpoints.once("settle", messages, [], call))
    except (LLMInvalidOutput, LLMUnavailable, BudgetReached) as error:
        log.warning("adjudication_skipped", pairs=len(pairs), error=error.message)
        return verdicts
    for verdict in answered.verdicts:
        if 1 <= verdict.pair <= len(pairs):
            pair = pairs[verdict.pair - 1]
            verdicts[pair.newer_key, pair.older_key] = verdict.outcome
    return verdicts
