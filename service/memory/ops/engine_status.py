"""How the engine is, as an admin or the Studio asks: truthful, and looked up now."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from service import __version__
from service.db.pool import Columns
from service.db.records import make
from service.domain.dead_letters import DeadLetterCount
from service.domain.health_status import HealthCheck
from service.domain.principal import Principal
from service.embedding.cache import CachedEmbedder
from service.embedding.local import DEFAULT_MODEL as LOCAL_MODEL
from service.embedding.local import may_be_on_disk
from service.embedding.remote import DEFAULT_MODEL as REMOTE_MODEL
from service.embedding.storage import storage_of, vector_bytes
from service.errors import Conflict
from service.memory.access import audit
from service.memory.access.redaction import masking_of
from service.memory.engine import Engine
from service.memory.ops.engine_state import (
    DatabaseState,
    DreamQueue,
    EmbedderState,
    EmbeddingProvider,
    EmbeddingSource,
    EngineState,
    IndexCounts,
    ModelChange,
    ModelState,
    PiiState,
    ReindexProgress,
    ReindexStarted,
    ReindexState,
    RerankerState,
)
from service.memory.ops.health import checks
from service.store import embeddings, health, hnsw
from service.store.embeddings import MigrationState

LATE, LATE_S = "dreams:", 20.0
"""What is due is begun within seconds unless no worker is free."""


async def get_engine_status(engine: Engine, principal: Principal) -> EngineState:
    """Return all there is to know about how it runs; counts are the caller's workspace's.

    ``problems`` says in words what does not work; ``status`` is ``ok`` when there is none. What concerns the whole
    installation is for its admins; other callers learn what their own requests depend on, and whether it works.
    """
    whole = await _whole(engine, principal)
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


async def _whole(engine: Engine, principal: Principal) -> EngineState:
    if engine.probe_models is not None:
        await engine.probe_models()
    found = await checks(engine)
    pii = (await masking_of(engine, principal)).pii
    workspace = principal.workspace_id
    async with engine.db.unscoped() as connection:
        state = await embeddings.state(connection)
        workers = await health.workers(connection)
        server = await connection.one("server")
        waiting = make(_Waiting, await connection.one("dreams_waiting", workspace=workspace, now=engine.now()))
        running: int = await connection.value("dreams_running", workspace=workspace)
        reindex = await connection.first(ReindexState, "reindex_request", workspace=workspace)
        index_bytes = await hnsw.index_bytes(connection, state.active.number) if state.active else None
    async with engine.db.transaction(workspace) as connection:
        counts = await connection.one("index_counts", workspace=workspace)
        dead = await connection.first(DeadLetterCount, "count_dead_letters", workspace=workspace)
        assert dead is not None
    problems = [f"{name}: {one.error}" for name, one in found.parts().items() if one.status == "failing"]
    problems += [f"change of the embedding model: {state.error}"] if state.error else []
    problems += [f"reindex: {reindex.error}"] if reindex and reindex.error else []
    problems += _late(waiting, engine.now())
    return EngineState(
        status="degraded" if problems else "ok",
        problems=problems,
        version=__version__,
        database=make(DatabaseState, {**_fields(found.database), **server, **engine.db.pool_use()}),
        replica=found.replica,
        embedder=_embedder(engine, found.embedder, state, index_bytes),
        llm=make(ModelState, {**_fields(found.llm), "model": engine.llm.model if engine.llm else None}),
        reranker=RerankerState(engine.reranker.model if engine.reranker else None),
        pii=PiiState(
            pii.mode,
            [entity for entity in pii.entities if entity in engine.redactor.entities],
            [entity for entity in pii.entities if entity not in engine.redactor.entities],
        ),
        pending=counts["pending"],
        index=make(IndexCounts, counts),
        reindex=reindex,
        workers=workers,
        workers_status=found.workers.status,
        dreams=DreamQueue(waiting.due, running, waiting.oldest_due_at),
        dead_letters=dead,
    )


def _fields(check: HealthCheck) -> Columns:
    return {name: getattr(check, name) for name in HealthCheck.__slots__}


def _embedder(engine: Engine, check: HealthCheck, state: MigrationState, index_bytes: int | None) -> EmbedderState:
    used, coming = engine.embedder, state.next_model
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
        change=ModelChange(coming.signature, state.done, state.total, state.started_at, state.error)
        if coming
        else None,
        cache=used.use if isinstance(used, CachedEmbedder) else None,
    )


def providers(engine: Engine, principal: Principal) -> list[EmbeddingProvider]:
    """Return what EMBEDDING_MODEL may be, what of it would work here, and what is in use; the last alone for whoever
    does not administer the installation."""
    listed = _providers(engine)
    return listed if principal.is_installation_admin else [one for one in listed if one.active]


def _providers(engine: Engine) -> list[EmbeddingProvider]:
    embedder = engine.embedder
    used = embedder.source if embedder else "none"
    keyed = bool(os.environ.get("OPENAI_API_KEY")) or used == "remote"
    on_disk = may_be_on_disk(LOCAL_MODEL)
    listed: list[tuple[EmbeddingSource, str, str | None, bool, str]] = [
        ("remote", REMOTE_MODEL, "any name of litellm's, such as ollama/nomic-embed-text", keyed,
         "a key is set" if keyed else "no key is set (EMBEDDING_API_KEY or OPENAI_API_KEY)"),
        ("local", f"local:{LOCAL_MODEL}", "local:<name or folder>", on_disk or used == "local",
         "the model is on disk" if on_disk else f"{LOCAL_MODEL} is not on disk; a folder may be named"),
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


async def start_reindex(engine: Engine, principal: Principal, *, force: bool) -> ReindexStarted:
    """Have the worker embed what is pending or, by force, everything anew. Raises Forbidden, and Conflict without an
    embedder. A request under way goes on; force makes it begin again with everything."""
    principal.require_admin()
    if engine.embedder is None:
        raise Conflict("No embedder is configured (EMBEDDING_MODEL=none): there is nothing to embed with.")
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        counts = await connection.one("index_counts", workspace=workspace)
        total = sum(counts[kind] for kind in ("memories", "messages", "chunks")) if force else counts["pending"]
        started = total > 0 and await embeddings.request_reindex(
            connection, workspace, force=force, total=total, now=engine.now()
        )
        if started:
            await audit.record(connection, principal, "reindex.started", details={"force": force})
    return ReindexStarted(started, total)


async def reindex_progress(engine: Engine, principal: Principal) -> ReindexProgress:
    """Return how far the last reindex has come; ``running`` is false when none was asked for or it is over."""
    async with engine.db.unscoped() as connection:
        request = await connection.row("reindex_request", workspace=principal.workspace_id)
    pending = await _pending(engine, principal.workspace_id)
    if request is None:
        return ReindexProgress(False, 0, 0, None, None, None, running=False, pending=pending)
    return make(ReindexProgress, {**request, "running": request["finished_at"] is None, "pending": pending})


async def _pending(engine: Engine, workspace: UUID) -> int:
    async with engine.db.transaction(workspace) as connection:
        return await connection.value("count_pending", workspace=workspace)
