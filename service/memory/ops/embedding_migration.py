"""Changing the embedding model without downtime.

What a process is configured with is declared at its start. If something else is in use, the vectors of the configured
model are made in the background by the worker, beside those in use, while searches and writes go on as before. When
none is missing, one statement switches, and every process follows: at the latest within a second, and before that on
the first search that notices. All of it is state in the database, so that any process may die at any moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from service.embedding.base import Embedder, EmbedderMisconfigured, EmbeddingFailed, Vectors
from service.embedding.monitored import MonitoredEmbedder
from service.embedding.noise import known_noise
from service.errors import Unavailable
from service.memory.engine import Engine
from service.store import embeddings
from service.store.embeddings import Model

log = structlog.get_logger(__name__)

REFRESH_INTERVAL_S = 1.0

Opener = Callable[[Model], Awaitable[Embedder]]


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
    """Keeps an engine on the model in use: as a context it looks every second, and closes what it opened."""

    def __init__(self, engine: Engine, setting: str, opener: Opener, *, may_change: bool) -> None:
        """``setting`` opens the embedder the engine was made with; ``opener`` opens any model.

        ``may_change``: what is stored may get vectors of the configured model; else it keeps those it has.
        """
        self._engine = engine
        self._setting = setting
        self._opener = opener
        self._may_change = may_change
        self._opened: dict[str, Embedder] = {}
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def register_target(self) -> None:
        """Say what this process is configured with, if what is stored may change to it, and take up what is in use."""
        embedder = self._engine.embedder
        if embedder is None:
            return
        self._opened[embedder.signature] = embedder
        async with self._engine.db.unscoped() as connection:
            number = await embeddings.model_number(
                connection, embedder.signature, embedder.dim, self._setting, known_noise(embedder.signature)
            )
            state = await embeddings.state(connection)
            in_use = [model.number for model in (state.active, state.next_model) if model is not None]
            if self._may_change or not in_use or number in in_use:
                await embeddings.register_target(connection, number, self._engine.now())
            elif state.active is not None:
                log.warning(
                    "embedding_model_kept",
                    in_use=state.active.signature,
                    configured=embedder.signature,
                    hint="`reverie reindex` embeds what is stored with the configured model",
                )
        await self.refresh_active_model()

    async def refresh_active_model(self) -> None:
        """Take up the model in use, and have the coming one ready."""
        if not self._opened:
            return
        async with self._lock:
            async with self._engine.db.unscoped() as connection:
                state = await embeddings.state(connection)
            if state.active is not None:
                self._engine.use(await self._open(state.active), state.active.number)
            self._engine.next_embedder = await self._open(state.next_model) if state.next_model else None

    async def _open(self, model: Model) -> Embedder:
        if model.signature not in self._opened:
            try:
                opened = await self._opener(model)
                if opened.signature != model.signature:
                    raise EmbedderMisconfigured(f"{model.setting} is now {opened.signature}, not {model.signature}.")
            except (EmbedderMisconfigured, EmbeddingFailed) as error:
                reason = f"The embedding model in use, {model.signature}, cannot be opened here: {error.message}"
                log.warning("embedder_not_opened", model=model.signature, error=error.message)
                opened = MonitoredEmbedder(ClosedEmbedder(model, reason))
                opened.condition.mark_failed(reason)
            self._opened[model.signature] = opened
        return self._opened[model.signature]

    async def __aenter__(self) -> EmbeddingMigration:
        await self.register_target()
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for embedder in self._opened.values():
            await embedder.aclose()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_INTERVAL_S)
            try:
                await self.refresh_active_model()
            except Unavailable:
                continue
            except Exception:
                log.exception("model_refresh_failed")
