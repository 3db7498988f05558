"""Embeds everything with a coming model, switches to it, and tidies up; embeds anew what was asked to be (row E4).

The worker takes a step every second. Progress is kept with each batch, so a step
after a crash goes on where the last one ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog

from service.db.pool import Row
from service.embedding.base import Embedder, EmbeddingFailed, EmbeddingTimedOut
from service.embedding.storage import can_take_over
from service.embedding.watched import PROBE
from service.memory.engine import Engine
from service.memory.redaction import masked, workspace_policy
from service.memory.workspace import all_workspaces
from service.store import embeddings
from service.store.embeddings import FIRST, Model, State
from service.store.vectors import Space
from worker.upkeep.embed_pending import embed_pending
from worker.upkeep.large_audiences import tend_large_audiences

log = structlog.get_logger(__name__)

BATCH = 100
MOVED_AT_ONCE = 500
LEASE_S = 10.0
DEADLINE_S = 60.0
FOLLOWED_WITHIN = timedelta(seconds=5)
"""After a switch every process uses the new model within this time, so that no more vectors of the old one come in."""


class _ClaimLost(Exception):
    """Another worker has taken over."""


class Reindexer:
    """Changes models, and embeds anew, in the name of one worker."""

    def __init__(self, engine: Engine, worker: str) -> None:
        self._engine = engine
        self._worker = worker

    async def step(self) -> bool:
        """Do what there is to do, unless another worker does; whether there may be more of it.

        An embedder that fails is noted for all to see, and tried again with the next step.
        """
        async with self._engine.db.unscoped() as connection:
            state = await embeddings.state(connection)
            requests = await connection.fetch("reindex_requests")
        if self._engine.embedder is None or not (state.coming or state.moving or requests):
            return False
        try:
            await self._claim()
            if state.moving:
                return await self._move(state)
            if state.coming is not None:
                return await self._change(state.coming, state)
            for request in requests:
                await self._embed_again(request)
        except _ClaimLost:
            return False
        return bool(requests)

    async def until_done(self) -> None:
        """Take every step there is."""
        while await self.step():
            pass

    async def _claim(self) -> None:
        async with self._engine.db.unscoped() as connection:
            if not await connection.run(
                "claim_embedding", worker=self._worker, lease_s=LEASE_S, now=self._engine.now()
            ):
                raise _ClaimLost

    async def _change(self, coming: Model, state: State) -> bool:
        """One pass over every row without a vector of the coming model; a pass that finds next to none switches."""
        await self._take_up()
        embedder = self._engine.coming
        if embedder is None or embedder.signature != coming.signature:
            return False
        workspaces = await all_workspaces(self._engine)
        if state.total is None:
            await self._count(workspaces, coming)
        filled = 0
        try:
            for workspace in workspaces:
                if state.active is not None and can_take_over(coming.signature, state.active.signature):
                    filled += await self._take_over(workspace, state.active.space, coming.space)
                filled += await self._fill(workspace, embedder, coming.space)
        except EmbeddingFailed as error:
            await self._run("note_change_error", model=coming.number, error=error.message)
            raise
        if filled < BATCH:
            await self._run("switch_model", model=coming.number, now=self._engine.now())
            await self._take_up()
            log.info("embedding_model_changed", signature=coming.signature)
        return True

    async def _take_over(self, workspace: UUID, active: Space, coming: Space) -> int:
        taken, after = 0, FIRST
        while True:
            async with self._engine.db.transaction(workspace) as connection:
                ids = await embeddings.take_over(
                    connection, workspace, active, coming, after, MOVED_AT_ONCE,
                    worker=self._worker, lease_s=LEASE_S, now=self._engine.now(),
                )  # fmt: skip
                if ids is None:
                    raise _ClaimLost
            if not ids:
                return taken
            taken, after = taken + len(ids), max(ids)

    async def _fill(self, workspace: UUID, embedder: Embedder, space: Space) -> int:
        filled, after = 0, FIRST
        while True:
            async with self._engine.db.transaction(workspace) as connection:
                rows = await embeddings.without_vector(connection, workspace, space.number, after, BATCH)
            if not rows:
                return filled
            after = rows[-1]["id"]
            ready, vectors = await self._embedded(workspace, embedder, rows)
            async with self._engine.db.transaction(workspace) as connection:
                if not await embeddings.fill_coming(
                    connection, workspace, ready, vectors, space,
                    worker=self._worker, lease_s=LEASE_S, now=self._engine.now(),
                ):  # fmt: skip
                    raise _ClaimLost
            filled += len(ready)

    async def _move(self, state: State) -> bool:
        """Put the new vectors in the former ones' place; over when no process can be using the old model any more."""
        assert state.active is not None
        moved = 0
        for workspace in await all_workspaces(self._engine):
            after = FIRST
            while True:
                await self._claim()
                async with self._engine.db.transaction(workspace) as connection:
                    rows = await connection.fetch(
                        state.active.space.statement("move_embeddings"),
                        workspace=workspace,
                        model=state.active.number,
                        after=after,
                        limit=MOVED_AT_ONCE,
                    )
                if not rows:
                    break
                moved += len(rows)
                after = max(row["id"] for row in rows)
        settled = state.switched_at is None or self._engine.now() - state.switched_at > FOLLOWED_WITHIN
        if moved == 0 and settled:
            await embed_pending(self._engine)
            await self._run("stop_moving", model=state.active.number)
            await tend_large_audiences(self._engine)
            return state.coming is not None
        return moved > 0

    async def _embed_again(self, request: Row) -> None:
        """What a workspace has asked for: its pending rows or, by force, all of them."""
        workspace: UUID = request["workspace_id"]
        after: UUID = request["after"] or FIRST
        rows_after = embeddings.every_row if request["force"] else embeddings.pending
        while True:
            await self._claim()
            embedder, space = self._engine.embedder, await self._engine.space()
            assert embedder is not None
            assert space is not None
            async with self._engine.db.transaction(workspace) as connection:
                rows = await rows_after(connection, workspace, after, BATCH)
            if not rows:
                await self._run("finish_reindex", workspace=workspace, now=self._engine.now())
                return
            after = rows[-1]["id"]
            try:
                ready, vectors = await self._embedded(workspace, embedder, rows)
            except EmbeddingFailed as error:
                await self._run("note_reindex_error", workspace=workspace, error=error.message)
                raise
            async with self._engine.db.transaction(workspace) as connection:
                await embeddings.fill(connection, workspace, ready, vectors, space)
                await connection.run("advance_reindex", workspace=workspace, after=after, done=len(rows))

    async def _embedded(self, workspace: UUID, embedder: Embedder, rows: Sequence[Row]) -> tuple[list[Row], list[Any]]:
        """The rows that could be embedded, and their vectors. Raises EmbeddingFailed when the embedder is down."""
        policy = await workspace_policy(self._engine, workspace)
        texts = await masked(self._engine, policy, [row["content"] for row in rows])
        try:
            return list(rows), list(await embedder.embed(texts, DEADLINE_S))
        except EmbeddingTimedOut:
            raise
        except EmbeddingFailed as error:
            log.warning("batch_not_embedded", texts=len(rows), error=error.message)
        # One text that a provider refuses must not keep all others from being embedded; but does it answer at all?
        await embedder.embed([PROBE], DEADLINE_S)
        ready: list[Row] = []
        vectors: list[Any] = []
        for row, text in zip(rows, texts, strict=True):
            with suppress(EmbeddingFailed):
                vectors.append((await embedder.embed([text], DEADLINE_S))[0])
                ready.append(row)
        return ready, vectors

    async def _count(self, workspaces: Sequence[UUID], coming: Model) -> None:
        total = 0
        for workspace in workspaces:
            async with self._engine.db.transaction(workspace) as connection:
                total += await connection.value("count_index_rows", workspace=workspace)
        await self._run("set_change_total", model=coming.number, total=total)

    async def _take_up(self) -> None:
        if self._engine.follow is not None:
            await self._engine.follow()

    async def _run(self, name: str, /, **values: Any) -> None:
        async with self._engine.db.unscoped() as connection:
            await connection.run(name, **values)
