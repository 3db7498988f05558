"""The service's static embedder, for the peers: averaged word vectors of wordllama, L2-normalised."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

DIM = 256


class Embedder:
    """Texts to (n, 256) lists of numbers."""

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
            vectors.append((vector / max(float(np.linalg.norm(vector)), 1e-12)).tolist())
        return vectors
