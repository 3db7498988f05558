"""Quantiles of histograms, against the same quantiles of the latencies themselves."""

from __future__ import annotations

import random

import pytest

from service.domain.latency import BOUNDS_MS, BUCKETS, bucket_of, quantile_ms


def histogram(latencies: list[float]) -> list[int]:
    counts = [0] * BUCKETS
    for one in latencies:
        counts[bucket_of(one)] += 1
    return counts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_quantile_is_within_a_bucket_of_the_true_one(seed: int, share: float) -> None:
    made = random.Random(seed)
    latencies = sorted(made.lognormvariate(2, 1) for _ in range(500))
    true = latencies[int(share * 500) - 1]
    found = quantile_ms(histogram(latencies), share)
    assert found is not None
    assert true / 2**0.5 <= found <= true * 2**0.5


def test_none_and_one_and_the_endless_bucket() -> None:
    assert quantile_ms([0] * BUCKETS, 0.5) is None
    assert quantile_ms([], 0.5) is None
    found = quantile_ms(histogram([3.0]), 0.95)
    assert found is not None
    assert 2.8 < found <= 4
    assert quantile_ms(histogram([10**6]), 0.5) == BOUNDS_MS[-1]


def test_a_bound_belongs_to_the_bucket_below_it() -> None:
    assert [bucket_of(bound) for bound in BOUNDS_MS] == list(range(len(BOUNDS_MS)))
    assert bucket_of(0.0) == 0
