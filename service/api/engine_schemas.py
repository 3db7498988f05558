"""The shapes of what the engine tells of itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.domain.dead_letters import DeadLetterCount
from service.domain.events import EVENT_TYPES, Kind
from service.domain.field_types import Name
from service.domain.strict import StrictModel
from service.embedding.storage import Storage

State = Literal["ok", "failing", "unknown", "off"]
StateField = Annotated[
    State,
    Field(
        description="Result of the last check: `ok`, `failing`, `unknown` (never checked) or `off` (not configured)."
    ),
]
StorageField = Annotated[
    Storage | None,
    Field(
        description="Storage of the vectors: `halfvec` (2 bytes per dimension), `float32` (4 bytes) or `binary` "
        "(2 bytes, index of 1 bit); null without vectors."
    ),
]
Check = Literal["database", "replica", "workers", "embedder", "llm"]


class Readiness(BaseModel):
    """Readiness of the service, by part."""

    status: Literal["ready", "unavailable"] = Field(
        description="Readiness: `ready` or `unavailable` (database missing or at another schema version)."
    )
    degraded: list[Check] = Field(description="Failing parts: `database`, `replica`, `workers`, `embedder`, `llm`.")
    checks: dict[Check, State] = Field(
        description="Results by part: `ok`, `failing`, `unknown` (never checked) or `off` (not configured)."
    )
    detail: str | None = Field(None, description="Instruction for a schema version mismatch; null otherwise.")


class HealthCheck(BaseModel):
    """Result of the last check."""

    status: StateField
    error: str | None = Field(description="Error message of the last check; null after a success.")
    checked_at: datetime | None = Field(description="Time of the last check.")
    latency_ms: float | None = Field(description="Duration of the last check in milliseconds.")


class DatabaseState(HealthCheck):
    """State of Postgres, its sizes and the connection pool of this process."""

    postgres: str = Field(description="Version of Postgres.")
    pgvector: str | None = Field(description="Version of pgvector; null without the extension.")
    schema_version: str = Field(description="Version of the schema (Alembic revision).")
    database_bytes: int = Field(description="Size of the database in bytes.")
    search_index_bytes: int = Field(description="Size of the table `search_index` in bytes.")
    search_terms_bytes: int = Field(description="Size of the table `search_terms` in bytes.")
    memories_bytes: int = Field(description="Size of the table `memories` in bytes.")
    messages_bytes: int = Field(description="Size of the table `messages` in bytes.")
    pool_max: int = Field(description="Maximum number of connections of this process.")
    pool_open: int = Field(description="Number of open connections of this process.")
    pool_free: int = Field(description="Number of idle connections of this process.")


class ReplicaState(HealthCheck):
    """State of the read replica."""

    lag_s: float | None = Field(description="Replication lag in seconds.")


class ModelChange(BaseModel):
    """Change of the embedding model in progress."""

    signature: str = Field(description="Signature of the new embedding model.")
    done: int = Field(description="Number of embedded texts.")
    total: int | None = Field(description="Number of texts to embed; null before they are counted.")
    started_at: datetime | None = Field(description="Start time.")
    error: str | None = Field(description="Error message of the last attempt; null after a success.")


class EmbeddingCache(BaseModel):
    """Cache of embeddings of the answering process, since its start."""

    hits: int = Field(description="Number of texts whose vector was cached.")
    misses: int = Field(description="Number of texts that had to be embedded.")
    entries: int = Field(description="Number of cached vectors.")
    entries_max: int = Field(description="Maximum number of cached vectors.")


class EmbedderState(HealthCheck):
    """State of the embedding model and its vectors."""

    source: str = Field(description="Source of the model: `remote`, `local`, `static` or `none`.")
    model: str | None = Field(description="Name of the model.")
    signature: str | None = Field(
        description="Signature of model, dimension and storage; vectors of one signature are comparable."
    )
    dim: int | None = Field(description="Number of vector dimensions.")
    storage: StorageField
    vector_bytes: int | None = Field(description="Size of one vector in bytes.")
    index_bytes: int | None = Field(description="Size of the HNSW index in bytes; null without an index.")
    change: ModelChange | None = Field(description="Change of the embedding model in progress; null without one.")
    cache: EmbeddingCache | None = Field(
        description="Use of the embedding cache; null without an embedder, and for other keys than admin keys of the "
        "workspace `default`."
    )


class ModelState(HealthCheck):
    """State of the language model."""

    model: str | None = Field(description="Name of the language model; null without one (rules are used).")


class RerankerState(BaseModel):
    """State of the reranker."""

    model: str | None = Field(description="Name of the reranker; null without one.")


class PiiState(BaseModel):
    """State of the personal data recognition."""

    mode: Literal["off", "redact", "reject"] = Field(
        description="Treatment of personal data: `off` (none), `redact` (placeholders) or `reject` (422)."
    )
    entities: list[str] = Field(description="Recognized kinds of personal data.")
    not_found_here: list[str] = Field(description="Configured kinds without a recognizer, for lack of a spaCy model.")


class ReindexState(BaseModel):
    """Last requested reindexing."""

    force: bool = Field(description="Reindexing of all texts instead of those without a vector.")
    done: int = Field(description="Number of embedded texts.")
    total: int = Field(description="Number of texts to embed.")
    error: str | None = Field(description="Error message of the last attempt; null after a success.")
    requested_at: datetime | None = Field(description="Time of the request.")
    finished_at: datetime | None = Field(description="End time; null while running.")


class ReindexProgress(ReindexState):
    """Progress of the last reindexing."""

    running: bool = Field(description="Reindexing in progress.")
    pending: int = Field(description="Number of texts without a vector.")


class WorkerState(BaseModel):
    """Worker of the last hour, with its model checks."""

    worker: str = Field(description="Name of the worker.")
    alive: bool = Field(description="Recent heartbeat of the worker.")
    started_at: datetime = Field(description="Start time.")
    seen_at: datetime = Field(description="Time of the last heartbeat.")
    health: dict[str, Any] = Field(description="Model checks of the worker, by part.")


class DreamQueue(BaseModel):
    """Agents waiting for a dream, and running dreams."""

    due: int = Field(description="Number of agents waiting for a dream.")
    running: int = Field(description="Number of running dreams.")
    oldest_due_at: datetime | None = Field(
        description="Due time of the longest waiting agent; null without a waiting agent."
    )


class IndexCounts(BaseModel):
    """Sizes of the search index."""

    memories: int = Field(description="Number of indexed memories.")
    messages: int = Field(description="Number of indexed messages.")
    chunks: int = Field(description="Number of indexed document chunks.")


class EngineState(BaseModel):
    """State of the engine. Counts are per workspace, sizes per database."""

    status: Literal["ok", "degraded"] = Field(description="Overall status: `ok` or `degraded` (see `problems`).")
    problems: list[str] = Field(description="Problems in words; empty with the status `ok`.")
    version: str | None = Field(description="Version of Reverie.")
    database: DatabaseState | HealthCheck = Field(description="State of Postgres.")
    replica: ReplicaState | None = Field(description="State of the read replica; null without one.")
    embedder: EmbedderState = Field(description="State of the embedding model.")
    llm: ModelState = Field(description="State of the language model.")
    reranker: RerankerState = Field(description="State of the reranker.")
    pii: PiiState = Field(description="State of the personal data recognition.")
    pending: int = Field(description="Number of texts without a vector.")
    index: IndexCounts = Field(description="Sizes of the search index.")
    reindex: ReindexState | None = Field(description="Last reindexing; null before the first.")
    workers: list[WorkerState] | None = Field(description="Workers of the last hour.")
    workers_status: StateField
    dreams: DreamQueue = Field(description="State of the dream queue.")
    dead_letters: DeadLetterCount = Field(description="Count of dead letters.")


class EmbeddingProvider(BaseModel):
    """Value of EMBEDDING_MODEL and its availability on this server."""

    source: Literal["remote", "local", "static", "none"] = Field(
        description="Source of the model: `remote` (API), `local` (model on disk), `static` (included weights) or "
        "`none` (keyword search only)."
    )
    setting: str = Field(description="Value of EMBEDDING_MODEL.")
    also: str | None = Field(description="Other values of EMBEDDING_MODEL with this source.")
    available: bool = Field(description="Availability on this server.")
    reason: str = Field(description="Reason of the availability.")
    active: bool = Field(description="Use by this server.")
    model: str | None = Field(description="Name of the model in use.")
    dim: int | None = Field(description="Number of vector dimensions.")
    storage: StorageField


class Reindex(StrictModel):
    """Extent of a reindexing."""

    force: bool = Field(False, description="Reindexing of all texts instead of those without a vector. Default false.")


class ReindexStarted(BaseModel):
    """Start of a reindexing."""

    started: bool = Field(description="Start of a new reindexing; false with nothing to do or one in progress.")
    pending: int = Field(description="Number of texts to embed.")


class Rescan(StrictModel):
    """Kind of a scan for stored secrets."""

    dry_run: bool = Field(
        True,
        description="Listing of the fields with secrets only; `false` masks the secrets irreversibly. Default true.",
    )


class RescanProgress(BaseModel):
    """Progress and counts of the last scan for stored secrets."""

    running: bool = Field(description="Scan queued or in progress.")
    dry_run: bool = Field(description="Scan without changes.")
    done: int = Field(description="Number of rows read, in all passes.")
    total: int | None = Field(description="Number of rows to read, in all passes; null until counted.")
    rows: dict[str, int] = Field(description="Number of rows with secrets found (dry run) or masked, by table.")
    kinds: dict[str, int] = Field(description="Number of fields with secrets found (dry run) or masked, by kind.")
    error: str | None = Field(description="Error message of a failed scan.")
    requested_at: datetime | None = Field(description="Time of the request; null before the first scan.")
    finished_at: datetime | None = Field(description="End time; null while running.")


class RescanStarted(RescanProgress):
    """Start of a scan for stored secrets, and its progress or that of the running one."""

    started: bool = Field(description="Start of a new scan; false with one in progress.")


class RescanFinding(BaseModel):
    """Field with a stored secret, without its value."""

    table: str = Field(description="Table of the record, for example `memories`.")
    row: str = Field(description="Primary key of the record, parts separated by `/`; without parts that are texts.")
    field: str = Field(description="Column with the secret.")
    kinds: list[str] = Field(description="Kinds of the secrets, for example `github_token`.")
    agent: str | None = Field(description="Agent of a message; null for other records.")
    session: str | None = Field(description="Session of a message; null for other records.")
    document_id: UUID | None = Field(description="Document of a part of a document; null for other records.")


class AddWebhook(StrictModel):
    """Webhook to create."""

    url: Annotated[str, Field(min_length=8, max_length=2_000)] = Field(
        description="URL of the receiver (http or https), at most 2,000 characters."
    )
    name: Name | None = Field(None, description="Display name of the webhook.")
    events: Annotated[list[Kind] | None, Field(min_length=1, max_length=50)] = Field(
        None, description=f"Event types to send: {EVENT_TYPES}. Default: all."
    )


class PatchWebhook(StrictModel):
    """Changes to a webhook; only the fields given change."""

    url: Annotated[str, Field(min_length=8, max_length=2_000)] | None = Field(
        None, description="New URL of the receiver (http or https), at most 2,000 characters."
    )
    name: Name | None = Field(None, description="New display name; null removes it.")
    events: Annotated[list[Kind] | None, Field(min_length=1, max_length=50)] = Field(
        None, description=f"New event types to send: {EVENT_TYPES}; null: all."
    )
    active: bool | None = Field(None, description="Delivery of events: false disables the webhook, true enables it.")
    rotate_secret: bool = Field(False, description="Replacement of the signing secret by a new one. Default false.")
