"""The events of a workspace: followed as they happen or from any position on, and the webhooks that they are sent to.

Events are sent to webhooks by ``worker.webhooks``.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic
from uuid import UUID

from service.domain import cursors
from service.domain.events import SECRET_PREFIX, Kind
from service.domain.ids import new_id
from service.domain.json import dumps
from service.domain.principal import Principal
from service.domain.webhook_url import find_url_problem
from service.domain.webhooks import CreatedWebhook, UpdatedWebhook, Webhook, WebhookChanges, WebhookTest
from service.errors import Conflict, InvalidInput, NotFound, Unavailable
from service.memory.access import audit
from service.memory.access.redaction import refuse_personal_data
from service.memory.counters import ReadCounter
from service.memory.event_delivery import DeliveryError, EventNotifier, last_position, webhook_sender
from service.runtime import Runtime
from service.store import events, webhooks
from service.store.events import Event

BATCH = 200
DB_RETRY_S = 1.0

SECRET_BYTES = 32
WEBHOOKS_MAX = 100
PING = "ping"
"""The type of the event of a test; nobody subscribes to it."""
ABSENT = "There is no such webhook here."


@dataclass(frozen=True, slots=True)
class Gap:
    """Events between two positions are no longer kept."""

    after: int
    before: int


async def stream_events(
    runtime: Runtime,
    principal: Principal,
    after: int | None,
    *,
    agent: str | None = None,
    kinds: Sequence[Kind] | None = None,
    wait: bool = True,
) -> AsyncGenerator[Event | Gap | None]:
    """Yield every event after a position (None: from now on), as long as it is iterated; None first, and now and then
    while nothing happens. An agent key hears of its own agent, any other of the one named or of all. A Gap comes first
    where events are no longer kept, or are not there yet (a database set back to a backup). Without ``wait`` it ends
    with what has happened so far.

    It also ends when the key is revoked, rotated or expired, and when the process stops. While the database is away
    nothing comes. Raises Unavailable when the database is away at its start, and when the process stops.
    """
    if runtime.part(EventNotifier).closing:
        raise Unavailable("This process stops.")
    workspace, heard_of = principal.workspace_id, principal.reader_agent(agent)
    runtime.part(ReadCounter).note(principal, "events", [heard_of])
    async with runtime.part(EventNotifier).following(workspace) as watch:
        async with runtime.db.transaction(workspace, viewer="everybody") as connection:
            key: bytes | None = await connection.value("key_hash", workspace=workspace, id=principal.key_id)
            first: int | None = await connection.value("first_event", workspace=workspace)
            oldest = first or watch.last + 1
        at = watch.last if after is None else min(max(after, oldest - 1), watch.last)
        yield None if after in (None, at) else Gap(after, at + 1)
        look_at = monotonic() + runtime.part(EventNotifier).keep_alive_s
        while not runtime.part(EventNotifier).closing:
            reached, found = watch.last, list[Event]()
            try:
                if monotonic() >= look_at:
                    async with runtime.db.transaction(workspace) as connection:
                        if key != await connection.value("key_hash", workspace=workspace, id=principal.key_id):
                            return
                if reached > at:
                    async with runtime.db.transaction(workspace) as connection:
                        found = await events.after(connection, workspace, at, agent=heard_of, kinds=kinds, limit=BATCH)
            except Unavailable:
                await asyncio.sleep(DB_RETRY_S)
                continue
            for event in found:
                at = event.position
                yield event
            if len(found) < BATCH:  # events positioned since ``reached`` was read may have been found as well
                at = max(at, reached)
            if monotonic() >= look_at:
                yield None
                look_at = monotonic() + runtime.part(EventNotifier).keep_alive_s
            if not wait and watch.last <= at:
                return
            await watch.wait(at, max(0.0, look_at - monotonic()))


async def add_webhook(
    runtime: Runtime, principal: Principal, *, url: str, name: str | None, kinds: list[Kind] | None
) -> CreatedWebhook:
    """Have what happens from now on sent to an address; the secret is shown this once. Raises Forbidden, InvalidInput
    (also for personal data in the address, where the workspace masks it: masked it leads nowhere), and Conflict when
    there are too many."""
    principal.require_admin()
    await _check_url(runtime, principal, url)
    secret = _new_secret()
    workspace, webhook_id, now = principal.workspace_id, new_id(), runtime.now()
    position = await last_position(runtime.db, workspace)
    async with runtime.db.transaction(workspace) as connection:
        count: int = await connection.value("count_webhooks", workspace=workspace)
        if count >= WEBHOOKS_MAX:
            raise Conflict(f"A workspace may have {WEBHOOKS_MAX} webhooks.")
        await webhooks.add(
            connection, workspace, webhook_id,
            url=url, name=name, kinds=kinds, secret=secret, position=position, now=now,
        )  # fmt: skip
        await audit.record(connection, principal, "webhook.created", target=str(webhook_id))
        (made,) = await webhooks.listed(connection, workspace, only=webhook_id)
    return CreatedWebhook(**asdict(made), secret=secret)


async def list_webhooks(
    runtime: Runtime, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Webhook], str | None]:
    """Return a page of webhooks and how sending to them goes, newest first. Raises Forbidden."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await webhooks.listed(connection, principal.workspace_id, before=before, limit=limit + 1)
    return cursors.paginate(found, limit, "id")


async def update_webhook(
    runtime: Runtime, principal: Principal, webhook_id: UUID, changes: WebhookChanges, *, rotate_secret: bool
) -> UpdatedWebhook:
    """Change ``url``, ``name``, ``events`` or ``active`` of a webhook, in effect at once; a new secret is shown this
    once. An event under way to the former address is sent again. Raises Forbidden, NotFound, and InvalidInput as
    ``add_webhook`` does."""
    principal.require_admin()
    if "url" in changes:
        await _check_url(runtime, principal, changes["url"])
    workspace, now = principal.workspace_id, runtime.now()
    secret = _new_secret() if rotate_secret else None
    async with runtime.db.transaction(workspace) as connection:
        locked = await webhooks.lock(connection, workspace, webhook_id)
        if locked is None:
            raise NotFound(ABSENT)
        active = changes.get("active", locked.disabled_at is None)
        new = replace(
            locked,
            url=changes.get("url", locked.url),
            name=changes.get("name", locked.name),
            kinds=changes.get("events", locked.kinds),
            secret=secret or locked.secret,
            failures=0 if changes.get("active") or "url" in changes else locked.failures,
            disabled_at=None if active else locked.disabled_at or now,
        )
        await webhooks.change(connection, workspace, webhook_id, new, now)
        changed = sorted(changes) + (["secret"] if rotate_secret else [])
        await audit.record(
            connection, principal, "webhook.updated", target=str(webhook_id), details={"fields": changed}
        )
        (webhook,) = await webhooks.listed(connection, workspace, only=webhook_id)
    return UpdatedWebhook(**asdict(webhook), secret=secret)


async def test_webhook(runtime: Runtime, principal: Principal, webhook_id: UUID) -> WebhookTest:
    """Send one signed ``ping`` now, whether the webhook is enabled or not, and say how that went. It is not sent again,
    and the state of the webhook does not change. Raises Forbidden, NotFound."""
    principal.require_admin()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        found = await connection.row("webhook_target", workspace=workspace, id=webhook_id)
    if found is None:
        raise NotFound(ABSENT)
    event_id, now = str(new_id()), runtime.now()
    body = dumps({"id": event_id, "type": PING, "at": now, "webhook_id": webhook_id})
    status, error = None, None
    began = monotonic()
    try:
        async with runtime.part(webhook_sender).client() as http:
            status = await runtime.part(webhook_sender).send(
                http, url=found["url"], secret=found["secret"], event_id=event_id, at=now, body=body
            )
    except DeliveryError as failure:
        status, error = failure.status, failure.why
    duration_ms = round((monotonic() - began) * 1_000, 3)
    async with runtime.db.transaction(workspace) as connection:
        await audit.record(connection, principal, "webhook.tested", target=str(webhook_id))
    return WebhookTest(delivered=error is None, status_code=status, duration_ms=duration_ms, error=error)


async def enable_webhook(runtime: Runtime, principal: Principal, webhook_id: UUID) -> Webhook:
    """Send to a webhook again, from the first event that has not arrived, and at once. Raises Forbidden, NotFound."""
    principal.require_admin()
    workspace = principal.workspace_id
    async with runtime.db.transaction(workspace) as connection:
        if not await webhooks.enable(connection, workspace, webhook_id, runtime.now()):
            raise NotFound(ABSENT)
        await audit.record(connection, principal, "webhook.enabled", target=str(webhook_id))
        (webhook,) = await webhooks.listed(connection, workspace, only=webhook_id)
    return webhook


async def delete_webhook(runtime: Runtime, principal: Principal, webhook_id: UUID) -> None:
    """Stop sending to an address. Raises Forbidden, NotFound."""
    principal.require_admin()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        if not await webhooks.delete(connection, principal.workspace_id, webhook_id):
            raise NotFound(ABSENT)
        await audit.record(connection, principal, "webhook.deleted", target=str(webhook_id))


async def _check_url(runtime: Runtime, principal: Principal, url: str) -> None:
    """Raise InvalidInput for an address that nothing is sent to, and for personal data in it."""
    if (flaw := find_url_problem(url, private=runtime.part(webhook_sender).private)) is not None:
        raise InvalidInput(("body", "url"), flaw)
    await refuse_personal_data(runtime, principal, ("body", "url"), url, besides=("IP_ADDRESS",))


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
