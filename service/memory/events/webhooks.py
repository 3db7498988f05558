"""Webhooks: addresses that everything that happens is sent to. The sending is ``worker.webhooks``."""

from __future__ import annotations

import base64
import secrets
from typing import Any
from uuid import UUID

from service.domain import cursors
from service.domain.events import SECRET_PREFIX, Kind
from service.domain.ids import new_id
from service.domain.principal import Principal
from service.domain.webhook_url import find_url_problem
from service.errors import Conflict, InvalidInput, NotFound
from service.memory.access import audit
from service.memory.access.redaction import refuse_personal_data
from service.memory.engine import Engine
from service.memory.events.event_notifier import last_position
from service.store import webhooks

SECRET_BYTES = 32
WEBHOOKS_MAX = 100

Json = dict[str, Any]


async def add_webhook(
    engine: Engine, principal: Principal, *, url: str, name: str | None, kinds: list[Kind] | None
) -> Json:
    """Have what happens from now on sent to an address; the secret is shown this once. Raises Forbidden, InvalidInput
    (also for personal data in the address, where the workspace masks it: masked it leads nowhere), and Conflict when
    there are too many."""
    principal.require_admin()
    if (flaw := find_url_problem(url, private=engine.webhooks_private)) is not None:
        raise InvalidInput(("body", "url"), flaw)
    await refuse_personal_data(engine, principal, ("body", "url"), url, besides=("IP_ADDRESS",))
    secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    workspace, webhook_id, now = principal.workspace_id, new_id(), engine.now()
    position = await last_position(engine.db, workspace)
    async with engine.db.transaction(workspace) as connection:
        if await webhooks.count(connection, workspace) >= WEBHOOKS_MAX:
            raise Conflict(f"A workspace may have {WEBHOOKS_MAX} webhooks.")
        await webhooks.add(
            connection, workspace, webhook_id,
            url=url, name=name, kinds=kinds, secret=secret, position=position, now=now,
        )  # fmt: skip
        await audit.record(connection, principal, "webhook.created", target=str(webhook_id))
        (made,) = await webhooks.listed(connection, workspace, only=webhook_id)
    return made | {"secret": secret}


async def list_webhooks(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Json], str | None]:
    """A page of webhooks and how sending to them goes, newest first. Raises Forbidden."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await webhooks.listed(connection, principal.workspace_id, before=before, limit=limit + 1)
    rows, more = cursors.paginate(rows, limit, "id")
    return rows, more


async def enable_webhook(engine: Engine, principal: Principal, webhook_id: UUID) -> Json:
    """Send to a webhook again, from the first event that has not arrived, and at once. Raises Forbidden, NotFound."""
    principal.require_admin()
    workspace = principal.workspace_id
    async with engine.db.transaction(workspace) as connection:
        if not await webhooks.enable(connection, workspace, webhook_id, engine.now()):
            raise NotFound("There is no such webhook here.")
        await audit.record(connection, principal, "webhook.enabled", target=str(webhook_id))
        (webhook,) = await webhooks.listed(connection, workspace, only=webhook_id)
    return webhook


async def delete_webhook(engine: Engine, principal: Principal, webhook_id: UUID) -> None:
    """Stop sending to an address. Raises Forbidden, NotFound."""
    principal.require_admin()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if not await webhooks.delete(connection, principal.workspace_id, webhook_id):
            raise NotFound("There is no such webhook here.")
        await audit.record(connection, principal, "webhook.deleted", target=str(webhook_id))
