"""Webhooks, and who sends to which of them: one worker at a time, under a lease."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain.events import Kind

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Webhook:
    """What a sender needs: everything up to ``position`` has arrived, and ``failures`` times in a row nothing has."""

    url: str
    kinds: list[Kind] | None
    secret: str
    position: int
    failures: int


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
    """A webhook that is sent what comes after ``position``."""
    await connection.run(
        "add_webhook", workspace=workspace, id=webhook_id, url=url, name=name, kinds=kinds or None,
        secret=secret, position=position, now=now,
    )  # fmt: skip
    await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)


async def count(connection: Connection, workspace: UUID) -> int:
    """How many there are."""
    return await connection.value("count_webhooks", workspace=workspace)


async def listed(
    connection: Connection, workspace: UUID, *, before: UUID | None = None, only: UUID | None = None, limit: int = 1
) -> list[Json]:
    """Webhooks without their secrets, newest first; or one of them."""
    rows = await connection.fetch("list_webhooks", workspace=workspace, before=before, id=only, limit=limit)
    pauses = {row["webhook_id"]: row["paused_until"] for row in await connection.fetch("pauses", workspace=workspace)}
    return [dict(row) | {"retry_at": pauses.get(row["id"])} for row in rows]


async def delete(connection: Connection, workspace: UUID, webhook_id: UUID) -> bool:
    """Whether there was such a webhook."""
    await connection.run("unschedule_webhook", workspace=workspace, id=webhook_id)
    return bool(await connection.run("delete_webhook", workspace=workspace, id=webhook_id))


async def enable(connection: Connection, workspace: UUID, webhook_id: UUID, now: datetime) -> bool:
    """Send to it from now on what has not arrived. Whether there is such a webhook."""
    if await connection.value("enable_webhook", workspace=workspace, id=webhook_id) is None:
        return False
    await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)
    return True


async def lock(connection: Connection, workspace: UUID, webhook_id: UUID) -> Json | None:
    """The fields of a webhook that may be changed, which nobody else changes or sends to meanwhile; None for none.

    Whoever is sending to it loses its lease: the schedule's row is locked before the webhook's, as a sender does.
    """
    await connection.run("unschedule_webhook", workspace=workspace, id=webhook_id)
    row = await connection.row("lock_webhook", workspace=workspace, id=webhook_id)
    return dict(row) if row else None


async def change(connection: Connection, workspace: UUID, webhook_id: UUID, fields: Json, now: datetime) -> None:
    """Store the fields of a locked webhook, and send to it from now on unless it is disabled."""
    await connection.run("change_webhook", workspace=workspace, id=webhook_id, **fields)
    if fields["disabled_at"] is None:
        await connection.run("schedule_webhook", workspace=workspace, id=webhook_id, now=now)


async def target(connection: Connection, workspace: UUID, webhook_id: UUID) -> tuple[str, str] | None:
    """The URL and the secret of a webhook, disabled or not."""
    row = await connection.row("webhook_target", workspace=workspace, id=webhook_id)
    return (row["url"], row["secret"]) if row else None


async def claim(
    connection: Connection, worker: str, now: datetime, *, lease_s: float, again_at: datetime, reserved: bool = False
) -> Claim | None:
    """The webhook this worker is to send to now; None when none is due. It is due again at ``again_at`` or, when
    something happens, before. Workspaces take turns; ``reserved``: only of one that nobody sends for."""
    row = await connection.row(
        "claim_webhook", worker=worker, now=now, lease_s=lease_s, again_at=again_at, reserved=reserved
    )
    return Claim(row["workspace_id"], row["webhook_id"], worker) if row else None


async def extend_lease(connection: Connection, claimed: Claim, lease_s: float) -> bool:
    """Whether it is still this worker's, for another while."""
    kept = await connection.run(
        "extend_webhook_lease", workspace=claimed.workspace, id=claimed.id, worker=claimed.worker, lease_s=lease_s
    )
    return kept == 1


async def release(
    connection: Connection, claimed: Claim, *, due_at: datetime | None, paused_until: datetime | None
) -> None:
    """Let it go; ``due_at``: there is more to send; ``paused_until``: nothing is to be sent before."""
    await connection.run(
        "release_webhook",
        workspace=claimed.workspace, id=claimed.id, worker=claimed.worker, due_at=due_at, paused_until=paused_until,
    )  # fmt: skip


async def unschedule(connection: Connection, claimed: Claim) -> None:
    """There is nothing to send to any more."""
    await connection.run("unschedule_webhook", workspace=claimed.workspace, id=claimed.id)


async def get(connection: Connection, claimed: Claim) -> Webhook | None:
    """The webhook, unless it is deleted or disabled."""
    row = await connection.row("get_webhook", workspace=claimed.workspace, id=claimed.id)
    if row is None:
        return None
    return Webhook(row["url"], row["kinds"], row["secret"], row["position"], row["failures"])


async def sent(connection: Connection, claimed: Claim, position: int, sent_at: datetime | None) -> None:
    """Everything up to a position has arrived; nothing of it was for this webhook when ``sent_at`` is None."""
    await connection.run("webhook_sent", workspace=claimed.workspace, id=claimed.id, position=position, sent_at=sent_at)


async def failed(connection: Connection, claimed: Claim, error: str, disabled_at: datetime | None) -> None:
    """What comes next did not arrive."""
    await connection.run(
        "webhook_failed", workspace=claimed.workspace, id=claimed.id, error=error, disabled_at=disabled_at
    )
