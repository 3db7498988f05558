"""What a ranking is worth, given the turns that answer the question, and how sure a mean is."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

RESAMPLES = 1_000
SEED = 20_240
"""Fixed, so that the same figures have the same interval."""
COVERAGE = 0.95


def of_turns(ranked: Sequence[str], evidence: Set[str], ks: Sequence[int] = (5, 10)) -> dict[str, float]:
    """recall@k for each of ``ks``, hit, all and nDCG at the largest (binary gains: Järvelin, Kekäläinen 2002), and MRR,
    of a question. ``evidence`` is not empty."""
    hits = [turn in evidence for turn in ranked]
    last = max(ks)
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits[:last]) if hit)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(last, len(evidence))))
    return {f"recall@{k}": sum(hits[:k]) / len(evidence) for k in ks} | {
        f"hit@{last}": float(any(hits[:last])),
        f"all@{last}": float(sum(hits[:last]) == len(evidence)),
        f"nDCG@{last}": gain / best,
        "MRR": next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0),
    }


def any_session(ranked: Sequence[str], answering: Set[str], first: int = 5) -> float:
    """1 when one of the ``first`` distinct sessions of a ranking holds the answer."""
    return float(any(session in answering for session in list(dict.fromkeys(ranked))[:first]))


def all_sessions(ranked: Sequence[str], answering: Set[str], first: int = 5) -> float:
    """1 when every session that answers is among the ``first`` distinct ones of a ranking."""
    return float(answering <= set(list(dict.fromkeys(ranked))[:first]))


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the average of each figure over the questions."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float
    questions: int


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of figures of questions, with the percentile bootstrap over questions (Efron 1979): 1,000
    resamples, fixed seed. ``values`` is not empty."""
    figures = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(SEED).integers(0, len(figures), (RESAMPLES, len(figures)))
    means = figures[draws].mean(axis=1)
    outside = (1 - COVERAGE) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return Estimate(float(figures.mean()), float(low), float(high), len(figures))


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` of the values lie, linearly interpolated. ``values`` is not empty."""
    return float(np.quantile(np.asarray(values, dtype=np.float64), share))
