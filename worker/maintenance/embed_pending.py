"""Embeds what could not be embedded when it was saved, a batch of each workspace in turn."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import structlog

from service.db.pool import Row
from service.domain.spending import Payer, paid_by
from service.memory.access.redaction import redact_lenient, workspace_masking
from service.memory.access.workspace import active_workspaces
from service.memory.engine import Engine
from service.memory.in_flight import InFlight, Tracker
from service.store import embeddings, health
from service.store.embeddings import FIRST

log = structlog.get_logger(__name__)

BATCH = 200


async def embed_pending(engine: Engine, flight: InFlight | None = None) -> int:
    """Give every pending text its vector; how many got one. A workspace is left at its first batch that fails."""
    if engine.embedder is None:
        return 0
    flight = flight or InFlight(engine)
    done = left = 0
    waiting = dict.fromkeys(await active_workspaces(engine), FIRST)
    while waiting:
        going_on = {}
        for workspace, after in waiting.items():
            with paid_by(Payer(workspace)):
                embedded, last = await _embed_batch(engine, workspace, flight, after)
            done += embedded
            if last is not None:
                going_on[workspace] = last
            else:
                left += await _left(engine, workspace)
        waiting = going_on
    async with engine.db.unscoped() as connection:
        await health.set_total(connection, "pending", left)
    if done:
        log.info("embedded_pending", texts=done)
    return done


async def _embed_batch(engine: Engine, workspace: UUID, flight: InFlight, after: UUID) -> tuple[int, UUID | None]:
    """How many texts of a batch of rows after an id got a vector, and the last id, where there may be more to do; not
    for a workspace that another worker is at, or has died over a moment ago."""
    async with engine.db.transaction(workspace) as connection:
        if not await connection.fetch("pending_texts", workspace=workspace, after=after, limit=1):
            return 0, None
    tracker = await flight.open(workspace, "embedding", workspace)
    if tracker is None:
        return 0, None
    async with engine.db.transaction(workspace) as connection:
        rows = await connection.fetch("pending_texts", workspace=workspace, after=after, limit=BATCH)
    done = tried = 0
    for _, part in tracker.batches(rows, embeddings.text_of_row, BATCH):
        filled = await _embed(engine, workspace, part, tracker)
        done, tried = done + filled, tried + len(part)
        if filled < len(part):
            break
    return done, rows[-1]["id"] if rows and done == tried == len(rows) else None


async def _embed(engine: Engine, workspace: UUID, rows: Sequence[Row], tracker: Tracker) -> int:
    async with tracker.step("embed", [row["id"] for row in rows]):
        texts = await redact_lenient(
            engine, await workspace_masking(engine, workspace), [row["content"] for row in rows]
        )
        embedded = await engine.embed(texts)
    if embedded.space is None:
        return 0
    ready = [(row, vector) for row, vector in zip(rows, embedded.vectors, strict=True) if vector is not None]
    async with engine.db.transaction(workspace) as connection:
        await embeddings.fill(
            connection, workspace, [row for row, _ in ready], [vector for _, vector in ready], embedded.space
        )
    return len(ready)


async def _left(engine: Engine, workspace: UUID) -> int:
    """How many texts are without a vector still; those that were retried and have one are resolved."""
    async with engine.db.transaction(workspace) as connection:
        await connection.run("resolve_retried_texts", workspace=workspace)
        return await connection.value("count_pending", workspace=workspace)
