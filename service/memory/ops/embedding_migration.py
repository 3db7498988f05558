"""Changing the embedding model without downtime.

What settings and environment name is registered by each process at its start and whenever they change. If something
else is in use, and the change was asked for, the vectors of that model are made in the background by the worker, beside
those in use, while searches and writes go on as before. When none is missing, one statement switches, and every process
follows: at the latest within a second, and before that on the first search that notices. All of it is state in the
database, so that any process may die at any moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from service.domain.installation import EmbeddingSettings
from service.embedding.base import Embedder, EmbedderMisconfigured, EmbeddingFailed, Vectors
from service.embedding.cache import CachedEmbedder
from service.embedding.monitored import MonitoredEmbedder
from service.embedding.noise import known_noise
from service.memory.engine import Engine
from service.memory.ops.model_factory import ModelFactory
from service.store import embeddings
from service.store.embeddings import Model

log = structlog.get_logger(__name__)


class ClosedEmbedder:
    """Stands for a model in use that this process cannot open: every call fails, saying why."""

    def __init__(self, model: Model, reason: str) -> None:
        self.source, self.model = model.signature.split(":", 1)[0], model.signature
        self.dim = model.dim
        self.signature = model.signature
        self._reason = reason

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """Raises EmbeddingFailed."""
        raise EmbeddingFailed(self._reason)

    async def aclose(self) -> None:
        """Nothing to close."""


class EmbeddingMigration:
    """Keeps an engine on the model in use, and has what settings name become it; close it at the end."""

    def __init__(self, engine: Engine, factory: ModelFactory) -> None:
        self._engine = engine
        self._factory = factory
        self._wanted: EmbeddingSettings | None = None
        self._opened: dict[str, Embedder] = {}
        self._lock = asyncio.Lock()

    async def configure(self, wanted: EmbeddingSettings, *, may_change: bool) -> None:
        """Have these settings used. ``may_change``: what is stored may get vectors of another model; else it keeps
        those it has. Raises EmbedderMisconfigured and EmbeddingFailed, and then keeps to what is in use; either way
        they are not tried again."""
        former, self._wanted = self._wanted, wanted
        for embedder in self._opened.values():
            if isinstance(embedder, CachedEmbedder):
                embedder.configure(wanted.cache_size, wanted.cache_ttl_s)
        if former is None or _model_of(former) != _model_of(wanted):
            await self._register_target(wanted, may_change=may_change)
        await self.refresh_active_model()

    async def _register_target(self, wanted: EmbeddingSettings, *, may_change: bool) -> None:
        embedder, setting = await self._factory.embedder(wanted)
        if embedder is None:
            self._engine.embedder = self._engine.next_embedder = None
            return
        if isinstance(self._opened.get(embedder.signature), CachedEmbedder):
            await embedder.aclose()
        else:
            self._opened[embedder.signature] = embedder
        async with self._engine.db.unscoped() as connection:
            number = await embeddings.model_number(
                connection, embedder.signature, embedder.dim, setting, known_noise(embedder.signature)
            )
            state = await embeddings.state(connection)
            in_use = [model.number for model in (state.active, state.next_model) if model is not None]
            if may_change or not in_use or number in in_use:
                await connection.run("register_target_model", model=number, now=self._engine.now())
            elif state.active is not None:
                log.warning(
                    "embedding_model_kept",
                    in_use=state.active.signature,
                    configured=embedder.signature,
                    hint="`reverie reindex` embeds what is stored with the configured model",
                )

    async def refresh_active_model(self) -> None:
        """Take up the model in use, and have the coming one ready; nothing where the settings say ``none``."""
        if self._wanted is None or self._wanted.model == "none":
            return
        async with self._lock:
            async with self._engine.db.unscoped() as connection:
                state = await embeddings.state(connection)
            if state.active is not None:
                self._engine.use(await self._open(state.active), state.active.number)
            self._engine.next_embedder = await self._open(state.next_model) if state.next_model else None

    async def _open(self, model: Model) -> Embedder:
        assert self._wanted is not None
        if model.signature not in self._opened:
            opened: Embedder
            try:
                opened = await self._factory.embedder_of(model, self._wanted)
                if opened.signature != model.signature:
                    raise EmbedderMisconfigured(f"{model.setting} is now {opened.signature}, not {model.signature}.")
            except (EmbedderMisconfigured, EmbeddingFailed) as error:
                reason = f"The embedding model in use, {model.signature}, cannot be opened here: {error.message}"
                log.warning("embedder_not_opened", model=model.signature, error=error.message)
                closed = MonitoredEmbedder(ClosedEmbedder(model, reason))
                closed.condition.mark_failed(reason)
                opened = closed
            self._opened[model.signature] = opened
        return self._opened[model.signature]

    async def aclose(self) -> None:
        """Close every embedder."""
        for embedder in self._opened.values():
            await embedder.aclose()


def _model_of(settings: EmbeddingSettings) -> tuple[str, int | None, str]:
    return settings.model, settings.dim, settings.storage
