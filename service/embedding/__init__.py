"""Texts to vectors: the embedders (static, local, remote), their cache, and token counting in ``tokens``."""

from service.embedding.base import (
    Embedder,
    EmbedderMisconfigured,
    EmbeddingFailed,
    EmbeddingTimedOut,
    Vectors,
)
from service.embedding.cache import CachedEmbedder
from service.embedding.sources import open_embedder

__all__ = [
    "CachedEmbedder",
    "Embedder",
    "EmbedderMisconfigured",
    "EmbeddingFailed",
    "EmbeddingTimedOut",
    "Vectors",
    "open_embedder",
]
