"""The state of the engine, as an admin or the Studio asks for it: truthful, and looked up now."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from service import __version__
from service.db.pool import Columns
from service.db.records import make
from service.domain.dead_letters import DeadLetterCount
from service.domain.health_status import HealthCheck, ReplicaState, State, StateField, WorkerState
from service.domain.principal import Principal
from service.embedding.embedder import CachedEmbedder, EmbeddingCache, Storage, storage_of, vector_bytes
from service.embedding.sources import LOCAL_MODEL, REMOTE_MODEL, may_be_on_disk
from service.errors import Conflict
from service.memory.access import audit
from service.memory.access.redaction import masking_of
from service.memory.ops.health import Check, checks, workers
from service.runtime import Runtime
from service.store import embeddings, hnsw
from service.store.embeddings import MigrationState, Model

StorageField = Annotated[
    Storage | None,
    Field(
        description="Storage of the vectors: `halfvec` (2 bytes per dimension), `float32` (4 bytes) or `binary` "
        "(2 bytes, index of 1 bit); null without vectors."
    ),
]
EmbeddingSource = Literal["remote", "local", "static", "none"]

LATE, LATE_S = "dreams:", 20.0
"""What is due is begun within seconds unless no worker is free."""


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
    """Change of the embedding model, in progress or waiting for somebody to start it."""

    waiting: Annotated[
        bool,
        Field(
            description="Configured, and not started: a reindexing by force, or `reverie reindex`, embeds everything "
            "with the new model."
        ),
    ]
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
        ModelChange | None,
        Field(description="Change of the embedding model, running or waiting; null without one."),
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


async def get_engine_status(runtime: Runtime, principal: Principal) -> EngineState:
    """Return all there is to know about how it runs; counts are the caller's workspace's.

    ``problems`` says in words what does not work; ``status`` is ``ok`` when there is none. What concerns the whole
    installation is for its admins; other callers learn what their own requests depend on, and whether it works.
    """
    whole = await _whole(runtime, principal)
    return whole if principal.is_installation_admin else _own_part(whole)


def _own_part(whole: EngineState) -> EngineState:
    """Return the overview without versions, sizes, hosts and errors of what all workspaces share."""
    database, reindex = whole.database, whole.reindex
    shared = {
        "database": database.status, "embedder": whole.embedder.status, "llm": whole.llm.status,
        "workers": whole.workers_status,
    }  # fmt: skip
    problems = [f"{name}: failing" for name, status in shared.items() if status == "failing"]
    problems += [f"reindex: {reindex.error}"] if reindex and reindex.error else []
    problems += [problem for problem in whole.problems if problem.startswith(LATE)]
    return replace(
        whole,
        status="degraded" if problems else "ok",
        problems=problems,
        version=None,
        database=HealthCheck(database.status, None, database.checked_at, database.latency_ms),
        replica=None,
        embedder=replace(whole.embedder, error=None, index_bytes=None, change=None, cache=None),
        llm=replace(whole.llm, error=None),
        workers=None,
    )


def _late(waiting: _Waiting, now: datetime) -> list[str]:
    """Say that dreams have been due for too long, if they have."""
    oldest = waiting.oldest_due_at
    waited_s = (now - oldest).total_seconds() if oldest else 0.0
    return [f"{LATE} {waiting.due} agents wait, the first for {waited_s:.0f} s"] if waited_s > LATE_S else []


@dataclass(frozen=True, slots=True)
class _Waiting:
    due: int
    oldest_due_at: datetime | None


async def _whole(runtime: Runtime, principal: Principal) -> EngineState:
    if runtime.probe_models is not None:
        await runtime.probe_models()
    found = await checks(runtime)
    pii = (await masking_of(runtime, principal)).pii
    workspace = principal.workspace_id
    async with runtime.db.unscoped() as connection:
        state = await embeddings.state(connection)
        known = await workers(connection)
        server = await connection.one("server")
        waiting = make(_Waiting, await connection.one("dreams_waiting", workspace=workspace, now=runtime.now()))
        running: int = await connection.value("dreams_running", workspace=workspace)
        reindex = await connection.first(ReindexState, "reindex_request", workspace=workspace)
        index_bytes = await hnsw.index_bytes(connection, state.active.number) if state.active else None
    async with runtime.db.transaction(workspace) as connection:
        counts = await connection.one("index_counts", workspace=workspace)
        dead = await connection.first(DeadLetterCount, "count_dead_letters", workspace=workspace)
        assert dead is not None
    problems = [f"{name}: {one.error}" for name, one in found.parts().items() if one.status == "failing"]
    problems += [f"change of the embedding model: {state.error}"] if state.error else []
    if (waiting_model := _waiting_model(runtime, state)) is not None and state.active is not None:
        problems.append(
            f"embedder: {waiting_model.signature} is configured, and {state.active.signature} is used until a "
            "reindexing by force, or `reverie reindex`, embeds everything anew"
        )
    problems += [f"reindex: {reindex.error}"] if reindex and reindex.error else []
    problems += _late(waiting, runtime.now())
    return EngineState(
        status="degraded" if problems else "ok",
        problems=problems,
        version=__version__,
        database=make(DatabaseState, {**_fields(found.database), **server, **runtime.db.pool_use()}),
        replica=found.replica,
        embedder=_embedder(runtime, found.embedder, state, index_bytes),
        llm=make(ModelState, {**_fields(found.llm), "model": runtime.llm.model if runtime.llm else None}),
        reranker=RerankerState(runtime.reranker.model if runtime.reranker else None),
        pii=PiiState(
            pii.mode,
            [entity for entity in pii.entities if entity in runtime.redactor.entities],
            [entity for entity in pii.entities if entity not in runtime.redactor.entities],
        ),
        pending=counts["pending"],
        index=make(IndexCounts, counts),
        reindex=reindex,
        workers=known,
        workers_status=found.workers.status,
        dreams=DreamQueue(waiting.due, running, waiting.oldest_due_at),
        dead_letters=dead,
    )


def _fields(check: HealthCheck) -> Columns:
    return {name: getattr(check, name) for name in HealthCheck.__slots__}


def _waiting_model(runtime: Runtime, state: MigrationState) -> Model | None:
    """Return the configured model that nobody has had embed what is stored, where that has other vectors."""
    waiting = runtime.waiting_model
    known = [model.number for model in (state.active, state.next_model) if model is not None]
    return waiting if waiting is not None and waiting.number not in known else None


def _change(runtime: Runtime, state: MigrationState) -> ModelChange | None:
    if (coming := state.next_model) is not None:
        return ModelChange(False, coming.signature, state.done, state.total, state.started_at, state.error)
    waiting = _waiting_model(runtime, state)
    return ModelChange(True, waiting.signature, 0, None, None, None) if waiting else None


def _embedder(runtime: Runtime, check: HealthCheck, state: MigrationState, index_bytes: int | None) -> EmbedderState:
    used = runtime.embedder
    storage = storage_of(used.signature) if used else None
    return EmbedderState(
        **_fields(check),
        source=used.source if used else "none",
        model=used.model if used else None,
        signature=used.signature if used else None,
        dim=used.dim if used else None,
        storage=storage,
        vector_bytes=vector_bytes(storage, used.dim) if used and storage else None,
        index_bytes=index_bytes if used else None,
        change=_change(runtime, state),
        cache=used.use if isinstance(used, CachedEmbedder) else None,
    )


def providers(runtime: Runtime, principal: Principal) -> list[EmbeddingProvider]:
    """Return what EMBEDDING_MODEL may be, what of it would work here, and what is in use; the last alone for whoever
    does not administer the installation."""
    listed = _providers(runtime)
    return listed if principal.is_installation_admin else [one for one in listed if one.active]


def _providers(runtime: Runtime) -> list[EmbeddingProvider]:
    embedder = runtime.embedder
    used = embedder.source if embedder else "none"
    given = runtime.model_factory.settings
    keyed = bool(given.embedding_api_key or os.environ.get("OPENAI_API_KEY"))
    reachable = keyed or given.embedding_api_base is not None or used == "remote"
    on_disk = may_be_on_disk(LOCAL_MODEL)
    listed: list[tuple[EmbeddingSource, str, str | None, bool, str]] = [
        ("remote", REMOTE_MODEL, "any name of litellm's, such as ollama/nomic-embed-text", reachable,
         "a key is set" if keyed else "the server of EMBEDDING_API_BASE is used without a key"
         if given.embedding_api_base else "it is used without a key" if reachable
         else "no key is set (EMBEDDING_API_KEY or OPENAI_API_KEY)"),
        ("local", f"local:{LOCAL_MODEL}", "local:<name or folder>", on_disk or used == "local",
         "the model is on disk" if on_disk else f"{LOCAL_MODEL} is not on disk; `reverie models get` fetches it"),
        ("static", "static", None, True, "its weights are installed with the service"),
        ("none", "none", None, True, "keyword search alone"),
    ]  # fmt: skip
    return [
        EmbeddingProvider(
            source, setting, also, available, reason, source == used,
            *(
                (embedder.model, embedder.dim, storage_of(embedder.signature))
                if embedder and source == used
                else (None, None, None)
            ),
        )
        for source, setting, also, available, reason in listed
    ]  # fmt: skip


async def start_reindex(runtime: Runtime, principal: Principal, *, force: bool) -> ReindexStarted:
    """Have the worker embed what is pending or, by force, everything anew: for an admin of the installation with the
    configured model, where that waits. Raises Forbidden, and Conflict without an embedder. A request under way goes on;
    force makes it begin again with everything."""
    principal.require_admin()
    if runtime.embedder is None:
        raise Conflict("No embedder is configured (EMBEDDING_MODEL=none): there is nothing to embed with.")
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        counts = await connection.one("index_counts", workspace=workspace)
        total = sum(counts[kind] for kind in ("memories", "messages", "chunks")) if force else counts["pending"]
    async with runtime.db.unscoped() as connection:
        coming = _waiting_model(runtime, await embeddings.state(connection))
    if force and coming is not None and principal.is_installation_admin:
        return await _start_change(runtime, principal, coming, total)
    async with runtime.db.transaction(workspace) as connection:
        started = total > 0 and bool(
            await connection.run("request_reindex", workspace=workspace, force=force, total=total, now=runtime.now())
        )
        if started:
            await audit.record(connection, principal, "reindex.started", details={"force": force})
    return ReindexStarted(started, total)


async def _start_change(runtime: Runtime, principal: Principal, model: Model, total: int) -> ReindexStarted:
    """Have the worker embed what all workspaces hold with another model, and then use that."""
    async with runtime.db.unscoped() as connection:
        await connection.run("register_target_model", model=model.number, now=runtime.now())
    async with runtime.db.transaction(principal.workspace_id) as connection:
        await audit.record(connection, principal, "reindex.started", details={"force": True, "model": model.signature})
    return ReindexStarted(True, total)


async def reindex_progress(runtime: Runtime, principal: Principal) -> ReindexProgress:
    """Return how far the last reindex has come; ``running`` is false when none was asked for or it is over."""
    async with runtime.db.unscoped() as connection:
        request = await connection.row("reindex_request", workspace=principal.workspace_id)
    pending = await _pending(runtime, principal.workspace_id)
    if request is None:
        return ReindexProgress(False, 0, 0, None, None, None, running=False, pending=pending)
    return make(ReindexProgress, {**request, "running": request["finished_at"] is None, "pending": pending})


async def _pending(runtime: Runtime, workspace: UUID) -> int:
    async with runtime.db.transaction(workspace) as connection:
        return await connection.value("count_pending", workspace=workspace)
