"""Reading what happened (row O7): as it happens, or from any position on."""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from service.domain import cursors
from service.domain.events import SECRET_PREFIX, Kind
from service.domain.ids import new_id
from service.domain.principal import Principal
from service.errors import InvalidInput, NotFound, ReverieError, Unavailable
from service.memory import audit
from service.memory.engine import Engine
from service.store import events
from service.store.events import Event

BATCH = 200
POLL_S = 0.5
KEEP_ALIVE_S = 15.0
FOLLOWERS_MAX = 200
SECRET_BYTES = 32

Json = dict[str, Any]


class Gap(ReverieError):
    """Events between two positions have been collected meanwhile."""

    def __init__(self, after: int, before: int) -> None:
        super().__init__()
        self.after = after
        self.before = before


async def positioned(engine: Engine, workspace: UUID) -> None:
    """Give every event that is committed its position."""
    while True:
        async with engine.db.transaction(workspace) as connection:
            if await events.position(connection, workspace) < events.POSITIONED_AT_ONCE:
                return


async def last_position(engine: Engine, workspace: UUID) -> int:
    """The position of the newest event that is committed."""
    await positioned(engine, workspace)
    async with engine.db.transaction(workspace) as connection:
        return await events.last(connection, workspace)


async def follow(
    engine: Engine, principal: Principal, after: int | None, kinds: Sequence[Kind] | None, *, wait: bool = True
) -> AsyncGenerator[Event | Gap | None]:
    """Every event after a position (None: from now on), as long as it is iterated; None now and then while nothing
    happens. An agent key sees what happens to its own agent. A Gap comes first where events have been collected.
    Without ``wait`` it ends with what has happened so far.

    No connection is held between looks. While the database is away, nothing comes. Raises Unavailable when too
    many follow this process already.
    """
    if engine.followers >= FOLLOWERS_MAX:
        raise Unavailable(f"{FOLLOWERS_MAX} streams of events are open already.", retry_after_s=5)
    workspace = principal.workspace_id
    engine.followers += 1
    try:
        if after is None:
            at = await last_position(engine, workspace)
        else:
            at = after
            async with engine.db.transaction(workspace) as connection:
                oldest, newest = await events.first(connection, workspace), await events.last(connection, workspace)
            before = oldest or newest + 1
            if at + 1 < before:
                yield Gap(at, before)
        quiet_s = KEEP_ALIVE_S
        while True:
            found: list[Event] = []
            with suppress(Unavailable):
                await positioned(engine, workspace)
                async with engine.db.transaction(workspace) as connection:
                    found = await events.after(
                        connection, workspace, at, agent=principal.agent, kinds=kinds, limit=BATCH
                    )
            for event in found:
                yield event
                at, quiet_s = event.position, 0.0
            if not found and not wait:
                return
            if not found:
                if quiet_s >= KEEP_ALIVE_S:
                    yield None
                    quiet_s = 0.0
                await asyncio.sleep(POLL_S)
                quiet_s += POLL_S
    finally:
        engine.followers -= 1


async def add_webhook(
    engine: Engine, principal: Principal, *, url: str, name: str | None, kinds: list[Kind] | None, secret: str | None
) -> Json:
    """Have what happens from now on sent to an address; the secret is shown this once. Raises Forbidden and
    InvalidInput."""
    principal.must_administer()
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise InvalidInput(("body", "url"), "must be an http or https address")
    secret = secret or SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    workspace, webhook_id, now = principal.workspace_id, new_id(), engine.now()
    position = await last_position(engine, workspace)
    async with engine.db.transaction(workspace) as connection:
        await events.add_webhook(
            connection, workspace, webhook_id,
            url=url, name=name, kinds=kinds, secret=secret, position=position, now=now,
        )  # fmt: skip
        await audit.record(connection, principal, "webhook.created", target=str(webhook_id))
    return {"id": webhook_id, "url": url, "name": name, "events": kinds, "secret": secret, "created_at": now}


async def list_webhooks(
    engine: Engine, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[Json], str | None]:
    """A page of webhooks and how sending to them goes, newest first. Raises Forbidden."""
    principal.must_administer()
    before = cursors.decode(cursor, UUID)
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await events.list_webhooks(
            connection, principal.workspace_id, before=before[0] if before else None, limit=limit + 1
        )
    more = cursors.encode(rows[limit - 1]["id"]) if len(rows) > limit else None
    return rows[:limit], more


async def delete_webhook(engine: Engine, principal: Principal, webhook_id: UUID) -> None:
    """Stop sending to an address. Raises Forbidden, NotFound."""
    principal.must_administer()
    async with engine.db.transaction(principal.workspace_id) as connection:
        if not await events.delete_webhook(connection, principal.workspace_id, webhook_id):
            raise NotFound("There is no such webhook here.")
        await audit.record(connection, principal, "webhook.deleted", target=str(webhook_id))
