"""Sends events to webhooks: in order, signed, at least once, again after a growing pause until they arrive.

One worker at a time has a webhook, under a lease. What has arrived is noted after the answer, so a worker that dies in
between leaves that event to be sent again, under the same id. A webhook that takes nothing ``failures_max`` times in a
row, or answers 410, is given up until somebody enables it.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

import structlog

from service.db.pool import Connection
from service.domain.json import dumps
from service.memory.event_delivery import DeliveryError, last_position, webhook_sender
from service.runtime import Runtime
from service.store import events
from service.store.events import Event
from service.store.webhooks import Claim, Destination

log = structlog.get_logger(__name__)

LEASE_S = 60.0
BATCH = 50
POLL_INTERVAL_S = 30.0
"""Between looks at a webhook that nobody says there is something for."""
PAUSE_FIRST_S = 1.0
PAUSE_MAX_S = 3600.0


class _LeaseLost(Exception):
    """Another worker has taken over, or the webhook was changed."""


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """When a webhook is looked at again: at once for ``more``, not before ``paused_until``, never when ``disabled``."""

    more: bool = False
    paused_until: datetime | None = None
    disabled: bool = False


class WebhookDispatcher:
    """Sends in the name of one worker, as ``webhook_sender`` does."""

    def __init__(self, runtime: Runtime, worker: str, *, failures_max: int = 48) -> None:
        self._runtime = runtime
        self._worker = worker
        self._failures_max = failures_max

    async def send_next(self, *, reserved: bool = False) -> bool:
        """Send what is new to one webhook; False when none is due. ``reserved``: of a workspace nobody sends for."""
        now = self._runtime.now()
        async with self._runtime.db.unscoped() as connection:
            claimed = await connection.first(
                Claim, "claim_webhook", worker=self._worker, now=now, lease_s=LEASE_S,
                again_at=now + timedelta(seconds=POLL_INTERVAL_S), reserved=reserved,
            )  # fmt: skip
        if claimed is None:
            return False
        then = NextAttempt(more=True)
        try:
            then = await self._deliver(claimed)
        except _LeaseLost:
            return True
        finally:
            await self._release(claimed, then)
        return True

    async def _release(self, claimed: Claim, then: NextAttempt) -> None:
        async with self._runtime.db.unscoped() as connection:
            if then.disabled:
                await connection.run("unschedule_webhook", workspace=claimed.workspace, id=claimed.id)
                return
            due_at = then.paused_until or (self._runtime.now() if then.more else None)
            await connection.run(
                "release_webhook", workspace=claimed.workspace, id=claimed.id, worker=claimed.worker, due_at=due_at,
                paused_until=then.paused_until,
            )  # fmt: skip

    async def _deliver(self, claimed: Claim) -> NextAttempt:
        """Send a batch, stopping at the first event that does not arrive."""
        db = self._runtime.db
        reached = await last_position(db, claimed.workspace)
        async with db.transaction(claimed.workspace) as connection:
            webhook = await connection.first(Destination, "get_webhook", workspace=claimed.workspace, id=claimed.id)
            if webhook is None:
                return NextAttempt(disabled=True)
            batch = await events.after(
                connection, claimed.workspace, webhook.position, agent=None, kinds=webhook.kinds, limit=BATCH
            )
        sender = self._runtime.part(webhook_sender)
        async with sender.client() as http:
            for event in batch:
                try:
                    await sender.send(
                        http, url=webhook.url, secret=webhook.secret, event_id=str(event.body["id"]),
                        at=self._runtime.now(), body=dumps(event.body),
                    )  # fmt: skip
                except DeliveryError as failure:
                    return await self._failed(claimed, webhook.failures, event, failure)
                async with db.transaction(claimed.workspace) as connection:
                    await self._sent(connection, claimed, event.position, self._runtime.now())
                webhook = replace(webhook, position=event.position, failures=0)
        if len(batch) < BATCH and reached > webhook.position:
            async with db.transaction(claimed.workspace) as connection:
                await self._sent(connection, claimed, reached, None)
        return NextAttempt(more=len(batch) == BATCH)

    async def _keep(self, connection: Connection, claimed: Claim) -> None:
        if not await connection.run("extend_webhook_lease", **asdict(claimed), lease_s=LEASE_S):
            raise _LeaseLost

    async def _sent(self, connection: Connection, claimed: Claim, position: int, at: datetime | None) -> None:
        await self._keep(connection, claimed)
        await connection.run("webhook_sent", workspace=claimed.workspace, id=claimed.id, position=position, sent_at=at)

    async def _failed(self, claimed: Claim, failures: int, event: Event, failure: DeliveryError) -> NextAttempt:
        """Note it, and pause; or give the webhook up. Its address is not logged."""
        now = self._runtime.now()
        over = failure.gone or failures + 1 >= self._failures_max
        async with self._runtime.db.transaction(claimed.workspace) as connection:
            await self._keep(connection, claimed)
            await connection.run(
                "webhook_failed", workspace=claimed.workspace, id=claimed.id, error=failure.why,
                disabled_at=now if over else None,
            )  # fmt: skip
        log.warning(
            "webhook_given_up" if over else "webhook_not_delivered",
            webhook=str(claimed.id), event_id=str(event.body["id"]), error=failure.why,
        )  # fmt: skip
        return NextAttempt(disabled=True) if over else NextAttempt(paused_until=now + _pause(failures))


def _pause(failures: int) -> timedelta:
    """Return the pause after so many failures before this one: doubling from a second to an hour, with up to a quarter
    of jitter."""
    seconds = min(PAUSE_MAX_S, PAUSE_FIRST_S * 2.0 ** min(failures, 20))
    return timedelta(seconds=seconds * random.uniform(0.75, 1.0))
