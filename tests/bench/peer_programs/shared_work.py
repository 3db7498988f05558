"""What the peers' programs share: the work they are given, the same static embedder, and how they answer."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DIM = 256


@dataclass(frozen=True)
class Work:
    """Texts to keep, questions to ask, and for how long."""

    url: str
    folder: str
    texts: list[str]
    queries: list[str]
    standing: int
    calls: int
    clients: int
    seconds: float

    @classmethod
    def given(cls, path: str) -> Work:
        """The work written to that file."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))


class Embedder:
    """Averaged word vectors of wordllama, as the static embedder of the service computes them, L2-normalised."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("wordllama")
        assert spec is not None
        assert spec.origin is not None
        from wordllama import WordLlama

        loaded = WordLlama.load(
            config="l2_supercat", dim=DIM, cache_dir=Path(spec.origin).parent, disable_download=True
        )
        self._weights = loaded.embedding
        self._tokenizer = loaded.tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        vectors = []
        for encoding in self._tokenizer.encode_batch(texts, add_special_tokens=False):
            vector = self._weights.take(encoding.ids, axis=0, mode="clip").sum(axis=0)
            vectors.append((vector / np.linalg.norm(vector)).tolist())
        return vectors


def percentiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p95 in milliseconds."""
    return tuple(float(value) * 1000 for value in np.percentile(seconds, (50, 95)))  # type: ignore[return-value]


def latencies(way: Callable[[int], None], calls: int) -> tuple[float, float]:
    """p50 and p95 in milliseconds of ``calls`` calls, one after the other."""
    taken = []
    for number in range(calls):
        begun = time.perf_counter()
        way(number)
        taken.append(time.perf_counter() - begun)
    return percentiles(taken)


def report(**figures: float | None) -> None:
    """The answer, as the last line of the output."""
    sys.stdout.write("\n" + json.dumps(figures) + "\n")
