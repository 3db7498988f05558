"""What one statement is to an older one, as a decision model answers it: with a probability for each possibility."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from service.domain.dream_settings import DreamChoices

Outcome = Literal["duplicate", "update", "contradiction", "different"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
SUM_TOLERANCE: Final = 0.02
ASKED_FROM: Final = 0.8
"""From this similarity on, a model is asked about two statements that the guards cannot tell apart."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The likeliest outcome and its probability; one of a language model has none."""

    outcome: Outcome
    probability: float | None = None

    def __str__(self) -> str:
        return self.outcome if self.probability is None else f"{self.outcome}, probability {self.probability:.3f}"


def likeliest(answered: Mapping[str, object] | None) -> PairVerdict | None:
    """Return the likeliest outcome of an answer; None for a refusal and for what is no distribution over the
    outcomes."""
    if answered is None or set(answered) != set(OUTCOMES):
        return None
    found: dict[Outcome, float] = {}
    for outcome in OUTCOMES:
        value = answered[outcome]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            return None
        found[outcome] = float(value)
    if not math.isclose(sum(found.values()), 1, abs_tol=SUM_TOLERANCE):
        return None
    best = max(OUTCOMES, key=lambda outcome: found[outcome])
    return PairVerdict(best, found[best])


def is_decided(verdict: PairVerdict, choices: DreamChoices) -> bool:
    """Return whether a verdict is sure enough to go by."""
    at = {
        "duplicate": choices.merge_at, "update": choices.replace_at, "contradiction": choices.replace_at,
        "different": choices.distinct_at,
    }  # fmt: skip
    return verdict.probability is not None and verdict.probability >= at[verdict.outcome]
