"""The ambiguous band: what tells the pairs apart that the guards cannot. A decision model where one is named, which
answers with probabilities; the language model for those that it is not sure of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from service.domain.verdicts import PairVerdict, Thresholds, is_decided, likeliest
from service.llm import LLM, BudgetReached, LLMInvalidOutput, LLMUnavailable
from service.memory.dreams.prompts import ADJUDICATE, Verdicts, listed_pairs, pair_question
from worker.dreaming.checkpoints import Checkpoints
from worker.dreaming.plan import Key, Pair

log = structlog.get_logger(__name__)

ANSWER_TOKENS_MAX = 1_500

_FAILURES = (LLMInvalidOutput, LLMUnavailable, BudgetReached)


@dataclass(slots=True)
class Judged:
    """The verdicts on pairs, and how many of them the decision model decided, left between the thresholds, or gave no
    usable answer for."""

    verdicts: dict[tuple[Key, Key], PairVerdict] = field(default_factory=dict)
    decisions: Counter[str] = field(default_factory=Counter)


async def judge_pairs(pairs: Sequence[Pair], checkpoints: Checkpoints, thresholds: Thresholds) -> Judged:
    """The verdict on each pair; none where nobody gives one, and the pair stays apart."""
    judged = Judged()
    left = list(pairs)
    if checkpoints.model("decide") is not None:
        left = await _decide(pairs, checkpoints, thresholds, judged)
    if left and checkpoints.model("settle") is not None:
        judged.verdicts |= await _adjudicate(left, checkpoints)
    return judged


async def _decide(
    pairs: Sequence[Pair], checkpoints: Checkpoints, thresholds: Thresholds, judged: Judged
) -> list[Pair]:
    """Note what the decision model is sure of; the pairs that are left."""
    text = _listed(pairs)
    questions = [pair_question(number) for number in range(1, len(pairs) + 1)]

    async def call(llm: LLM) -> dict[str, Any]:
        answers = await llm.decide(text, questions)
        return {"answers": [answered if likeliest(answered) is not None else None for answered in answers]}

    try:
        answers = (await checkpoints.once("decide", [text, questions], [], call))["answers"]
    except _FAILURES as error:
        log.warning("decisions_skipped", pairs=len(pairs), error=error.message)
        answers = [None] * len(pairs)
    left: list[Pair] = []
    for pair, answered in zip(pairs, answers, strict=True):
        verdict = likeliest(answered)
        if verdict is not None and is_decided(verdict, thresholds):
            judged.verdicts[pair.newer_key, pair.older_key] = verdict
            judged.decisions["decided"] += 1
        else:
            judged.decisions["unusable" if verdict is None else "between"] += 1
            left.append(pair)
    return left


async def _adjudicate(pairs: Sequence[Pair], checkpoints: Checkpoints) -> dict[tuple[Key, Key], PairVerdict]:
    """The language model's verdicts, in one call. Where it gives none, whatever the reason, the pair stays apart."""
    verdicts = {(pair.newer_key, pair.older_key): PairVerdict("different") for pair in pairs}
    messages = [
        {"role": "system", "content": ADJUDICATE},
        {"role": "user", "content": f"<pairs>\n{_listed(pairs)}\n</pairs>"},
    ]

    async def call(llm: LLM) -> dict[str, Any]:
        answer = await llm.structured(messages, Verdicts, tokens_max=ANSWER_TOKENS_MAX)
        return answer.value.model_dump(mode="json")

    try:
        answered = Verdicts.model_validate(await checkpoints.once("settle", messages, [], call))
    except _FAILURES as error:
        log.warning("adjudication_skipped", pairs=len(pairs), error=error.message)
        return verdicts
    for verdict in answered.verdicts:
        if 1 <= verdict.pair <= len(pairs):
            pair = pairs[verdict.pair - 1]
            verdicts[pair.newer_key, pair.older_key] = PairVerdict(verdict.outcome)
    return verdicts


def _listed(pairs: Sequence[Pair]) -> str:
    return listed_pairs((pair.older, pair.newer) for pair in pairs)
