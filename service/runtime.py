"""The runtime that every use case works with: database, models, clock, executor, settings; one in a process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import TypeVar, cast
from uuid import UUID

import structlog

from service.concurrency.executor import FairExecutor
from service.db.pool import Connection, Database
from service.db.replica import Replica
from service.domain.health_status import HealthStatus
from service.domain.installation import Environment
from service.domain.llm_settings import OFF, LLMSettings, Step
from service.embedding.embedder import Embedder, EmbeddingFailed, known_noise, storage_of
from service.embedding.sources import CHEAP_SOURCE
from service.llm import LLM, Meter, Reranker
from service.metrics import Metrics
from service.model_ledger import ModelCallLog, ModelLedger
from service.models import ModelFactory, StepModels, environment_of
from service.privacy.redactor import Redactor
from service.settings import Settings
from service.store.embeddings import Model, model_number
from service.store.hnsw import HnswLimits
from service.store.search.plan import SearchLimits
from service.store.vectors import Embedding, EmbeddingBatch, VectorSpace

log = structlog.get_logger(__name__)

LOCAL_SOURCE = "local"
LIVE_TEXTS_MAX = 16
"""Turns of a live conversation; a local model takes some milliseconds for each."""
EMBED_BATCH = 128
DEADLINE_PER_TEXT_S = 0.05

T = TypeVar("T")


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _no_span(_: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class OwnKey:
    """What stands in one process for a key of which the database has a hash of no text."""

    text: str
    hash: bytes


@dataclass(slots=True)
class Runtime:
    """The lower layers, held together. ``embedder``, ``llm`` and ``reranker`` are None where none is configured;
    ``llm`` is LLM_MODEL, and ``model`` gives what does a step.

    ``embedder`` is the one in use, which is another than the configured one until everything has been embedded anew
    (then that one is ``next_embedder``, or ``waiting_model`` where nobody has asked for that yet);
    ``refresh_active_model`` takes up what is in use now. ``model_factory`` opens the models that settings name.
    ``probe_models`` looks whether the models work. ``replica`` takes searches off the database where one is configured.
    ``span`` is a block as others see it in traces. ``budget`` is where every call of a model is reserved and recorded,
    and ``model_calls`` keeps what was said where a workspace wants it. ``executor`` takes work on long texts off the
    event loop. ``own_key`` is that of callers in this process. ``part`` has what a use case keeps in the process.
    """

    db: Database
    replica: Replica | None = None
    embedder: Embedder | None = None
    embedding_deadline_s: float = 5.0
    llm: LLM | None = None
    step_models: StepModels = field(init=False)
    reranker: Reranker | None = None
    executor: FairExecutor = field(default_factory=FairExecutor)
    redactor: Redactor = field(init=False)
    now: Callable[[], datetime] = _utc_now
    search_limits: SearchLimits = field(default_factory=SearchLimits)
    hnsw_limits: HnswLimits = field(default_factory=HnswLimits)
    next_embedder: Embedder | None = None
    waiting_model: Model | None = None
    model_factory: ModelFactory = field(default_factory=lambda: ModelFactory(Settings.model_construct()))
    refresh_active_model: Callable[[], Awaitable[None]] | None = None
    probe_models: Callable[[], Awaitable[None]] | None = None
    database_status: HealthStatus = field(default_factory=HealthStatus)
    metrics: Metrics = field(default_factory=Metrics)
    budget: ModelLedger = field(init=False)
    model_calls: ModelCallLog = field(init=False)
    span: Callable[[str], AbstractContextManager[object]] = _no_span
    own_key: OwnKey | None = None
    parts: dict[object, object] = field(default_factory=dict)
    _models: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.redactor = Redactor(executor=self.executor, on_secret=self.metrics.secret_found)
        self.model_calls = ModelCallLog(self.db, self.redactor)
        self.budget = ModelLedger(self.db, lambda: self.now(), self.metrics, self.model_calls)
        self.step_models = StepModels(self.model_factory.settings, LLM(OFF, ledger=self.budget))

    def part(self, kind: Callable[[Runtime], T]) -> T:
        """Return this process's one object of a kind, made at the first call: a cache, a batcher or a counter.

        ``kind`` is a class or function of the use case that the object belongs to, and is called with this. Another
        object takes its place by ``parts[kind] = …``.
        """
        found = self.parts.get(kind)
        if found is None:
            found = self.parts[kind] = kind(self)
        return cast(T, found)

    @property
    def settings(self) -> Settings:
        """Return the settings of the process."""
        return self.model_factory.settings

    @property
    def environment(self) -> Environment:
        """Return what the environment says of the installation's models."""
        return environment_of(self.model_factory.settings)

    def model(self, step: Step, workspace: UUID, chosen: LLMSettings) -> LLM | None:
        """Return the language model that does a step in a workspace; None where rules do it."""
        return self.step_models.of(step, workspace, chosen, self.llm)

    @property
    def llm_meter(self) -> Meter:
        """Return what this process has used of language models."""
        return (self.llm or self.step_models.client).meter

    async def search(self, workspace: UUID, read: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what ``read``, which writes nothing, finds in a search's transaction; on the replica if that is as
        good."""
        if self.replica is not None:
            return await self.replica.search(workspace, read)
        async with self.db.search_connection(workspace) as connection:
            return await read(connection)

    async def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        """Return vectors for texts about to be stored. A failing embedder leaves them pending; a save never fails for
        it.

        The deadline grows with the number of texts. What is embedded before a failure is kept.
        """
        vectors: list[Embedding | None] = []
        embedder = self.embedder
        if embedder is None or not texts:
            return EmbeddingBatch(None, [None] * len(texts))
        ends_at = monotonic() + self.embedding_deadline_s + DEADLINE_PER_TEXT_S * len(texts)
        try:
            for start in range(0, len(texts), EMBED_BATCH):
                some = texts[start : start + EMBED_BATCH]
                vectors.extend(await embedder.embed(some, max(0.0, ends_at - monotonic())))
        except EmbeddingFailed as error:
            log.warning("embedding_pending", texts=len(texts) - len(vectors), error=error.message)
            vectors.extend([None] * (len(texts) - len(vectors)))
        pending = sum(vector is None for vector in vectors)
        self.metrics.embedded.labels("pending").inc(pending)
        self.metrics.embedded.labels("ready").inc(len(vectors) - pending)
        return EmbeddingBatch(await self._space(embedder), vectors)

    async def embed_query(self, text: str) -> tuple[Embedding, VectorSpace]:
        """Return the vector of a query and its space. Raises EmbeddingFailed; an embedder must be configured."""
        embedder = self.embedder
        assert embedder is not None
        vectors = await embedder.embed([text], self.embedding_deadline_s)
        return vectors[0], await self._space(embedder)

    async def embed_if_cheap(self, texts: Sequence[str]) -> EmbeddingBatch:
        """Return vectors for texts that can wait for the worker: from an embedder that costs next to nothing, and from
        a local model for the few that a live conversation brings at a time."""
        source = self.embedder.source if self.embedder is not None else None
        if source != CHEAP_SOURCE and not (source == LOCAL_SOURCE and len(texts) <= LIVE_TEXTS_MAX):
            return EmbeddingBatch(None, [None] * len(texts))
        return await self.embed(texts)

    async def space(self) -> VectorSpace | None:
        """Return the space of this embedder's vectors; None without an embedder."""
        return None if self.embedder is None else await self._space(self.embedder)

    def use(self, embedder: Embedder, number: int) -> None:
        """Embed with this from now on."""
        self._models[embedder.signature] = number
        self.embedder = embedder

    async def _space(self, embedder: Embedder) -> VectorSpace:
        signature = embedder.signature
        if signature not in self._models:
            async with self.db.unscoped() as connection:
                self._models[signature] = await model_number(
                    connection, signature, embedder.dim, embedder.model, known_noise(signature)
                )
        return VectorSpace(self._models[signature], storage_of(signature))
