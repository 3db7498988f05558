"""The models that settings name, followed by every process and changed by admins of the installation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack

import structlog

from service.domain.installation import EmbeddingSettings, InstallationSettings
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.embedding.base import EmbedderMisconfigured, EmbeddingFailed
from service.errors import Unavailable
from service.memory.engine import Engine
from service.memory.ops.embedding_migration import EmbeddingMigration
from service.store import installation

log = structlog.get_logger(__name__)

REFRESH_INTERVAL_S = 1.0


async def model_settings(engine: Engine) -> InstallationSettings:
    """What is in effect in this process."""
    async with engine.db.unscoped() as connection:
        stored = await installation.installation_settings(connection)
    return stored.in_effect(engine.environment)


async def changed_model_settings(
    engine: Engine, principal: Principal, changes: Mapping[str, JsonObject]
) -> InstallationSettings | None:
    """What is to be stored for these changes; None where they change nothing. The models are tried first.

    Raises Forbidden for anybody but an admin of the installation, InvalidInput where a model cannot be used.
    """
    principal.require_installation_admin()
    async with engine.db.unscoped() as connection:
        stored = await installation.installation_settings(connection)
    shown = stored.in_effect(engine.environment)
    # A client that sends back what was shown changes nothing by what the environment says.
    new = {
        name: {field: value for field, value in fields.items() if value != getattr(getattr(shown, name), field)}
        for name, fields in changes.items()
    }
    wanted = stored.over(new)
    if wanted == stored:
        return None
    if {"model", "dim", "storage"} & new.get("embedding", {}).keys():
        await engine.model_factory.try_embedding(wanted.embedding)
    if "model" in new.get("rerank", {}):
        await engine.model_factory.try_reranking(wanted.rerank)
    return wanted


class ModelSettings:
    """As a context, keeps an engine on the models that settings and environment name: it looks every second.

    A model of the settings that this process cannot open is logged, and what is in use stays; one of the environment
    keeps the process from starting.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._migration = EmbeddingMigration(engine, engine.model_factory)
        self._followed: InstallationSettings | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> ModelSettings:
        self._engine.refresh_active_model = self._migration.refresh_active_model
        self._stack.push_async_callback(self._migration.aclose)
        try:
            await self._follow()
        except BaseException:
            await self._stack.aclose()
            raise
        task = asyncio.create_task(self._run())
        self._stack.push_async_callback(_ended, task)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_INTERVAL_S)
            try:
                await self._follow()
                await self._migration.refresh_active_model()
            except Unavailable:
                continue
            except Exception:
                log.exception("model_refresh_failed")

    async def _follow(self) -> None:
        wanted = await model_settings(self._engine)
        former, self._followed = self._followed, wanted
        if former is None or wanted.rerank != former.rerank:
            self._engine.reranker = self._engine.model_factory.reranker(wanted.rerank)
        if former is not None and wanted.embedding == former.embedding:
            return
        try:
            asked = former is not None or self._is_asked_for(wanted.embedding)
            await self._migration.configure(wanted.embedding, may_change=asked)
        except (EmbedderMisconfigured, EmbeddingFailed) as error:
            if wanted.embedding.model == "auto" or "model" in wanted.embedding.locked_by:
                raise
            log.error("embedder_of_settings_not_opened", model=wanted.embedding.model, error=error.message)
            await self._migration.refresh_active_model()

    def _is_asked_for(self, wanted: EmbeddingSettings) -> bool:
        """Whether what is stored may change to the model that a process finds at its start: an admin has set it, or the
        environment allows it."""
        by_settings = wanted.model != "auto" and not {"model", "dim", "storage"} & wanted.locked_by.keys()
        return by_settings or self._engine.model_factory.settings.embedding_change == "allow"


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
