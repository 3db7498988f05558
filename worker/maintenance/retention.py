"""Retention: deletes what is past its term: bounded batches, each a short transaction, until none is left.

- memories that nobody has used for ``retention.unused_days``, where that is set: they are deleted, and can be restored
- memories deleted ``retention.deleted_days`` ago, which can be restored no longer, and those expired as long ago
- sessions, agents and teams deleted as long ago
- checkpoints of finished dreams after a week: one that failed may be tried again with what it has paid for
- what models answered about pairs of statements, after 400 days
- answers kept for repeated requests, after their day
- proposals that nobody has decided on for ``PROPOSALS_KEPT``, and the words of those rejected as long ago
- events, after ``EVENTS_KEPT``
- calls of language models, after ``retention.model_calls_days``; all where none are kept any more
- what models were used for, what was stored and how many searches there were, after 400 days
- counts of requests that limits hold, after two days
- authorization codes a day after their expiry, refresh tokens with it, and clients of OAuth that nobody uses

Counts what is stored: memories and messages, and their bytes, by key and in all. Each run notes the day's count of
every workspace once, for ``GET /v1/usage``. Where rows or bytes are limited it counts again on every run, and corrects
what the triggers keep: they know nothing of what was written while a limit was being set.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol
from uuid import UUID

import structlog

from service.db.pool import Connection
from service.memory.access.keys import recount
from service.memory.access.oauth import CODES_KEPT, collect_clients
from service.memory.access.workspace import active_workspaces
from service.memory.saving.idempotency import RETENTION
from service.runtime import Runtime
from service.store import deletions, memories, model_usage
from service.store.settings import workspace_settings

log = structlog.get_logger(__name__)

ACTOR = "retention"
BATCH = 500
EVENTS_KEPT = timedelta(days=7)
PROPOSALS_KEPT = timedelta(days=90)
"""A quarter: who has not looked into the inbox for so long will not, and what is said again is proposed again."""
STEPS_KEPT = timedelta(days=7)
VERDICTS_KEPT = timedelta(days=400)
USAGE_KEPT = timedelta(days=400)
REQUESTS_KEPT = timedelta(days=2)


class Batch(Protocol):
    """Deletes at most ``limit`` of what is from before then; how many there were."""

    async def __call__(self, connection: Connection, workspace: UUID, /, *, before: datetime, limit: int) -> int: ...


async def apply_retention(runtime: Runtime) -> dict[str, int]:
    """Collect in every workspace; how many ``unused``, ``memories``, ``deletions``, ``steps``, ``answers``,
    ``proposals``, ``events``, ``model_calls``, ``usage``, ``oauth`` are gone."""
    gone = {"unused": 0, "memories": 0, "deletions": 0, "steps": 0, "answers": 0, "proposals": 0, "events": 0}
    gone |= {"model_calls": 0, "usage": 0}
    gone["oauth"] = await collect_clients(runtime)
    now = runtime.now()
    for workspace in await active_workspaces(runtime):
        async with runtime.db.transaction(workspace) as connection:
            retention = (await workspace_settings(connection, workspace)).retention
        if retention.unused_days is not None:
            unused = partial(_delete_unused, now=now, days=retention.unused_days)
            gone["unused"] += await _all(runtime, workspace, unused, now - timedelta(days=retention.unused_days))
        deleted_days = timedelta(days=retention.deleted_days)
        moving: tuple[tuple[str, Batch, datetime], ...] = (
            ("memories", _delete_expired, now - deleted_days),
            ("steps", _rows("collect_steps", verdicts=False), now - STEPS_KEPT),
            ("steps", _rows("collect_steps", verdicts=True), now - VERDICTS_KEPT),
            ("proposals", _rows("collect_proposals"), now - PROPOSALS_KEPT),
            ("proposals", _rows("erase_proposals"), now - PROPOSALS_KEPT),
            ("model_calls", _rows("collect_model_calls"), now - timedelta(days=retention.model_calls_days or 0)),
        )
        staying: tuple[tuple[str, Batch, datetime], ...] = (
            ("answers", _rows("collect_responses"), now - RETENTION),
            ("events", _delete_events, now - EVENTS_KEPT),
            ("usage", model_usage.collect, now - USAGE_KEPT),
            ("usage", _rows("collect_search_counts"), now - USAGE_KEPT),
            ("usage", _rows("collect_key_usage"), now - USAGE_KEPT),
            ("usage", _rows("collect_stored_days"), now - USAGE_KEPT),
            ("usage", _rows("collect_request_counts"), now - REQUESTS_KEPT),
            ("oauth", _rows("collect_codes"), now - CODES_KEPT),
            ("oauth", _rows("collect_refresh_tokens"), now),
        )
        gone["deletions"] += await _all(runtime, workspace, deletions.collect, now - deleted_days)
        for place in await _places(runtime, workspace):
            for name, batch, before in (*moving, *(staying if place == workspace else ())):
                gone[name] += await _all(runtime, place, batch, before)
    if any(gone.values()):
        log.info("retention_applied", **gone)
    return gone


def _rows(query: str, **values: object) -> Batch:
    async def collect(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
        return await connection.run(query, workspace=workspace, before=before, limit=limit, **values)

    return collect


async def _places(runtime: Runtime, workspace: UUID) -> list[UUID]:
    """Return the workspace and those in which its deletions wait, where what has a time of its own keeps it."""
    async with runtime.db.transaction(workspace) as connection:
        return await deletions.places(connection, workspace)


async def _delete_unused(
    connection: Connection, workspace: UUID, *, before: datetime, limit: int, now: datetime, days: int
) -> int:
    rows = await connection.fetch("unused_memories", workspace=workspace, before=before, limit=limit)
    for row in rows:
        await memories.mark_deleted(
            connection, workspace, row["id"], now, actor=ACTOR, reason=f"not used for {days} days", now=now
        )
    return len(rows)


async def _delete_expired(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Delete memories deleted or expired before then, with all that is kept or concluded of them alone; how many."""
    rows = await connection.fetch("collectable_memories", workspace=workspace, before=before, limit=limit)
    return await memories.remove(connection, workspace, [row["id"] for row in rows]) if rows else 0


async def _delete_events(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Delete what happened before then; how much. What nobody has read leaves a gap in the positions, which is told."""
    last: int = await connection.value("lock_event_sequence", workspace=workspace)
    unread = await connection.run("collect_unread_events", workspace=workspace, before=before, limit=limit)
    if unread:
        await connection.run("set_event_sequence", workspace=workspace, last=last + unread)
    return unread + await connection.run("collect_events", workspace=workspace, before=before, limit=limit)


async def _all(runtime: Runtime, workspace: UUID, batch: Batch, before: datetime) -> int:
    collected = 0
    while True:
        async with runtime.db.transaction(workspace) as connection:
            some = await batch(connection, workspace, before=before, limit=BATCH)
        collected += some
        if some < BATCH:
            return collected


async def count_stored(runtime: Runtime) -> int:
    """Count in every workspace where it is due; how many counts of limits were wrong."""
    day = runtime.now().astimezone(UTC).date()
    corrected = 0
    for workspace in await active_workspaces(runtime):
        async with runtime.db.transaction(workspace) as connection:
            if await connection.value("is_counted", workspace=workspace, day=day):
                continue
        corrected += await recount(runtime, workspace)
    if corrected:
        log.warning("stored_counts_corrected", counts=corrected)
    return corrected
