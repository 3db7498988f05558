"""What a ranking is worth, given the turns that answer the question."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set


def of_turns(ranked: Sequence[str], evidence: Set[str]) -> dict[str, float]:
    """recall@5, recall@10, hit@10, all@10, MRR and nDCG@10 (binary gains: Järvelin, Kekäläinen 2002) of a question."""
    hits = [turn in evidence for turn in ranked]
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits[:10]) if hit)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(evidence))))
    return {
        "recall@5": sum(hits[:5]) / len(evidence),
        "recall@10": sum(hits[:10]) / len(evidence),
        "hit@10": float(any(hits[:10])),
        "all@10": float(sum(hits[:10]) == len(evidence)),
        "nDCG@10": gain / best,
        "MRR": next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0),
    }


def any_session(ranked: Sequence[str], answering: Set[str], first: int = 5) -> float:
    """1 when one of the ``first`` distinct sessions of a ranking holds the answer."""
    return float(any(session in answering for session in list(dict.fromkeys(ranked))[:first]))


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The average of each figure over the questions."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
