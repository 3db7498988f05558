"""The static embedder: averaged word vectors of wordllama, weights inside its wheel, no network.

Much weaker than a transformer, and about a thousand times faster: meant for a machine with no key and no
model on disk. Long texts cost memory in proportion to the longest one only.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from service.concurrency.transaction_guard import assert_outside_transaction
from service.embedding.base import (
    EmbedderMisconfigured,
    ThreadEmbedder,
    Vectors,
    normalised,
    replace_surrogates,
    signature_of,
)

CONFIG: Final = "l2_supercat"
DIM: Final = 256
# 2,000 characters take about 0.2 ms, no more than a hop to a thread and back.
INLINE_CHARACTERS_MAX: Final = 2_000
BATCH_MAX: Final = 64
ONE_BY_ONE_MAX: Final = 8
"""Larger batches go to threads of the tokenizer's own, for which a few texts on a busy machine would wait."""


class StaticEmbedder(ThreadEmbedder):
    """Mean of the word vectors of a text, L2-normalised; (n, 256) float32."""

    source: Final = "static"
    model: Final = f"wordllama-{CONFIG}"
    dim = DIM
    batch_max = BATCH_MAX
    signature: Final = signature_of(source, model, dim)

    def __init__(self, weights: Vectors, tokenizer: Any) -> None:
        """``weights`` is (vocabulary, 256) float32; ``tokenizer`` a ``tokenizers.Tokenizer``."""
        super().__init__("embed-static")
        tokenizer.no_padding()
        tokenizer.no_truncation()
        # A text is one word to this tokenizer, and it would keep the first 10,000: some 4 kB each, and few come again.
        tokenizer.model._resize_cache(0)
        self._weights = weights
        self._tokenizer = tokenizer

    @classmethod
    def open(cls) -> StaticEmbedder:
        """Weights and tokenizer from the wheel: about 0.5 s and 40 MB, once per process.

        Raises EmbedderMisconfigured when wordllama is not installed or its files are missing.
        """
        loaded = _loaded()
        return cls(loaded.embedding, loaded.tokenizer)

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """See Embedder.embed. A short call runs on the event loop itself, a longer one on a thread."""
        assert_outside_transaction()
        if sum(map(len, texts)) <= INLINE_CHARACTERS_MAX:
            return self._embed(texts)
        return await super().embed(texts, deadline_s)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        # A text without tokens (the empty one) counts as a space, so that it too has a direction.
        given = [replace_surrogates(text) or " " for text in texts]
        # Fast is without offsets.
        if len(given) <= ONE_BY_ONE_MAX:
            encodings = [self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0] for text in given]
        else:
            encodings = self._tokenizer.encode_batch_fast(given, add_special_tokens=False)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, encoding in enumerate(encodings):
            # Normalising follows, so the sum serves as well as the mean.
            self._weights.take(encoding.ids, axis=0, mode="clip").sum(axis=0, out=vectors[row])
        return normalised(vectors)


@contextmanager
def _preserved_root_logger() -> Iterator[None]:
    """Undo ``logging.basicConfig(level=INFO)``, which importing wordllama calls."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@cache
def _loaded() -> Any:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbedderMisconfigured("EMBEDDING_MODEL=static needs the package wordllama, which is not installed.")
    with _preserved_root_logger():
        from wordllama import WordLlama
    try:
        # Its default cache folder lacks the tokenizer, which it would then download.
        return WordLlama.load(config=CONFIG, dim=DIM, cache_dir=Path(spec.origin).parent, disable_download=True)
    except FileNotFoundError as error:
        raise EmbedderMisconfigured(f"EMBEDDING_MODEL=static: wordllama's files are missing: {error}") from error
