"""From the name of a system to the system, with what it needs running for as long as it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from reverie.evaluation.records import Lines
from reverie.evaluation.systems.base import System, SystemUnavailable
from reverie.evaluation.systems.baselines import BM25, FullContext, VectorSearch
from reverie.evaluation.systems.peer import PEERS, peer
from reverie.evaluation.systems.reverie import ReverieSystem, Way
from reverie.evaluation.systems.service_process import Running, running
from reverie_client import Reverie
from service.embedding.sources import open_embedder

WAYS: dict[str, Way] = {"reverie": "memories", "reverie-messages": "messages", "reverie-dreamed": "dreamed"}
TIMEOUT_S = 600.0
OWN_SETTINGS: dict[str, Any] = {
    "window": {"messages_max": 1000, "trim_to": 999, "tokens_max": 1_000_000, "idle_s": 31_536_000},
    "dream": {"interval_h": 8_760},
}
"""Of a service of the evaluation's own: nothing is folded or dreamed but when it is asked for."""


class Place:
    """Where systems live, for the length of the block. ``service``: a Reverie that runs already; None: one is started
    in ``folder`` when it is first needed."""

    def __init__(self, folder: Path, run: str, embedding_model: str, service: Running | None = None) -> None:
        self.folder = folder
        self.run = run
        self.embedding_model = embedding_model
        self._service = service
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def service(self) -> Running:
        """Return the Reverie that is asked. Raises SystemUnavailable where it does not start."""
        if self._service is None:
            self._service = self._stack.enter_context(running(self.folder / "service", self.embedding_model))
            with Reverie(self._service.url, self._service.key) as client:
                client.update_settings(OWN_SETTINGS)
        return self._service


@contextmanager
def opened(name: str, place: Place) -> Iterator[System]:
    """Yield a system, ready to be asked. Raises SystemUnavailable where it cannot be."""
    if name in WAYS:
        at = place.service()
        with Reverie(at.url, at.key, timeout_s=TIMEOUT_S) as client:
            yield ReverieSystem(client, WAYS[name], place.run, Lines(place.folder / name / "ingested.jsonl"))
    elif name == "bm25":
        yield BM25()
    elif name == "full-context":
        yield FullContext()
    elif name == "vectors":
        embedder = asyncio.run(open_embedder(place.embedding_model))
        if embedder is None:
            raise SystemUnavailable("there is no embedding model: none")
        yield VectorSearch(embedder)
    elif name in PEERS:
        with peer(name, place.folder) as started:
            yield started
    else:
        raise SystemUnavailable("it makes memories by a language model alone, which this command does not give it")
