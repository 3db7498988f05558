"""Sends events to webhooks (row O7): in order, signed, at least once, again after a growing pause until they arrive.

One worker at a time has the webhooks of a workspace, under a lease. What has arrived is noted after the answer, so a
worker that dies in between sends that event again, under the same id.
"""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from uuid import UUID

import httpx
import structlog

from service.db.guard import assert_outside_transaction
from service.db.pool import Row
from service.domain.events import signature
from service.domain.json import dumps
from service.memory.engine import Engine
from service.memory.events import positioned
from service.store import events
from service.store.events import Event

log = structlog.get_logger(__name__)

LEASE_S = 60.0
TIMEOUT_S = 10.0
BATCH = 50
LOOK_S = 1.0
PAUSE_FIRST_S = 1.0
PAUSE_MAX_S = 3600.0
USER_AGENT = "Reverie-Webhooks"


class _Lost(Exception):
    """Another worker has taken over."""


class Sender:
    """Sends in the name of one worker."""

    def __init__(self, engine: Engine, worker: str) -> None:
        self._engine = engine
        self._worker = worker

    async def send_next(self) -> bool:
        """Send what is new to the webhooks of one workspace; False when none is due."""
        async with self._engine.db.unscoped() as connection:
            workspace = await events.claim_webhooks(connection, self._worker, self._engine.now(), LEASE_S)
        if workspace is None:
            return False
        again: timedelta | None = timedelta(seconds=LOOK_S)
        try:
            again = await self._workspace(workspace)
        except _Lost:
            return True
        finally:
            async with self._engine.db.unscoped() as connection:
                due_at = self._engine.now() + again if again is not None else None
                await events.leave_webhooks(connection, workspace, self._worker, due_at)
        return True

    async def _workspace(self, workspace: UUID) -> timedelta | None:
        """Send to every webhook of a workspace that may be sent to; when to look again, None if there is none."""
        await positioned(self._engine, workspace)
        async with self._engine.db.transaction(workspace) as connection:
            if not await events.any_webhooks(connection, workspace):
                return None
            due = await events.due_webhooks(connection, workspace, self._engine.now())
        async with httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as http:
            full = await asyncio.gather(*(self._webhook(http, workspace, webhook) for webhook in due))
        return timedelta(seconds=0 if any(full) else LOOK_S)

    async def _webhook(self, http: httpx.AsyncClient, workspace: UUID, webhook: Row) -> bool:
        """Send a batch to one webhook, stopping at the first event that does not arrive; whether there may be more."""
        async with self._engine.db.transaction(workspace) as connection:
            reached = await events.last(connection, workspace)
            batch = await events.after(
                connection, workspace, webhook["position"], agent=None, kinds=webhook["kinds"], limit=BATCH
            )
        for event in batch:
            error = await self._send(http, webhook, event)
            now = self._engine.now()
            async with self._engine.db.transaction(workspace) as connection:
                if error is not None:
                    await events.webhook_failed(
                        connection, workspace, webhook["id"], error=error, now=now, pause=_pause(webhook["failures"])
                    )
                    return False
                await events.webhook_sent(connection, workspace, webhook["id"], event.position, now)
            await self._keep(workspace)
        if len(batch) < BATCH and reached > (batch[-1].position if batch else webhook["position"]):
            async with self._engine.db.transaction(workspace) as connection:
                await events.webhook_sent(connection, workspace, webhook["id"], reached, None)
        return len(batch) == BATCH

    async def _send(self, http: httpx.AsyncClient, webhook: Row, event: Event) -> str | None:
        """Why the event did not arrive; None when it did. The webhook's address is not logged."""
        assert_outside_transaction()
        body = dumps(event.body)
        event_id, timestamp = str(event.body["id"]), int(self._engine.now().timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "webhook-id": event_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(webhook["secret"], event_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await http.post(webhook["url"], content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            failure = f"no answer: {type(error).__name__}"
        else:
            if answer.is_success:
                return None
            failure = f"answered {answer.status_code}"
        log.warning("webhook_not_delivered", webhook=str(webhook["id"]), event_id=event_id, error=failure)
        return failure

    async def _keep(self, workspace: UUID) -> None:
        async with self._engine.db.unscoped() as connection:
            if not await events.keep_webhooks(connection, workspace, self._worker, self._engine.now(), LEASE_S):
                raise _Lost


def _pause(failures: int) -> timedelta:
    """After so many failures before this one: doubling from a second to an hour, with up to a quarter of jitter."""
    seconds = min(PAUSE_MAX_S, PAUSE_FIRST_S * 2.0 ** min(failures, 20))
    return timedelta(seconds=seconds * random.uniform(0.75, 1.0))
