"""Webhooks, and who sends to which of them: one worker at a time, under a lease."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.db.records import make
from service.domain.events import Kind
from service.domain.webhooks import Webhook


@dataclass(frozen=True, slots=True)
class Destination:
    """What a sender needs: everything up to ``position`` has arrived, and ``failures`` times in a row nothing has."""

    url: str
    kinds: list[Kind] | None
    secret: str
    position: int
    failures: int


@dataclass(frozen=True, slots=True)
class LockedWebhook:
    """What may be changed of a webhook."""

    url: str
    name: str | None
    kinds: list[Kind] | None
    secret: str
    failures: int
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A webhook that a worker may send to, for as long as its lease holds."""

    workspace: UUID
    id: UUID
    worker: str


async def add(
    connection: Connection, workspace: UUID, webhook_id: UUID, *, url: str, name: str | None,
    kinds: Sequence[Kind] | None, secret: str, position: int, now: datetime,
) -> None:  # fmt: skip
    """Add a webhook that is sent what comes after ``position``."""
    await connection.run(
        "add_webhook", workspace=workspace, id=webhook_id, url=url, name=name, kinds=kinds or None,
        secret=secret, position=position, now=now,
    )  # fmt: skip
    await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)


async def listed(
    connection: Connection, workspace: UUID, *, before: UUID | None = None, only: UUID | None = None, limit: int = 1
) -> list[Webhook]:
    """Return webhooks without their secrets, newest first; or one of them."""
    rows = await connection.fetch("list_webhooks", workspace=workspace, before=before, id=only, limit=limit)
    pauses = {row["webhook_id"]: row["paused_until"] for row in await connection.fetch("pauses", workspace=workspace)}
    return [make(Webhook, {**row, "retry_at": pauses.get(row["id"])}) for row in rows]


async def delete(connection: Connection, workspace: UUID, webhook_id: UUID) -> bool:
    """Delete a webhook; return whether there was one."""
    await connection.run("unschedule_webhook", workspace=workspace, id=webhook_id)
    return bool(await connection.run("delete_webhook", workspace=workspace, id=webhook_id))


async def enable(connection: Connection, workspace: UUID, webhook_id: UUID, now: datetime) -> bool:
    """Send to it from now on what has not arrived; return whether there is such a webhook."""
    if await connection.value("enable_webhook", workspace=workspace, id=webhook_id) is None:
        return False
    await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)
    return True


async def lock(connection: Connection, workspace: UUID, webhook_id: UUID) -> LockedWebhook | None:
    """Lock a webhook, which nobody else changes or sends to meanwhile; return None where there is none.

    Whoever is sending to it loses its lease: the schedule's row is locked before the webhook's, as a sender does.
    """
    await connection.run("unschedule_webhook", workspace=workspace, id=webhook_id)
    return await connection.first(LockedWebhook, "lock_webhook", workspace=workspace, id=webhook_id)


async def change(
    connection: Connection, workspace: UUID, webhook_id: UUID, changed: LockedWebhook, now: datetime
) -> None:
    """Store what a locked webhook is now, and send to it from now on unless it is disabled."""
    await connection.run(
        "change_webhook", workspace=workspace, id=webhook_id, url=changed.url, name=changed.name, kinds=changed.kinds,
        secret=changed.secret, failures=changed.failures, disabled_at=changed.disabled_at,
    )  # fmt: skip
    if changed.disabled_at is None:
        await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)
