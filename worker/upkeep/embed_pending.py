"""Embeds what could not be embedded when it was saved (row E2): bounded batches, until none is left."""

from __future__ import annotations

from uuid import UUID

import structlog

from service.memory.engine import Engine
from service.memory.redaction import masked, workspace_policy
from service.memory.workspace import all_workspaces
from service.store import embeddings
from service.store.embeddings import FIRST

log = structlog.get_logger(__name__)

BATCH = 200


async def embed_pending(engine: Engine) -> int:
    """Give every pending text its vector; how many got one. Stops at the first batch that fails."""
    if engine.embedder is None:
        return 0
    done = 0
    for workspace in await all_workspaces(engine):
        done += await _embed_workspace(engine, workspace)
    if done:
        log.info("embedded_pending", texts=done)
    return done


async def _embed_workspace(engine: Engine, workspace: UUID) -> int:
    done = 0
    while True:
        async with engine.db.transaction(workspace) as connection:
            rows = await embeddings.pending(connection, workspace, FIRST, BATCH)
        if not rows:
            return done
        texts = await masked(engine, await workspace_policy(engine, workspace), [row["content"] for row in rows])
        embedded = await engine.embed(texts)
        if embedded.model is None:
            return done
        ready = [(row, vector) for row, vector in zip(rows, embedded.vectors, strict=True) if vector is not None]
        async with engine.db.transaction(workspace) as connection:
            done += await embeddings.fill(
                connection, workspace, [row for row, _ in ready], [vector for _, vector in ready], embedded.model
            )
        if len(ready) < len(rows):
            return done
