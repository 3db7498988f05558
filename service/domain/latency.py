"""Histograms of latency: exponential buckets, which add up over processes and days, and quantiles of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

BOUNDS_MS = tuple(round(2 ** (step / 2), 3) for step in range(31))
"""Upper bounds of the buckets in milliseconds: 1 ms to 32.8 s, each √2 times the one before; a last bucket has none."""
BUCKETS = len(BOUNDS_MS) + 1


def bucket_of(ms: float) -> int:
    """Index of the bucket that counts a latency of ``ms`` milliseconds."""
    return bisect_left(BOUNDS_MS, ms)


def quantile_ms(counts: Sequence[int], share: float) -> float | None:
    """Return the latency in milliseconds that ``share`` (0 to 1) of the counted ones do not exceed; None of none.

    Linear inside a bucket, as Prometheus' ``histogram_quantile``, so off by at most √2; in the last bucket its lower
    bound.
    """
    total = sum(counts)
    if not total:
        return None
    wanted = share * total
    index = next(n for n, reached in enumerate(accumulate(counts)) if reached >= wanted and counts[n])
    lower = BOUNDS_MS[index - 1] if index else 0.0
    if index == len(BOUNDS_MS):
        return lower
    inside = (wanted - sum(counts[:index])) / counts[index]
    return round(lower + (BOUNDS_MS[index] - lower) * inside, 3)
