"""Which answers of a decision model are a distribution over the outcomes, and which of them are verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.dream_settings import DreamChoices
from service.domain.verdicts import OUTCOMES, PairVerdict, is_decided, likeliest

EVEN = dict.fromkeys(OUTCOMES, 0.25)


def test_the_likeliest_outcome() -> None:
    answered = {"duplicate": 0.05, "update": 0.9, "contradiction": 0.05, "different": 0}
    assert likeliest(answered) == PairVerdict("update", 0.9)
    assert likeliest(EVEN) == PairVerdict("duplicate", 0.25)


@pytest.mark.parametrize(
    "answered",
    [
        None, {}, {"duplicate": 1.0}, EVEN | {"more": 0.0}, EVEN | {"update": 0.5}, EVEN | {"update": float("nan")},
        EVEN | {"update": float("inf")}, EVEN | {"update": True}, EVEN | {"update": None}, EVEN | {"update": "0.25"},
        {"duplicate": 2.0, "update": -1.0, "contradiction": 0.0, "different": 0.0},
    ],
)  # fmt: skip
def test_what_is_no_distribution(answered: dict[str, Any] | None) -> None:
    assert likeliest(answered) is None


def test_each_outcome_has_its_threshold() -> None:
    choices = DreamChoices(merge_at=0.9, replace_at=0.8, distinct_at=0.7)
    for outcome, at in (("duplicate", 0.9), ("update", 0.8), ("contradiction", 0.8), ("different", 0.7)):
        assert is_decided(PairVerdict(outcome, at), choices)  # type: ignore[arg-type]
        assert not is_decided(PairVerdict(outcome, at - 0.01), choices)  # type: ignore[arg-type]
    assert not is_decided(PairVerdict("duplicate"), choices)
