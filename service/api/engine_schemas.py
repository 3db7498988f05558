"""The shapes of what the engine tells of itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.api.schemas import Body
from service.domain.events import Kind
from service.domain.field_types import Name
from service.embedding.storage import Storage

State = Literal["ok", "failing", "unknown", "off"]
Check = Literal["database", "replica", "workers", "embedder", "llm"]


class Readiness(BaseModel):
    """Whether requests can be served, and what fails meanwhile; ``off`` is what is not configured."""

    status: Literal["ready", "unavailable"]
    degraded: list[Check]
    checks: dict[Check, State]
    detail: str | None = Field(None, description="of a schema that is not this release's: what to do")


class HealthCheck(BaseModel):
    """What the last call showed."""

    status: State
    error: str | None
    checked_at: datetime | None
    latency_ms: float | None


class DatabaseState(HealthCheck):
    """Postgres, its sizes in bytes, and this process's pool."""

    postgres: str
    pgvector: str | None
    schema_version: str
    database_bytes: int
    search_index_bytes: int
    search_terms_bytes: int
    memories_bytes: int
    messages_bytes: int
    pool_max: int
    pool_open: int
    pool_free: int


class ReplicaState(HealthCheck):
    """The standby that searches go to; ``lag_s``: for how many seconds it has lacked something of the primary's."""

    lag_s: float | None


class ModelChange(BaseModel):
    """A change of the embedding model under way; ``total`` is null until the texts are counted."""

    signature: str
    done: int
    total: int | None
    started_at: datetime | None
    error: str | None


class EmbedderState(HealthCheck):
    """The embedder in use, and how its vectors are kept: ``vector_bytes`` of each, ``index_bytes`` of the HNSW index of
    very large audiences, null while there is none."""

    source: str
    model: str | None
    signature: str | None
    dim: int | None
    storage: Storage | None
    vector_bytes: int | None
    index_bytes: int | None
    change: ModelChange | None


class ModelState(HealthCheck):
    """The language model; null is none, and rules instead."""

    model: str | None


class RerankerState(BaseModel):
    """The reranker; null is none."""

    model: str | None


class PiiState(BaseModel):
    """What is done with personal data. ``not_found_here``: kinds that need a spaCy model, which is not installed."""

    mode: Literal["off", "redact", "reject"]
    entities: list[str]
    not_found_here: list[str]


class ReindexState(BaseModel):
    """What was last asked to be embedded anew."""

    force: bool
    done: int
    total: int
    error: str | None
    requested_at: datetime | None
    finished_at: datetime | None


class ReindexProgress(ReindexState):
    """How far it has come; ``pending`` texts have no vector now."""

    running: bool
    pending: int


class WorkerState(BaseModel):
    """A worker heard of within the hour, and what it last said of the models it uses."""

    worker: str
    alive: bool
    started_at: datetime
    seen_at: datetime
    health: dict[str, Any]


class DreamQueue(BaseModel):
    """Agents waiting for a dream, those being dreamed for, and since when the first of the waiting is due."""

    due: int
    running: int
    oldest_due_at: datetime | None


class DeadLetterCount(BaseModel):
    """Texts set aside because workers died over them, and since when the oldest is."""

    count: int
    oldest_at: datetime | None


class DeadLetter(BaseModel):
    """A text that workers died over. ``subject_id`` is the message, memory or part of a document (``chunk``);
    ``session`` and ``seq`` are a message's. ``dead``: nothing reads it; ``retrying``: it is to be read once more."""

    id: UUID
    status: Literal["dead", "retrying"]
    kind: Literal["message", "memory", "chunk"]
    subject_id: UUID
    agent: str
    session: str | None
    seq: int | None
    document_id: UUID | None
    job: Literal["dream", "compaction", "embedding", "reindex"]
    step: str
    reason: str
    attempts: int
    created_at: datetime


class IndexCounts(BaseModel):
    """What there is to search."""

    memories: int
    messages: int
    chunks: int


class EngineState(BaseModel):
    """How the engine is. Counts are of the caller's workspace, sizes of the whole database.

    Versions, sizes, hosts, and what is wrong in detail are told to admin keys of the default workspace alone; others
    get null.
    """

    status: Literal["ok", "degraded"]
    problems: list[str]
    version: str | None
    database: DatabaseState | HealthCheck
    replica: ReplicaState | None
    embedder: EmbedderState
    llm: ModelState
    reranker: RerankerState
    pii: PiiState
    pending: int
    index: IndexCounts
    reindex: ReindexState | None
    workers: list[WorkerState] | None
    workers_status: State
    dreams: DreamQueue
    dead_letters: DeadLetterCount


class EmbeddingProvider(BaseModel):
    """A value EMBEDDING_MODEL may have, and whether it would work here; ``storage``: how its vectors are kept."""

    source: Literal["remote", "local", "static", "none"]
    setting: str
    also: str | None
    available: bool
    reason: str
    active: bool
    model: str | None
    dim: int | None
    storage: Storage | None


class Reindex(Body):
    """What to embed: what has no vector or, by force, everything."""

    force: bool = False


class ReindexStarted(BaseModel):
    """``started`` is false when there is nothing to do, or it is under way already. ``pending``: texts to embed."""

    started: bool
    pending: int


class Step(BaseModel):
    """One step of a trial run."""

    name: Literal["embed", "write", "find_by_keyword", "find_by_vector", "delete"]
    ok: bool
    latency_ms: float
    error: str | None


class VerifyResponse(BaseModel):
    """A trial run: ``working`` when every step did what it should."""

    working: bool
    latency_ms: float
    steps: list[Step]


class AddWebhook(Body):
    """Where to send what happens; ``events`` left out is everything."""

    url: Annotated[str, Field(min_length=8, max_length=2_000)]
    name: Name | None = None
    events: Annotated[list[Kind] | None, Field(min_length=1, max_length=50)] = None


class Webhook(BaseModel):
    """A webhook. Everything up to ``position`` has arrived; after ``failures`` in a row, ``error`` says why, and at
    ``disabled_at`` it was given up."""

    id: UUID
    url: str
    name: str | None
    events: list[Kind] | None
    position: int
    failures: int
    error: str | None
    last_sent_at: datetime | None
    retry_at: datetime | None
    disabled_at: datetime | None
    created_at: datetime


class CreatedWebhook(Webhook):
    """A webhook, with its secret this once."""

    secret: str
