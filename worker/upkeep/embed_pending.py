"""Embeds what could not be embedded when it was saved (row E2): bounded batches, until none is left."""

from __future__ import annotations

from uuid import UUID

import structlog

from service.memory.engine import Engine
from service.memory.redaction import masked, workspace_policy
from service.memory.workspace import all_workspaces
from service.store import embeddings, health
from service.store.embeddings import FIRST

log = structlog.get_logger(__name__)

BATCH = 200


async def embed_pending(engine: Engine) -> int:
    """Give every pending text its vector; how many got one. Stops at the first batch that fails."""
    if engine.embedder is None:
        return 0
    done = left = 0
    for workspace in await all_workspaces(engine):
        embedded, waiting = await _embed_workspace(engine, workspace)
        done, left = done + embedded, left + waiting
    async with engine.db.unscoped() as connection:
        await health.set_total(connection, "pending", left)
    if done:
        log.info("embedded_pending", texts=done)
    return done


async def _embed_workspace(engine: Engine, workspace: UUID) -> tuple[int, int]:
    """How many texts got a vector, and how many still have none."""
    done = 0
    while True:
        async with engine.db.transaction(workspace) as connection:
            rows = await embeddings.pending(connection, workspace, FIRST, BATCH)
        if not rows:
            return done, 0
        texts = await masked(engine, await workspace_policy(engine, workspace), [row["content"] for row in rows])
        embedded = await engine.embed(texts)
        if embedded.space is None:
            return done, await _left(engine, workspace)
        ready = [(row, vector) for row, vector in zip(rows, embedded.vectors, strict=True) if vector is not None]
        async with engine.db.transaction(workspace) as connection:
            done += await embeddings.fill(
                connection, workspace, [row for row, _ in ready], [vector for _, vector in ready], embedded.space
            )
        if len(ready) < len(rows):
            return done, await _left(engine, workspace)


async def _left(engine: Engine, workspace: UUID) -> int:
    async with engine.db.transaction(workspace) as connection:
        count: int = await connection.value("count_pending", workspace=workspace)
    return count
