"""The ambiguous band: what tells the pairs apart that the guards cannot. A decision model where one is named, which
answers with probabilities; the language model for those that it is not sure of. Neither is asked about a pair twice, in
later dreams either: what it answered is kept by the two texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from service.domain.dream_settings import DreamChoices
from service.domain.json import JsonObject
from service.domain.verdicts import Outcome, PairVerdict, is_decided, likeliest
from service.llm import LLM
from service.memory.prompts import ADJUDICATE, DECIDE, Verdicts, listed_pairs, pair_question
from worker.dreaming.checkpoints import NO_ANSWER, Checkpoints
from worker.dreaming.plan import Key, Pair

log = structlog.get_logger(__name__)

ANSWER_TOKENS_MAX = 1_500

Question = list[str]


@dataclass(slots=True)
class Judged:
    """The verdicts on pairs, and how many of them the decision model decided, left between the thresholds, or gave no
    usable answer for; and how many were ``remembered`` from earlier dreams."""

    verdicts: dict[tuple[Key, Key], PairVerdict] = field(default_factory=dict)
    decisions: Counter[str] = field(default_factory=Counter)


async def judge_pairs(pairs: Sequence[Pair], checkpoints: Checkpoints, choices: DreamChoices) -> Judged:
    """Return the verdict on each pair; none where nobody gives one, and the pair stays apart."""
    judged = Judged()
    left = list(pairs)
    if checkpoints.model("decide") is not None:
        left = await _decide(pairs, checkpoints, choices, judged)
    if left and checkpoints.model("settle") is not None:
        judged.verdicts |= await _adjudicate(left, checkpoints, judged)
    return judged


async def _decide(pairs: Sequence[Pair], checkpoints: Checkpoints, choices: DreamChoices, judged: Judged) -> list[Pair]:
    """Note what the decision model is sure of; the pairs that are left."""
    known = await checkpoints.remembered("decide", [_question(DECIDE, pair) for pair in pairs])
    asked = [pair for pair, one in zip(pairs, known, strict=True) if one is None]
    fresh = iter(await _probabilities(asked, checkpoints) if asked else [])
    left: list[Pair] = []
    for pair, one in zip(pairs, known, strict=True):
        verdict = likeliest(next(fresh) if one is None else one["answered"])
        if verdict is not None and is_decided(verdict, choices):
            judged.verdicts[pair.newer_key, pair.older_key] = verdict
            judged.decisions["decided"] += 1
            if one is not None:
                judged.decisions["remembered"] += 1
        else:
            judged.decisions["unusable" if verdict is None else "between"] += 1
            left.append(pair)
    return left


async def _probabilities(pairs: Sequence[Pair], checkpoints: Checkpoints) -> list[Mapping[str, object] | None]:
    """Return what the decision model answers about each pair, in one call; None for what is of no use."""
    text = _listed(pairs)
    questions = [pair_question(number) for number in range(1, len(pairs) + 1)]

    async def call(llm: LLM) -> JsonObject:
        answers = await llm.decide(text, questions)
        return {"answers": [answered if likeliest(answered) is not None else None for answered in answers]}

    try:
        answers = (await checkpoints.once("decide", [text, questions], [], call))["answers"]
    except NO_ANSWER as error:
        log.warning("decisions_skipped", pairs=len(pairs), error=error.message)
        return [None] * len(pairs)
    usable = [(pair, answered) for pair, answered in zip(pairs, answers, strict=True) if answered is not None]
    await checkpoints.remember(
        "decide", [(_question(DECIDE, pair), {"answered": answered}) for pair, answered in usable]
    )
    return list(answers)


async def _adjudicate(
    pairs: Sequence[Pair], checkpoints: Checkpoints, judged: Judged
) -> dict[tuple[Key, Key], PairVerdict]:
    """Return the language model's verdicts. Where it gives none, whatever the reason, the pair stays apart."""
    verdicts = {(pair.newer_key, pair.older_key): PairVerdict("different") for pair in pairs}
    asked: list[Pair] = []
    known = await checkpoints.remembered("settle", [_question(ADJUDICATE, pair) for pair in pairs])
    for pair, one in zip(pairs, known, strict=True):
        if one is None:
            asked.append(pair)
        else:
            verdicts[pair.newer_key, pair.older_key] = PairVerdict(one["outcome"])
            judged.decisions["remembered"] += 1
    settled = await _settled(asked, checkpoints) if asked else []
    return verdicts | {(pair.newer_key, pair.older_key): PairVerdict(outcome) for pair, outcome in settled}


async def _settled(pairs: Sequence[Pair], checkpoints: Checkpoints) -> list[tuple[Pair, Outcome]]:
    """Return the pairs that the language model gives a verdict on, in one call, and each verdict."""
    messages = [
        {"role": "system", "content": ADJUDICATE},
        {"role": "user", "content": f"<pairs>\n{_listed(pairs)}\n</pairs>"},
    ]
    try:
        answered = await checkpoints.structured("settle", messages, Verdicts, tokens_max=ANSWER_TOKENS_MAX)
    except NO_ANSWER as error:
        log.warning("adjudication_skipped", pairs=len(pairs), error=error.message)
        return []
    outcomes = {one.pair - 1: one.outcome for one in answered.verdicts if 1 <= one.pair <= len(pairs)}
    settled = [(pairs[place], outcome) for place, outcome in outcomes.items()]
    await checkpoints.remember(
        "settle", [(_question(ADJUDICATE, pair), {"outcome": outcome}) for pair, outcome in settled]
    )
    return settled


def _question(instructions: str, pair: Pair) -> Question:
    """Return what a verdict on a pair is kept by, beside the model."""
    return [instructions, pair.older, pair.newer]


def _listed(pairs: Sequence[Pair]) -> str:
    return listed_pairs((pair.older, pair.newer) for pair in pairs)
