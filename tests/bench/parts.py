"""What each part of the ranking is worth: recall@10 of all sets, by leaving one part out.

Ranks stored candidates (``candidates``), so a second run takes a minute. A part that also chooses candidates, as the
weight of short texts does, is left out of their ranking alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from service.domain.ranking import Ranking, rank
from service.embedding.embedder import known_noise
from service.extraction.question_times import times_of
from tests.bench.candidates import Sample, recall_at_10, sample_sets
from tests.bench.environment import Place
from tests.bench.report import Cell, console, show

DEPTH = 50
SIGNATURES = {"static": "static:wordllama-l2_supercat:256", "MiniLM": "local:all-MiniLM-L6-v2:384"}
LEFT_OUT: dict[str, dict[str, Any]] = {
    "everything": {},
    "without neighbours": {"previous_share": 0.0, "next_share": 0.0, "reply_share": 0.0},
    "without the credit for answers": {"reply_share": 0.0},
    "without sessions": {"session_boost": 0.0},
    "without dialogues": {"dialogue_boost": 0.0},
    "without times": {"time_boost": 0.0},
    "without the penalty for questions": {"question_penalty": 0.0},
    "without 1 − exp(−words/8)": {"words_saturation": 0.001, "statement_saturation": 0.001},
    "without the floor": {"min_relevance": 0.0},
    "equal RRF": {"fusion": "rrf"},
}

Order = Callable[[Sample], Sequence[UUID]]


def run(place: Place) -> None:
    """Print one table per embedder. Raises Skipped without the data."""
    sets = list(sample_sets(place))
    for embedder in dict.fromkeys(one.embedder for one in sets):
        own = [one for one in sets if one.embedder == embedder]
        rows: list[list[Cell]] = []
        for name, order in _orders(known_noise(SIGNATURES[embedder]) or 0.0).items():
            with console.status(f"{embedder}: {name}"):
                rows.append([name, *(recall_at_10(one.answered, order) for one in own)])
        show(f"recall@10, {embedder} vectors", ["", *(one.name for one in own)], rows)


def _orders(noise: float) -> dict[str, Order]:
    def ranked(ranking: Ranking) -> Order:
        def order(sample: Sample) -> list[UUID]:
            windows = times_of(sample.text, sample.now).windows
            chosen = ranking.over(sample.include)
            return [one.id for one in rank(sample.candidates, windows, chosen, limit=DEPTH, noise=noise)]

        return order

    orders = {name: ranked(Ranking(**values)) for name, values in LEFT_OUT.items()}
    return orders | {"words alone": _by_words, "vectors alone": _by_vectors}


def _by_words(sample: Sample) -> list[UUID]:
    found = [(-sum(one.weights), one.id) for one in sample.candidates if one.weights]
    return [id_ for _, id_ in sorted(found)]


def _by_vectors(sample: Sample) -> list[UUID]:
    found = [(-one.similarity, one.id) for one in sample.candidates if one.similarity is not None]
    return [id_ for _, id_ in sorted(found)]
