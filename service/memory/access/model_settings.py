"""The models that settings name: of the installation, followed by every process, and of the steps of a workspace.

The embedding model changes without downtime. What settings and environment name is registered by each process at its
start and whenever they change. If something else is in use, and the change was asked for, the vectors of that model are
made in the background by the worker, beside those in use, while searches and writes go on as before. When none is
missing, one statement switches, and every process follows: at the latest within a second, and before that on the first
search that notices. All of it is state in the database, so that any process may die at any moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from uuid import UUID

import structlog

from service.domain.installation import EmbeddingSettings, InstallationSettings
from service.domain.json import JsonObject
from service.domain.llm_settings import OFF, SEALED, SHOWN, STEPS, LLMSettings, ModelAccess, StepModel, shown_key
from service.domain.principal import Principal
from service.domain.webhook_url import find_url_problem
from service.embedding.embedder import (
    CachedEmbedder,
    Embedder,
    EmbedderMisconfigured,
    EmbeddingFailed,
    MonitoredEmbedder,
    Vectors,
    known_noise,
)
from service.errors import InvalidInput, Loc, Unavailable
from service.memory.access.redaction import refuse_personal_data
from service.models import ModelFactory, ModelKeys
from service.runtime import Runtime
from service.store import embeddings, installation
from service.store.embeddings import Model

log = structlog.get_logger(__name__)

REFRESH_INTERVAL_S = 1.0


async def model_settings(runtime: Runtime) -> InstallationSettings:
    """Return what is in effect in this process."""
    async with runtime.db.unscoped() as connection:
        stored = await installation.installation_settings(connection)
    return stored.in_effect(runtime.environment)


async def changed_model_settings(
    runtime: Runtime, principal: Principal, changes: Mapping[str, JsonObject]
) -> InstallationSettings | None:
    """Return what is to be stored for these changes; None where they change nothing. The models are tried first.

    Raises Forbidden for anybody but an admin of the installation, InvalidInput where a model cannot be used.
    """
    principal.require_installation_admin()
    async with runtime.db.unscoped() as connection:
        stored = await installation.installation_settings(connection)
    shown = stored.in_effect(runtime.environment)
    # A client that sends back what was shown changes nothing by what the environment says.
    new = {
        name: {field: value for field, value in fields.items() if value != getattr(getattr(shown, name), field)}
        for name, fields in changes.items()
    }
    wanted = stored.over(new)
    if wanted == stored:
        return None
    if new.get("embedding"):
        await runtime.model_factory.try_embedding(wanted.embedding)
    if "model" in new.get("rerank", {}):
        await runtime.model_factory.try_reranking(wanted.rerank)
    return wanted


class ModelSettings:
    """As a context, keeps a process on the models that settings and environment name: it looks every second.

    A model of the settings that this process cannot open is logged, and what is in use stays; one of the environment
    keeps the process from starting.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._migration = EmbeddingMigration(runtime, runtime.model_factory)
        self._followed: InstallationSettings | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> ModelSettings:
        self._runtime.refresh_active_model = self._migration.refresh_active_model
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
        wanted = await model_settings(self._runtime)
        former, self._followed = self._followed, wanted
        if former is None or wanted.rerank != former.rerank:
            self._runtime.reranker = self._runtime.model_factory.reranker(wanted.rerank)
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
        """Return whether what is stored may change to the model that a process finds at its start: an admin has set it,
        or the environment allows it."""
        tuning = self._runtime.model_factory.settings.tuning
        by_environment = bool(wanted.locked_by) or "embedding_storage" in tuning.model_fields_set
        return (wanted.model != "auto" and not by_environment) or tuning.embedding_change == "allow"


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


class ClosedEmbedder:
    """Stands for a model in use that this process cannot open: every call fails, saying why."""

    def __init__(self, model: Model, reason: str) -> None:
        self.source, self.model = model.signature.split(":", 1)[0], model.signature
        self.dim = model.dim
        self.signature = model.signature
        self._reason = reason

    async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
        """Raise EmbeddingFailed."""
        raise EmbeddingFailed(self._reason)

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""


class EmbeddingMigration:
    """Keeps a process on the model in use, and has what settings name become it; close it at the end."""

    def __init__(self, runtime: Runtime, factory: ModelFactory) -> None:
        self._runtime = runtime
        self._factory = factory
        self._wanted: EmbeddingSettings | None = None
        self._opened: dict[str, Embedder] = {}
        self._lock = asyncio.Lock()

    async def configure(self, wanted: EmbeddingSettings, *, may_change: bool) -> None:
        """Have these settings used. ``may_change``: what is stored may get vectors of another model; else it keeps
        those it has. Raises EmbedderMisconfigured and EmbeddingFailed, and then keeps to what is in use; either way
        they are not tried again."""
        former, self._wanted = self._wanted, wanted
        if former != wanted:
            await self._register_target(wanted, may_change=may_change)
        await self.refresh_active_model()

    async def _register_target(self, wanted: EmbeddingSettings, *, may_change: bool) -> None:
        embedder, setting = await self._factory.embedder(wanted)
        if embedder is None:
            self._runtime.embedder = self._runtime.next_embedder = self._runtime.waiting_model = None
            return
        if isinstance(self._opened.get(embedder.signature), CachedEmbedder):
            await embedder.aclose()
        else:
            self._opened[embedder.signature] = embedder
        async with self._runtime.db.unscoped() as connection:
            number = await embeddings.model_number(
                connection, embedder.signature, embedder.dim, setting, known_noise(embedder.signature)
            )
            state = await embeddings.state(connection)
            in_use = [model.number for model in (state.active, state.next_model) if model is not None]
            self._runtime.waiting_model = None
            if may_change or not in_use or number in in_use:
                await connection.run("register_target_model", model=number, now=self._runtime.now())
            elif state.active is not None:
                self._runtime.waiting_model = Model(number, embedder.signature, embedder.dim, setting)
                log.warning(
                    "embedding_model_kept",
                    in_use=state.active.signature,
                    configured=embedder.signature,
                    hint="`reverie reindex`, or the Studio, embeds what is stored with the configured model",
                )

    async def refresh_active_model(self) -> None:
        """Take up the model in use, and have the coming one ready; nothing where the settings say ``none``."""
        if self._wanted is None or self._wanted.model == "none":
            return
        async with self._lock:
            async with self._runtime.db.unscoped() as connection:
                state = await embeddings.state(connection)
            if state.active is not None:
                self._runtime.use(await self._open(state.active), state.active.number)
            self._runtime.next_embedder = await self._open(state.next_model) if state.next_model else None

    async def _open(self, model: Model) -> Embedder:
        if model.signature not in self._opened:
            opened: Embedder
            try:
                opened = await self._factory.embedder_of(model)
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


async def check_models(runtime: Runtime, principal: Principal, changes: LLMSettings) -> None:
    """Raise InvalidInput for an address that no model is called at, and for personal data in an address or a name."""
    private = runtime.model_factory.settings.allow_private
    for step in STEPS:
        chosen, loc = changes.of(step), ("body", "llm", step)
        places: list[tuple[Loc, StepModel | ModelAccess]] = [(loc, chosen)]
        places += [((*loc, "failover", n), one) for n, one in enumerate(chosen.failover)]
        for at, one in places:
            if one.api_base is not None:
                if (flaw := find_url_problem(one.api_base, private=private)) is not None:
                    raise InvalidInput((*at, "api_base"), flaw)
                await refuse_personal_data(runtime, principal, (*at, "api_base"), one.api_base, besides=("IP_ADDRESS",))
            if one.model is not None:
                await refuse_personal_data(runtime, principal, (*at, "model"), one.model)


def sealed_models(keys: ModelKeys, workspace: UUID, present: LLMSettings, changes: LLMSettings) -> LLMSettings:
    """Return the changes with every key as it is stored. Raises InvalidInput for a key as shown that is not stored for
    that server, so that a stored key never reaches another one."""
    return changes.model_copy(
        update={
            step: _sealed_step(keys, workspace, present.of(step), changes.of(step), ("body", "llm", step))
            for step in STEPS
            if step in changes.model_fields_set
        }
    )


def _sealed_step(keys: ModelKeys, workspace: UUID, present: StepModel, change: StepModel, loc: Loc) -> StepModel:
    """Return the whole of a step: what the change leaves unset stays; ``off`` and null forget the rest."""
    chosen = type(present).model_validate(present.model_dump() | change.model_dump(exclude_unset=True))
    if chosen.model is None or chosen.model == OFF:
        of_model = StepModel.model_fields.keys() - {"model"}
        if (change.model_fields_set & of_model) and "model" not in change.model_fields_set:
            raise InvalidInput((*loc, "model"), "must name a model that the other fields are for")
        return chosen.model_copy(update={name: getattr(StepModel(), name) for name in of_model})
    known = present.alternatives()
    given = change.api_key if "api_key" in change.model_fields_set else shown_key(present.api_key)
    key = _sealed(keys, workspace, chosen.api_base, given, known, (*loc, "api_key"))
    failover = chosen.failover
    if "failover" in change.model_fields_set:
        places = [(*loc, "failover", n, "api_key") for n in range(len(failover))]
        sealed = [
            _sealed(keys, workspace, one.api_base, one.api_key, known, at)
            for one, at in zip(failover, places, strict=True)
        ]
        failover = tuple(one.model_copy(update={"api_key": of}) for one, of in zip(failover, sealed, strict=True))
    return chosen.model_copy(update={"api_key": key, "failover": failover})


def _sealed(
    keys: ModelKeys, workspace: UUID, base: str | None, given: str | None, known: tuple[ModelAccess, ...], loc: Loc
) -> str | None:
    if given is None:
        return None
    if given.startswith(SHOWN):
        stored = [one.api_key for one in known if one.api_base == base and shown_key(one.api_key) == given]
        if not stored:
            raise InvalidInput(loc, "is not stored for this server: give the whole key")
        return stored[0]
    if given.startswith(SEALED) or not all("!" <= character <= "~" for character in given):
        raise InvalidInput(loc, "must be a key of visible ASCII characters")
    return keys.seal(workspace, base, given)
