"""The state of the engine as it is shown: its parts, its models, its workers, and what is under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from service.domain.dead_letters import DeadLetterCount
from service.domain.health_status import HealthCheck, ReplicaState, State, StateField, WorkerState
from service.embedding.cache import EmbeddingCache
from service.embedding.storage import Storage
from service.memory.ops.health import Check

StorageField = Annotated[
    Storage | None,
    Field(
        description="Storage of the vectors: `halfvec` (2 bytes per dimension), `float32` (4 bytes) or `binary` "
        "(2 bytes, index of 1 bit); null without vectors."
    ),
]
EmbeddingSource = Literal["remote", "local", "static", "none"]


@dataclass(frozen=True, slots=True)
class Readiness:
    """Readiness of the service, by part."""

    status: Annotated[
        Literal["ready", "unavailable"],
        Field(description="Readiness: `ready` or `unavailable` (database missing or at another schema version)."),
    ]
    degraded: Annotated[
        list[Check], Field(description="Failing parts: `database`, `replica`, `workers`, `embedder`, `llm`.")
    ]
    checks: Annotated[
        dict[Check, State],
        Field(description="Results by part: `ok`, `failing`, `unknown` (never checked) or `off` (not configured)."),
    ]
    detail: Annotated[str | None, Field(description="Instruction for a schema version mismatch; null otherwise.")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class DatabaseState(HealthCheck):
    """State of Postgres, its sizes and the connection pool of this process."""

    postgres: Annotated[str, Field(description="Version of Postgres.")]
    pgvector: Annotated[str | None, Field(description="Version of pgvector; null without the extension.")]
    schema_version: Annotated[str, Field(description="Version of the schema (Alembic revision).")]
    database_bytes: Annotated[int, Field(description="Size of the database in bytes.")]
    search_index_bytes: Annotated[int, Field(description="Size of the table `search_index` in bytes.")]
    search_terms_bytes: Annotated[int, Field(description="Size of the table `search_terms` in bytes.")]
    memories_bytes: Annotated[int, Field(description="Size of the table `memories` in bytes.")]
    messages_bytes: Annotated[int, Field(description="Size of the table `messages` in bytes.")]
    pool_max: Annotated[int, Field(description="Maximum number of connections of this process.")]
    pool_open: Annotated[int, Field(description="Number of open connections of this process.")]
    pool_free: Annotated[int, Field(description="Number of idle connections of this process.")]


@dataclass(frozen=True, slots=True)
class ModelChange:
    """Change of the embedding model in progress."""

    signature: Annotated[str, Field(description="Signature of the new embedding model.")]
    done: Annotated[int, Field(description="Number of embedded texts.")]
    total: Annotated[int | None, Field(description="Number of texts to embed; null before they are counted.")]
    started_at: Annotated[datetime | None, Field(description="Start time.")]
    error: Annotated[str | None, Field(description="Error message of the last attempt; null after a success.")]


@dataclass(frozen=True, slots=True)
class EmbedderState(HealthCheck):
    """State of the embedding model and its vectors."""

    source: Annotated[str, Field(description="Source of the model: `remote`, `local`, `static` or `none`.")]
    model: Annotated[str | None, Field(description="Name of the model.")]
    signature: Annotated[
        str | None,
        Field(description="Signature of model, dimension and storage; vectors of one signature are comparable."),
    ]
    dim: Annotated[int | None, Field(description="Number of vector dimensions.")]
    storage: StorageField
    vector_bytes: Annotated[int | None, Field(description="Size of one vector in bytes.")]
    index_bytes: Annotated[int | None, Field(description="Size of the HNSW index in bytes; null without an index.")]
    change: Annotated[
        ModelChange | None, Field(description="Change of the embedding model in progress; null without one.")
    ]
    cache: Annotated[
        EmbeddingCache | None,
        Field(
            description="Use of the embedding cache; null without an embedder, and for other keys than admin keys of "
            "the workspace `default`."
        ),
    ]


@dataclass(frozen=True, slots=True)
class ModelState(HealthCheck):
    """State of the language model."""

    model: Annotated[str | None, Field(description="Name of the language model; null without one (rules are used).")]


@dataclass(frozen=True, slots=True)
class RerankerState:
    """State of the reranker."""

    model: Annotated[str | None, Field(description="Name of the reranker; null without one.")]


@dataclass(frozen=True, slots=True)
class PiiState:
    """State of the personal data recognition."""

    mode: Annotated[
        Literal["off", "redact", "reject"],
        Field(description="Treatment of personal data: `off` (none), `redact` (placeholders) or `reject` (422)."),
    ]
    entities: Annotated[list[str], Field(description="Recognized kinds of personal data.")]
    not_found_here: Annotated[
        list[str], Field(description="Configured kinds without a recognizer, for lack of a spaCy model.")
    ]


@dataclass(frozen=True, slots=True)
class ReindexState:
    """Last requested reindexing."""

    force: Annotated[bool, Field(description="Reindexing of all texts instead of those without a vector.")]
    done: Annotated[int, Field(description="Number of embedded texts.")]
    total: Annotated[int, Field(description="Number of texts to embed.")]
    error: Annotated[str | None, Field(description="Error message of the last attempt; null after a success.")]
    requested_at: Annotated[datetime | None, Field(description="Time of the request.")]
    finished_at: Annotated[datetime | None, Field(description="End time; null while running.")]


@dataclass(frozen=True, slots=True)
class ReindexProgress(ReindexState):
    """Progress of the last reindexing."""

    running: Annotated[bool, Field(description="Reindexing in progress.")]
    pending: Annotated[int, Field(description="Number of texts without a vector.")]


@dataclass(frozen=True, slots=True)
class DreamQueue:
    """Agents waiting for a dream, and running dreams."""

    due: Annotated[int, Field(description="Number of agents waiting for a dream.")]
    running: Annotated[int, Field(description="Number of running dreams.")]
    oldest_due_at: Annotated[
        datetime | None, Field(description="Due time of the longest waiting agent; null without a waiting agent.")
    ]


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """Sizes of the search index."""

    memories: Annotated[int, Field(description="Number of indexed memories.")]
    messages: Annotated[int, Field(description="Number of indexed messages.")]
    chunks: Annotated[int, Field(description="Number of indexed document chunks.")]


@dataclass(frozen=True, slots=True)
class EngineState:
    """State of the engine. Counts are per workspace, sizes per database."""

    status: Annotated[
        Literal["ok", "degraded"], Field(description="Overall status: `ok` or `degraded` (see `problems`).")
    ]
    problems: Annotated[list[str], Field(description="Problems in words; empty with the status `ok`.")]
    version: Annotated[str | None, Field(description="Version of Reverie.")]
    database: Annotated[DatabaseState | HealthCheck, Field(description="State of Postgres.")]
    replica: Annotated[ReplicaState | None, Field(description="State of the read replica; null without one.")]
    embedder: Annotated[EmbedderState, Field(description="State of the embedding model.")]
    llm: Annotated[ModelState, Field(description="State of the language model.")]
    reranker: Annotated[RerankerState, Field(description="State of the reranker.")]
    pii: Annotated[PiiState, Field(description="State of the personal data recognition.")]
    pending: Annotated[int, Field(description="Number of texts without a vector.")]
    index: Annotated[IndexCounts, Field(description="Sizes of the search index.")]
    reindex: Annotated[ReindexState | None, Field(description="Last reindexing; null before the first.")]
    workers: Annotated[list[WorkerState] | None, Field(description="Workers of the last hour.")]
    workers_status: StateField
    dreams: Annotated[DreamQueue, Field(description="State of the dream queue.")]
    dead_letters: Annotated[DeadLetterCount, Field(description="Count of dead letters.")]


@dataclass(frozen=True, slots=True)
class EmbeddingProvider:
    """Value of EMBEDDING_MODEL and its availability on this server."""

    source: Annotated[
        EmbeddingSource,
        Field(
            description="Source of the model: `remote` (API), `local` (model on disk), `static` (included weights) or "
            "`none` (keyword search only)."
        ),
    ]
    setting: Annotated[str, Field(description="Value of EMBEDDING_MODEL.")]
    also: Annotated[str | None, Field(description="Other values of EMBEDDING_MODEL with this source.")]
    available: Annotated[bool, Field(description="Availability on this server.")]
    reason: Annotated[str, Field(description="Reason of the availability.")]
    active: Annotated[bool, Field(description="Use by this server.")]
    model: Annotated[str | None, Field(description="Name of the model in use.")]
    dim: Annotated[int | None, Field(description="Number of vector dimensions.")]
    storage: StorageField


@dataclass(frozen=True, slots=True)
class ReindexStarted:
    """Start of a reindexing."""

    started: Annotated[
        bool, Field(description="Start of a new reindexing; false with nothing to do or one in progress.")
    ]
    pending: Annotated[int, Field(description="Number of texts to embed.")]
