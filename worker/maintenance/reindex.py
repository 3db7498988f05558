"""Embeds everything with a coming model, switches to it, and tidies up; embeds anew what was asked to be.

The worker takes a step every second. Progress is kept with each batch, so a step
after a crash goes on where the last one ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TypeVarTuple
from uuid import UUID

import structlog

from service.db.pool import Row
from service.domain.spending import Payer, paid_by
from service.embedding.base import Embedder, EmbeddingFailed, EmbeddingOverBudget, EmbeddingTimedOut
from service.embedding.monitored import PROBE
from service.embedding.storage import can_convert_in_place
from service.memory.access.redaction import redact_lenient, workspace_masking
from service.memory.access.workspace import all_workspaces
from service.memory.engine import Engine
from service.memory.in_flight import InFlight, Tracker
from service.store import embeddings
from service.store.embeddings import FIRST, MigrationState, Model
from service.store.vectors import Embedding, VectorSpace
from worker.maintenance.embed_pending import embed_pending
from worker.maintenance.hnsw import maintain_hnsw

Values = TypeVarTuple("Values")

log = structlog.get_logger(__name__)

BATCH = 100
COPY_BATCH = 500
LEASE_S = 10.0
DEADLINE_S = 60.0
REFRESHED_WITHIN = timedelta(seconds=5)
"""After a switch every process uses the new model within this time, so that no more vectors of the old one come in."""


class _LeaseLost(Exception):
    """Another worker has taken over."""


class Reindexer:
    """Changes models, and embeds anew, in the name of one worker. ``refreshed_within``: how long after a switch other
    processes may still use the old model."""

    def __init__(
        self,
        engine: Engine,
        worker: str,
        flight: InFlight | None = None,
        *,
        refreshed_within: timedelta = REFRESHED_WITHIN,
    ) -> None:
        self._engine = engine
        self._worker = worker
        self._flight = flight or InFlight(engine, worker)
        self._refreshed_within = refreshed_within

    async def step(self) -> bool:
        """Do what there is to do, unless another worker does; whether there may be more of it.

        An embedder that fails is noted for all to see, and tried again with the next step.
        """
        async with self._engine.db.unscoped() as connection:
            state = await embeddings.state(connection)
            requests = await connection.fetch("reindex_requests")
        if self._engine.embedder is None or not (state.next_model or state.backfilling or requests):
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
        async with self._engine.db.unscoped() as connection:
            if not await embeddings.claim_lease(connection, self._worker, LEASE_S):
                raise _LeaseLost

    async def _backfill(self, coming: Model, state: MigrationState) -> bool:
        """One pass over every row without a vector of the coming model; a pass that finds next to none switches."""
        await self._refresh_model()
        embedder = self._engine.next_embedder
        if embedder is None or embedder.signature != coming.signature:
            return False
        workspaces = await all_workspaces(self._engine)
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
            await self._note("switch_model", model=coming.number, now=self._engine.now())
            await self._refresh_model()
            log.info("embedding_model_changed", signature=coming.signature)
        return True

    async def _copy_vectors(self, workspace: UUID, active: VectorSpace, coming: VectorSpace) -> int:
        taken, after = 0, FIRST
        while True:
            async with self._engine.db.transaction(workspace) as connection:
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
            tracker = await self._suspects(workspace)
            async with self._engine.db.transaction(workspace) as connection:
                rows = await connection.fetch(
                    "rows_without_vector", workspace=workspace, model=space.number, after=after, limit=BATCH
                )
            if not rows:
                return filled
            after = rows[-1]["id"]
            ready, vectors = await self._embedded(workspace, embedder, rows, tracker)
            async with self._engine.db.transaction(workspace) as connection:
                if not await embeddings.fill_next(
                    connection, workspace, ready, vectors, space,
                    worker=self._worker, lease_s=LEASE_S,
                ):  # fmt: skip
                    raise _LeaseLost
            filled += len(ready)

    async def _swap_columns(self, state: MigrationState) -> bool:
        """Put the new vectors in the former ones' place; over when no process can be using the old model any more."""
        assert state.active is not None
        moved = 0
        for workspace in await all_workspaces(self._engine):
            after = FIRST
            while True:
                await self._claim()
                async with self._engine.db.transaction(workspace) as connection:
                    rows = await connection.fetch(
                        "backfill_embeddings", state.active.space.flags, workspace=workspace,
                        model=state.active.number, after=after, limit=COPY_BATCH,
                    )  # fmt: skip
                if not rows:
                    break
                moved += len(rows)
                after = max(row["id"] for row in rows)
        settled = state.switched_at is None or self._engine.now() - state.switched_at > self._refreshed_within
        if moved == 0 and settled:
            await embed_pending(self._engine, self._flight)
            await self._note("stop_backfilling", model=state.active.number)
            await maintain_hnsw(self._engine)
            return state.next_model is not None
        return moved > 0

    async def _embed_within_budget(self, request: Row) -> bool:
        """Whether it was done; a workspace whose budget is used up waits, and keeps no other from its turn."""
        try:
            with paid_by(Payer(request["workspace_id"])):
                await self._reembed(request)
        except EmbeddingOverBudget as error:
            log.warning("reindex_postponed", workspace_id=str(request["workspace_id"]), error=error.message)
            return False
        return True

    async def _reembed(self, request: Row) -> None:
        """What a workspace has asked for: its pending rows or, by force, all of them."""
        workspace: UUID = request["workspace_id"]
        after: UUID = request["after"] or FIRST
        query = "rows_to_embed_again" if request["force"] else "pending_texts"
        while True:
            await self._claim()
            embedder, space = self._engine.embedder, await self._engine.space()
            assert embedder is not None
            assert space is not None
            tracker = await self._suspects(workspace)
            async with self._engine.db.transaction(workspace) as connection:
                rows = await connection.fetch(query, workspace=workspace, after=after, limit=BATCH)
            if not rows:
                await self._note("finish_reindex", workspace=workspace, now=self._engine.now())
                return
            after = rows[-1]["id"]
            try:
                ready, vectors = await self._embedded(workspace, embedder, rows, tracker)
            except EmbeddingFailed as error:
                await self._note("note_reindex_error", workspace=workspace, error=error.message)
                raise
            async with self._engine.db.transaction(workspace) as connection:
                await embeddings.fill(connection, workspace, ready, vectors, space)
                await connection.run("advance_reindex", workspace=workspace, after=after, done=len(rows))

    async def _suspects(self, workspace: UUID) -> Tracker:
        """What workers have died on here. Raises _LeaseLost when another is at it, or has died over it a moment ago."""
        tracker = await self._flight.open(workspace, "reindex", workspace)
        if tracker is None:
            raise _LeaseLost
        return tracker

    async def _embedded(
        self, workspace: UUID, embedder: Embedder, rows: Sequence[Row], tracker: Tracker
    ) -> tuple[list[Row], list[Embedding]]:
        """The rows that could be embedded, and their vectors. Raises EmbeddingFailed when the embedder is down."""
        ready: list[Row] = []
        vectors: list[Embedding] = []
        for _, part in tracker.batches(rows, embeddings.text_of_row, BATCH):
            some, theirs = await self._embed(workspace, embedder, part, tracker)
            ready += some
            vectors += theirs
        return ready, vectors

    async def _embed(
        self, workspace: UUID, embedder: Embedder, rows: Sequence[Row], tracker: Tracker
    ) -> tuple[list[Row], list[Embedding]]:
        policy = await workspace_masking(self._engine, workspace)
        async with tracker.step("embed", [row["id"] for row in rows]):
            texts = await redact_lenient(self._engine, policy, [row["content"] for row in rows])
            try:
                return list(rows), list(await embedder.embed(texts, DEADLINE_S))
            except (EmbeddingTimedOut, EmbeddingOverBudget):
                raise
            except EmbeddingFailed as error:
                log.warning("batch_not_embedded", texts=len(rows), error=error.message)
        # One text that a provider refuses must not keep all others from being embedded; but does it answer at all?
        await embedder.embed([PROBE], DEADLINE_S)
        ready: list[Row] = []
        vectors: list[Embedding] = []
        for row, text in zip(rows, texts, strict=True):
            async with tracker.step("embed", [row["id"]]):
                with suppress(EmbeddingFailed):
                    vectors.append((await embedder.embed([text], DEADLINE_S))[0])
                    ready.append(row)
        return ready, vectors

    async def _count(self, workspaces: Sequence[UUID], coming: Model) -> None:
        total = 0
        for workspace in workspaces:
            async with self._engine.db.transaction(workspace) as connection:
                total += await connection.value("count_index_rows", workspace=workspace)
        await self._note("set_migration_total", model=coming.number, total=total)

    async def _refresh_model(self) -> None:
        if self._engine.refresh_active_model is not None:
            await self._engine.refresh_active_model()

    async def _note(self, query: str, **values: object) -> None:
        async with self._engine.db.unscoped() as connection:
            await connection.run(query, **values)
