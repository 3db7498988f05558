"""What happened, in an order nobody can skip anything of, and the webhooks it is sent to.

The statements that change something write its event, with no position. Positions are given when somebody reads, under
the lock of the workspace's counter: transactions that commit late get later positions, never ones already passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.events import Kind

POSITIONED_AT_ONCE = 1_000

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """One event; ``position`` grows by one within a workspace."""

    position: int
    body: Json


async def position(connection: Connection, workspace: UUID) -> int:
    """Give positions to a batch of events that have none; how many got one."""
    if not await connection.value("events_waiting", workspace=workspace):
        return 0
    last: int = await connection.value("hold_event_counter", workspace=workspace)
    reached = await connection.value("position_events", workspace=workspace, last=last, limit=POSITIONED_AT_ONCE)
    if reached is None:
        return 0
    await connection.run("move_event_counter", workspace=workspace, last=reached)
    return int(reached) - last


async def last(connection: Connection, workspace: UUID) -> int:
    """The last position given; 0 when there was none."""
    return await connection.value("last_event", workspace=workspace) or 0


async def first(connection: Connection, workspace: UUID) -> int | None:
    """The oldest position that can still be read."""
    found: int | None = await connection.value("first_event", workspace=workspace)
    return found


async def after(
    connection: Connection,
    workspace: UUID,
    position: int,
    *,
    agent: str | None,
    kinds: Sequence[Kind] | None,
    limit: int,
) -> list[Event]:
    """The next events after a position, in order."""
    rows = await connection.fetch(
        "list_events",
        workspace=workspace,
        after=position,
        agent=agent,
        kinds=list(kinds) if kinds else None,
        limit=limit,
    )
    return [Event(row["position"], _body(row)) for row in rows]


def _body(row: Row) -> Json:
    """An event as the API tells it: ids, never content."""
    subject = {"memory": "memory_id", "dream": "dream_id", "window": "session_id"}[row["kind"].partition(".")[0]]
    body: Json = {
        "id": row["id"],
        "position": row["position"],
        "type": row["kind"],
        "at": row["at"],
        "agent": row["agent"],
    }
    session: Json = {"session": row["session"]} if row["session"] else {}
    details: Json = row["details"]
    return body | {subject: row["subject_id"]} | session | details


async def collect(connection: Connection, workspace: UUID, before: datetime) -> int:
    """Drop the events from before a time; how many."""
    return await connection.run("collect_events", workspace=workspace, before=before)


async def add_webhook(
    connection: Connection, workspace: UUID, webhook_id: UUID, *, url: str, name: str | None,
    kinds: Sequence[Kind] | None, secret: str, position: int, now: datetime,
) -> None:  # fmt: skip
    """A webhook that is sent what comes after ``position``."""
    await connection.run(
        "add_webhook", workspace=workspace, id=webhook_id, url=url, name=name, kinds=list(kinds) if kinds else None,
        secret=secret, position=position, now=now,
    )  # fmt: skip
    await connection.run("schedule_webhooks", workspace=workspace, now=now)


async def list_webhooks(connection: Connection, workspace: UUID, *, before: UUID | None, limit: int) -> list[Json]:
    """Webhooks without their secrets, newest first."""
    return [
        dict(row) for row in await connection.fetch("list_webhooks", workspace=workspace, before=before, limit=limit)
    ]


async def delete_webhook(connection: Connection, workspace: UUID, webhook_id: UUID) -> bool:
    """Whether there was such a webhook."""
    return bool(await connection.run("delete_webhook", workspace=workspace, id=webhook_id))


async def claim_webhooks(connection: Connection, worker: str, now: datetime, lease_s: float) -> UUID | None:
    """The workspace whose webhooks this worker is to look at now."""
    workspace: UUID | None = await connection.value("claim_webhooks", worker=worker, now=now, lease_s=lease_s)
    return workspace


async def keep_webhooks(connection: Connection, workspace: UUID, worker: str, now: datetime, lease_s: float) -> bool:
    """Whether the webhooks of the workspace are still this worker's, for another while."""
    return bool(await connection.run("keep_webhooks", workspace=workspace, worker=worker, now=now, lease_s=lease_s))


async def leave_webhooks(connection: Connection, workspace: UUID, worker: str, due_at: datetime | None) -> None:
    """Let the webhooks of a workspace go until they are due again; None: there are none any more."""
    if due_at is None:
        await connection.run("unschedule_webhooks", workspace=workspace, worker=worker)
    else:
        await connection.run("leave_webhooks", workspace=workspace, worker=worker, due_at=due_at)


async def due_webhooks(connection: Connection, workspace: UUID, now: datetime) -> list[Row]:
    """Webhooks that may be sent to now, with their secrets."""
    return await connection.fetch("due_webhooks", workspace=workspace, now=now)


async def any_webhooks(connection: Connection, workspace: UUID) -> bool:
    """Whether the workspace has webhooks at all."""
    return bool(await connection.value("count_webhooks", workspace=workspace))


async def webhook_sent(
    connection: Connection, workspace: UUID, webhook_id: UUID, position: int, sent_at: datetime | None
) -> None:
    """Everything up to a position has arrived; nothing of it was for this webhook when ``sent_at`` is None."""
    await connection.run("webhook_sent", workspace=workspace, id=webhook_id, position=position, sent_at=sent_at)


async def webhook_failed(
    connection: Connection, workspace: UUID, webhook_id: UUID, *, error: str, now: datetime, pause: timedelta
) -> None:
    """What comes next did not arrive, and is sent again after a pause."""
    await connection.run("webhook_failed", workspace=workspace, id=webhook_id, error=error, next_at=now + pause)
