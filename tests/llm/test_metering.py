"""Adding up usage, and budgets that are never exceeded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.spending import Usage
from service.errors import BudgetReached
from service.llm import Budget, Meter

WORST = Usage(calls=1, prompt_tokens=60, completion_tokens=40, cost_usd=0.01)


def test_usage_adds_up() -> None:
    total = Usage(1, 0, 10, 5, 0.5) + Usage(2, 1, 1, 1, 0.25)
    assert total == Usage(3, 1, 11, 6, 0.75)
    assert total.tokens == 17


def test_a_call_that_fits_exactly_is_allowed_and_the_next_is_not() -> None:
    meter = Meter(Budget(tokens_max=100))
    meter.reserve(WORST)
    meter.reconcile(WORST, WORST)
    with pytest.raises(BudgetReached, match="100"):
        meter.reserve(Usage(prompt_tokens=1))


def test_a_budget_in_dollars_counts_too() -> None:
    with pytest.raises(BudgetReached, match=r"\$0\.005"):
        Meter(Budget(cost_max_usd=0.005)).reserve(WORST)


def test_what_was_spent_before_counts() -> None:
    with pytest.raises(BudgetReached):
        Meter(Budget(tokens_max=150), spent=Usage(prompt_tokens=51)).reserve(WORST)


def test_parallel_calls_cannot_exceed_a_budget_together() -> None:
    meter = Meter(Budget(tokens_max=150))
    meter.reserve(WORST)
    with pytest.raises(BudgetReached):
        meter.reserve(WORST)
    meter.reconcile(WORST, Usage(calls=1, prompt_tokens=20))
    meter.reserve(WORST)


def test_a_parents_budget_stops_the_child_and_nothing_stays_reserved() -> None:
    day = Meter(Budget(tokens_max=150))
    dreams = [Meter(Budget(tokens_max=1_000), parent=day) for _ in range(2)]
    dreams[0].reserve(WORST)
    with pytest.raises(BudgetReached):
        dreams[1].reserve(WORST)
    dreams[0].reconcile(WORST, Usage(calls=1, failed_calls=1))
    dreams[1].reserve(WORST)
    dreams[1].reconcile(WORST, Usage(calls=1, prompt_tokens=30))
    assert day.usage == Usage(calls=2, failed_calls=1, prompt_tokens=30)
    assert dreams[0].usage == Usage(calls=1, failed_calls=1)


@given(st.integers(0, 500), st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80), st.floats(0, 1)), max_size=30))
def test_usage_never_passes_the_budget(tokens_max: int, calls: list[tuple[int, int, float]]) -> None:
    meter = Meter(Budget(tokens_max=tokens_max))
    for prompt, completion, share in calls:
        worst = Usage(1, 0, prompt, completion)
        try:
            meter.reserve(worst)
        except BudgetReached:
            assert meter.usage.tokens + worst.tokens > tokens_max
            continue
        meter.reconcile(worst, Usage(1, 0, prompt, int(completion * share)))
    assert meter.usage.tokens <= tokens_max
