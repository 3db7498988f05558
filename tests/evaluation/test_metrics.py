"""Figures of rankings, by hand, and intervals of means."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from reverie.evaluation import metrics

RANKED = ["a", "x", "b", "y", "z", "c"]


def test_figures_of_a_ranking() -> None:
    found = metrics.of_turns(RANKED, {"a", "b", "c", "d"}, (2, 5))
    assert found["recall@2"] == 1 / 4
    assert found["recall@5"] == 2 / 4
    assert (found["hit@5"], found["all@5"], found["MRR"]) == (1, 0, 1)
    best = sum(1 / math.log2(rank + 2) for rank in range(4))
    assert found["nDCG@5"] == (1 + 1 / math.log2(4)) / best


def test_nothing_found_is_worth_nothing() -> None:
    assert set(metrics.of_turns([], {"a"}).values()) == {0}


def test_sessions_count_once() -> None:
    ranked = ["s1", "s1", "s2", "s3", "s1", "s4"]
    assert metrics.any_session(ranked, {"s3", "s9"}, 3) == 1
    assert metrics.any_session(ranked, {"s4"}, 3) == 0
    assert metrics.all_sessions(ranked, {"s2", "s3"}, 3) == 1
    assert metrics.all_sessions(ranked, {"s2", "s4"}, 3) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_an_interval_holds_its_mean_and_is_the_same_again(values: list[float]) -> None:
    one = metrics.estimate(values)
    assert min(values) - 1e-9 <= one.low <= one.high <= max(values) + 1e-9
    assert one == metrics.estimate(values)


def test_an_interval_narrows_with_more_questions() -> None:
    few, many = metrics.estimate([0, 1] * 5), metrics.estimate([0, 1] * 500)
    assert many.high - many.low < (few.high - few.low) / 5
