"""Vectors of what is stored: missing ones are made, all are made anew for a coming model or where that was asked for,
and large audiences are handed to an HNSW index.

A coming model: the worker takes a step every second. Progress is kept with each batch, so a step after a crash goes on
where the last one ended.

The index keeps searches of large audiences fast. Rows are written without it, since an entry costs a write about a
millisecond; until this job has come by, a search looks at the new ones exactly. Building an index needs a role that
owns the table: where the service has none, large audiences are scanned exactly, and a warning says so.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TypeVarTuple
from uuid import UUID

import asyncpg
import structlog

from service.domain.spending import Payer, paid_by
from service.embedding.embedder import (
    PROBE,
    Embedder,
    EmbeddingFailed,
    EmbeddingOverBudget,
    EmbeddingTimedOut,
    can_convert_in_place,
)
from service.memory.access.redaction import redact_lenient, workspace_masking
from service.memory.access.workspace import active_workspaces, all_workspaces
from service.memory.in_flight import InFlight, Tracker
from service.runtime import Runtime
from service.store import embeddings, hnsw
from service.store.embeddings import FIRST, MigrationState, Model, ReindexRequest, TextToEmbed
from service.store.hnsw import AudienceStats, Partition
from service.store.vectors import Embedding, VectorSpace

log = structlog.get_logger(__name__)

PENDING_BATCH = 200

INDEX_BATCH = 500
Values = TypeVarTuple("Values")
BATCH = 100
COPY_BATCH = 500
LEASE_S = 10.0
DEADLINE_S = 60.0
REFRESHED_WITHIN = timedelta(seconds=5)
"""After a switch every process uses the new model within this time, and no search with the old one is under way."""


async def embed_pending(runtime: Runtime, flight: InFlight | None = None) -> int:
    """Give every pending text its vector; how many got one. A workspace is left at its first batch that fails."""
    if runtime.embedder is None:
        return 0
    flight = flight or InFlight(runtime)
    done = left = 0
    waiting = dict.fromkeys(await active_workspaces(runtime), FIRST)
    while waiting:
        going_on = {}
        for workspace, after in waiting.items():
            with paid_by(Payer(workspace)):
                embedded, last = await _embed_batch(runtime, workspace, flight, after)
            done += embedded
            if last is not None:
                going_on[workspace] = last
            else:
                left += await _left(runtime, workspace)
        waiting = going_on
    async with runtime.db.unscoped() as connection:
        await connection.run("set_total", name="pending", value=left)
    if done:
        log.info("embedded_pending", texts=done)
    return done


async def _embed_batch(runtime: Runtime, workspace: UUID, flight: InFlight, after: UUID) -> tuple[int, UUID | None]:
    """Return how many texts of a batch of rows after an id got a vector, and the last id, where there may be more to
    do; not for a workspace that another worker is at, or has died over a moment ago."""
    async with runtime.db.transaction(workspace) as connection:
        if not await connection.fetch("pending_texts", workspace=workspace, after=after, limit=1):
            return 0, None
    tracker = await flight.open(workspace, "embedding", workspace)
    if tracker is None:
        return 0, None
    async with runtime.db.transaction(workspace) as connection:
        texts = await connection.many(
            TextToEmbed, "pending_texts", workspace=workspace, after=after, limit=PENDING_BATCH
        )
    done = tried = 0
    for _, part in tracker.batches(texts, _id_and_text, PENDING_BATCH):
        filled = await _embed(runtime, workspace, part, tracker)
        done, tried = done + filled, tried + len(part)
        if filled < len(part):
            break
    return done, texts[-1].id if texts and done == tried == len(texts) else None


def _id_and_text(text: TextToEmbed) -> tuple[UUID, str]:
    return text.id, text.content


async def _embed(runtime: Runtime, workspace: UUID, texts: Sequence[TextToEmbed], tracker: Tracker) -> int:
    async with tracker.step("embed", [one.id for one in texts]):
        masked = await redact_lenient(
            runtime, await workspace_masking(runtime, workspace), [one.content for one in texts]
        )
        embedded = await runtime.embed(masked)
    if embedded.space is None:
        return 0
    ready = [(one, vector) for one, vector in zip(texts, embedded.vectors, strict=True) if vector is not None]
    async with runtime.db.transaction(workspace) as connection:
        await embeddings.fill(
            connection, workspace, [one for one, _ in ready], [vector for _, vector in ready], embedded.space
        )
    return len(ready)


async def _left(runtime: Runtime, workspace: UUID) -> int:
    """Return how many texts are without a vector still; those that were retried and have one are resolved."""
    async with runtime.db.transaction(workspace) as connection:
        await connection.run("resolve_retried_texts", workspace=workspace)
        return await connection.value("count_pending", workspace=workspace)


async def maintain_hnsw(runtime: Runtime) -> int:
    """Count every workspace, index what is large; how many rows were handed to the index."""
    space = await runtime.space()
    counted: list[tuple[UUID, AudienceStats]] = []
    for workspace in await all_workspaces(runtime):
        async with runtime.db.transaction(workspace) as connection:
            counted += [(workspace, one) for one in await hnsw.count(connection, workspace, runtime.hnsw_limits)]
    if space is None or runtime.embedder is None:
        return 0
    filled = Counter[int]()
    for _, one in counted:
        if one.part is not None:
            filled[one.part] += one.rows
    handed, needed = 0, set()
    for workspace, one in sorted(counted, key=lambda each: -each[1].rows):
        part = one.part if one.part is not None else await _assign_partition(runtime, workspace, one, filled)
        if part is not None:
            handed += await _index_rows(runtime, workspace, one, space.number)
            needed.add(Partition(space.number, part))
    await _sync_indexes(runtime, space, needed, runtime.embedder.dim)
    if handed:
        log.info("hnsw_rows_indexed", rows=handed)
    return handed


async def _assign_partition(runtime: Runtime, workspace: UUID, one: AudienceStats, filled: Counter[int]) -> int | None:
    """Give an audience the part where any of its rows are, else the emptiest; ``filled`` is how many rows are in each.
    None where its rows are better looked at one by one, as are those of 20,000 beside 200,000 (28 ms, not 13)."""
    limits = runtime.hnsw_limits
    if not limits.hnsw_is_cheaper(one.rows, rows_of_others=0):
        return None
    async with runtime.db.transaction(workspace) as connection:
        part = await hnsw.partition_of(connection, workspace, one.audience)
        if part is None:
            part = min(range(limits.partitions), key=lambda number: filled[number])
        if not limits.hnsw_is_cheaper(one.rows, rows_of_others=filled[part]):
            return None
        await connection.run("assign_partition", workspace=workspace, audience=one.audience, kind=one.kind, part=part)
    filled[part] += one.rows
    return part


async def _index_rows(runtime: Runtime, workspace: UUID, one: AudienceStats, model: int) -> int:
    """Hand all rows of an audience that its part of the index does not have yet to it; how many."""
    handed = 0
    while True:
        async with runtime.db.transaction(workspace) as connection:
            some = await connection.run(
                "index_rows", workspace=workspace, audience=one.audience, kind=one.kind, model=model, limit=INDEX_BATCH
            )
        handed += some
        if some < INDEX_BATCH:
            return handed


async def _sync_indexes(runtime: Runtime, space: VectorSpace, needed: set[Partition], dim: int) -> None:
    """Build what is needed and not there; drop what was left half built, or is of a model that is no longer in use."""
    async with runtime.db.unscoped() as connection:
        state = await embeddings.state(connection)
        there = await hnsw.indexes(connection)
    in_use = tuple(hnsw.index_names(model.number) for model in (state.active, state.next_model) if model is not None)
    useless = [name for name, index in there.items() if index.broken or not name.startswith(in_use)]
    missing = [part for part in needed if part.name not in there or part.name in useless]
    if missing and hnsw.exceeds_index_dim(space, dim):
        hint = "REVERIE_TUNING.embedding_storage: binary indexes longer ones"
        log.warning("vectors_too_long_to_index", dim=dim, hint=hint)
        missing = []
    try:
        for name in useless:
            async with runtime.db.unscoped() as connection:
                await hnsw.drop_index(connection, name)
        for part in missing:
            async with runtime.db.unscoped() as connection:
                await hnsw.build_index(connection, part, space.storage, dim=dim)
    except asyncpg.InsufficientPrivilegeError:
        log.warning("no_right_to_build_index", hint="let the owner of search_index run `python -m worker once`")


class _LeaseLost(Exception):
    """Another worker has taken over."""


class Reindexer:
    """Changes models, and embeds anew, in the name of one worker. ``refreshed_within``: how long after a switch other
    processes may still use the old model."""

    def __init__(
        self,
        runtime: Runtime,
        worker: str,
        flight: InFlight | None = None,
        *,
        refreshed_within: timedelta = REFRESHED_WITHIN,
    ) -> None:
        self._runtime = runtime
        self._worker = worker
        self._flight = flight or InFlight(runtime, worker)
        self._refreshed_within = refreshed_within

    async def step(self) -> bool:
        """Do what there is to do, unless another worker does; whether there may be more of it.

        An embedder that fails is noted for all to see, and tried again with the next step.
        """
        async with self._runtime.db.unscoped() as connection:
            state = await embeddings.state(connection)
            requests = await connection.many(ReindexRequest, "reindex_requests")
        if self._runtime.embedder is None or not (state.next_model or state.backfilling or requests):
            return False
        try:
            await self._claim()
            if state.backfilling:
                return await self._swap_columns(state)
            if state.next_model is not None:
                return await self._backfill(state.next_model, state)
            return any([await self._embed_within_budget(request) for request in requests])
        except _LeaseLost:
            return False

    async def until_done(self) -> None:
        """Take every step there is."""
        while await self.step():
            pass

    async def _claim(self) -> None:
        async with self._runtime.db.unscoped() as connection:
            if not await connection.run("claim_embedding", worker=self._worker, lease_s=LEASE_S):
                raise _LeaseLost

    async def _backfill(self, coming: Model, state: MigrationState) -> bool:
        """Pass once over every row without a vector of the coming model; a pass that finds next to none switches."""
        await self._refresh_model()
        embedder = self._runtime.next_embedder
        if embedder is None or embedder.signature != coming.signature:
            return False
        workspaces = await all_workspaces(self._runtime)
        if state.total is None:
            await self._count(workspaces, coming)
        filled = 0
        try:
            for workspace in workspaces:
                if state.active is not None and can_convert_in_place(coming.signature, state.active.signature):
                    filled += await self._copy_vectors(workspace, state.active.space, coming.space)
                filled += await self._fill(workspace, embedder, coming.space)
        except EmbeddingFailed as error:
            await self._note("note_migration_error", model=coming.number, error=error.message)
            raise
        if filled < BATCH:
            await self._note("switch_model", model=coming.number, now=self._runtime.now())
            await self._refresh_model()
            log.info("embedding_model_changed", signature=coming.signature)
        return True

    async def _copy_vectors(self, workspace: UUID, active: VectorSpace, coming: VectorSpace) -> int:
        taken, after = 0, FIRST
        while True:
            async with self._runtime.db.transaction(workspace) as connection:
                ids = await embeddings.copy_vectors(
                    connection, workspace, active, coming, after, COPY_BATCH,
                    worker=self._worker, lease_s=LEASE_S,
                )  # fmt: skip
                if ids is None:
                    raise _LeaseLost
            if not ids:
                return taken
            taken, after = taken + len(ids), max(ids)

    async def _fill(self, workspace: UUID, embedder: Embedder, space: VectorSpace) -> int:
        filled, after = 0, FIRST
        while True:
            tracker = await self._crash_tracker(workspace)
            async with self._runtime.db.transaction(workspace) as connection:
                texts = await connection.many(
                    TextToEmbed,
                    "rows_without_vector",
                    workspace=workspace,
                    model=space.number,
                    after=after,
                    limit=BATCH,
                )
            if not texts:
                return filled
            after = texts[-1].id
            ready, vectors = await self._embedded(workspace, embedder, texts, tracker)
            async with self._runtime.db.transaction(workspace) as connection:
                if not await embeddings.fill_next(
                    connection, workspace, ready, vectors, space,
                    worker=self._worker, lease_s=LEASE_S,
                ):  # fmt: skip
                    raise _LeaseLost
            filled += len(ready)

    async def _swap_columns(self, state: MigrationState) -> bool:
        """Put the new vectors in the former ones' place, once no process uses the old model any more and no search that
        began before the switch is under way: it would find nothing."""
        assert state.active is not None
        if state.switched_at is not None:
            # Another process's clock may be ahead: the wait stays below the lease all the same.
            settles_in = min(self._refreshed_within, self._refreshed_within - (self._runtime.now() - state.switched_at))
            await asyncio.sleep(max(0.0, settles_in.total_seconds()))
        moved = 0
        for workspace in await all_workspaces(self._runtime):
            after = FIRST
            while True:
                await self._claim()
                async with self._runtime.db.transaction(workspace) as connection:
                    rows = await connection.fetch(
                        "backfill_embeddings", state.active.space.flags, workspace=workspace,
                        model=state.active.number, after=after, limit=COPY_BATCH,
                    )  # fmt: skip
                if not rows:
                    break
                moved += len(rows)
                after = max(row["id"] for row in rows)
        if moved == 0:
            await embed_pending(self._runtime, self._flight)
            await self._note("stop_backfilling", model=state.active.number)
            await maintain_hnsw(self._runtime)
            return state.next_model is not None
        return True

    async def _embed_within_budget(self, request: ReindexRequest) -> bool:
        """Return whether it was done; a workspace whose budget is used up waits, and keeps no other from its turn."""
        try:
            with paid_by(Payer(request.workspace_id)):
                await self._reembed(request)
        except EmbeddingOverBudget as error:
            log.warning("reindex_postponed", workspace_id=str(request.workspace_id), error=error.message)
            return False
        return True

    async def _reembed(self, request: ReindexRequest) -> None:
        """Embed what a workspace has asked for: its pending rows or, by force, all of them."""
        workspace, after = request.workspace_id, request.after or FIRST
        query = "rows_to_embed_again" if request.force else "pending_texts"
        while True:
            await self._claim()
            embedder, space = self._runtime.embedder, await self._runtime.space()
            assert embedder is not None
            assert space is not None
            tracker = await self._crash_tracker(workspace)
            async with self._runtime.db.transaction(workspace) as connection:
                texts = await connection.many(TextToEmbed, query, workspace=workspace, after=after, limit=BATCH)
            if not texts:
                await self._note("finish_reindex", workspace=workspace, now=self._runtime.now())
                return
            after = texts[-1].id
            try:
                ready, vectors = await self._embedded(workspace, embedder, texts, tracker)
            except EmbeddingFailed as error:
                await self._note("note_reindex_error", workspace=workspace, error=error.message)
                raise
            async with self._runtime.db.transaction(workspace) as connection:
                await embeddings.fill(connection, workspace, ready, vectors, space)
                await connection.run("advance_reindex", workspace=workspace, after=after, done=len(texts))

    async def _crash_tracker(self, workspace: UUID) -> Tracker:
        """Return what workers have died on here. Raises _LeaseLost when another is at it, or has died over it a moment
        ago."""
        tracker = await self._flight.open(workspace, "reindex", workspace)
        if tracker is None:
            raise _LeaseLost
        return tracker

    async def _embedded(
        self, workspace: UUID, embedder: Embedder, texts: Sequence[TextToEmbed], tracker: Tracker
    ) -> tuple[list[TextToEmbed], list[Embedding]]:
        """Return the texts that could be embedded, and their vectors. Raises EmbeddingFailed when the embedder is
        down."""
        ready: list[TextToEmbed] = []
        vectors: list[Embedding] = []
        for _, part in tracker.batches(texts, _id_and_text, BATCH):
            some, theirs = await self._embed(workspace, embedder, part, tracker)
            ready += some
            vectors += theirs
        return ready, vectors

    async def _embed(
        self, workspace: UUID, embedder: Embedder, texts: Sequence[TextToEmbed], tracker: Tracker
    ) -> tuple[list[TextToEmbed], list[Embedding]]:
        policy = await workspace_masking(self._runtime, workspace)
        async with tracker.step("embed", [one.id for one in texts]):
            masked = await redact_lenient(self._runtime, policy, [one.content for one in texts])
            try:
                return list(texts), list(await embedder.embed(masked, DEADLINE_S))
            except (EmbeddingTimedOut, EmbeddingOverBudget):
                raise
            except EmbeddingFailed as error:
                log.warning("batch_not_embedded", texts=len(texts), error=error.message)
        # One text that a provider refuses must not keep all others from being embedded; but does it answer at all?
        await embedder.embed([PROBE], DEADLINE_S)
        ready: list[TextToEmbed] = []
        vectors: list[Embedding] = []
        for one, text in zip(texts, masked, strict=True):
            async with tracker.step("embed", [one.id]):
                with suppress(EmbeddingFailed):
                    vectors.append((await embedder.embed([text], DEADLINE_S))[0])
                    ready.append(one)
        return ready, vectors

    async def _count(self, workspaces: Sequence[UUID], coming: Model) -> None:
        total = 0
        for workspace in workspaces:
            async with self._runtime.db.transaction(workspace) as connection:
                total += await connection.value("count_index_rows", workspace=workspace)
        await self._note("set_migration_total", model=coming.number, total=total)

    async def _refresh_model(self) -> None:
        if self._runtime.refresh_active_model is not None:
            await self._runtime.refresh_active_model()

    async def _note(self, query: str, **values: object) -> None:
        async with self._runtime.db.unscoped() as connection:
            await connection.run(query, **values)
