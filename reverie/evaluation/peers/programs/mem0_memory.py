"""mem0's memory on pgvector, with the static embedder in place of a remote one."""

from __future__ import annotations

from typing import Any

from mem0 import Memory
from static_embedder import DIM, Embedder


class Embedding:
    """The embedder, as mem0 calls it."""

    def __init__(self) -> None:
        self._embedder = Embedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._embedder([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return self._embedder(texts)


def open_memory(url: str, folder: str, connections: int) -> Any:
    """Return a memory on the database of that URL; its history is a file in ``folder``."""
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "pgvector",
                "config": {
                    "connection_string": url,
                    "embedding_model_dims": DIM,
                    "collection_name": "bench",
                    "minconn": connections,
                    "maxconn": connections,
                },
            },
            "embedder": {"provider": "openai", "config": {"api_key": "none is called"}},
            "llm": {"provider": "openai", "config": {"api_key": "none is called"}},
            "history_db_path": f"{folder}/mem0-history.db",
        }
    )
    memory.embedding_model = Embedding()
    return memory
