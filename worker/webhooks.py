"""Sends events to webhooks: in order, signed, at least once, again after a growing pause until they arrive.

One worker at a time has a webhook, under a lease. What has arrived is noted after the answer, so a worker that dies in
between leaves that event to be sent again, under the same id. A webhook that takes nothing ``failures_max`` times in a
row, or answers 410, is given up until somebody enables it.
"""

from __future__ import annotations

import asyncio
import random
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx
import structlog

from service.concurrency.transaction_guard import assert_outside_transaction
from service.db.pool import Connection
from service.domain.events import signature
from service.domain.json import dumps
from service.domain.webhook_url import is_public
from service.memory.engine import Engine
from service.memory.events.event_notifier import last_position
from service.store import events, webhooks
from service.store.events import Event
from service.store.webhooks import Claim, Webhook

log = structlog.get_logger(__name__)

LEASE_S = 60.0
BATCH = 50
POLL_INTERVAL_S = 30.0
"""Between looks at a webhook that nobody says there is something for."""
PAUSE_FIRST_S = 1.0
PAUSE_MAX_S = 3600.0
GONE = 410
USER_AGENT = "Reverie-Webhooks"


class _LeaseLost(Exception):
    """Another worker has taken over."""


class DeliveryError(Exception):
    """Why an event did not arrive; ``gone`` when it never will."""

    def __init__(self, why: str, *, gone: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.gone = gone


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """When a webhook is looked at again: at once for ``more``, not before ``paused_until``, never when ``disabled``."""

    more: bool = False
    paused_until: datetime | None = None
    disabled: bool = False


class WebhookDispatcher:
    """Sends in the name of one worker. ``private`` allows addresses inside a network."""

    def __init__(
        self, engine: Engine, worker: str, *, timeout_s: float = 10.0, failures_max: int = 48, private: bool = False
    ) -> None:
        self._engine = engine
        self._worker = worker
        self._timeout_s = timeout_s
        self._failures_max = failures_max
        self._private = private

    async def send_next(self, *, reserved: bool = False) -> bool:
        """Send what is new to one webhook; False when none is due. ``reserved``: of a workspace nobody sends for."""
        now = self._engine.now()
        async with self._engine.db.unscoped() as connection:
            claimed = await webhooks.claim(
                connection,
                self._worker,
                now,
                lease_s=LEASE_S,
                again_at=now + timedelta(seconds=POLL_INTERVAL_S),
                reserved=reserved,
            )
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
        async with self._engine.db.unscoped() as connection:
            if then.disabled:
                await webhooks.unschedule(connection, claimed)
                return
            due_at = then.paused_until or (self._engine.now() if then.more else None)
            await webhooks.release(connection, claimed, due_at=due_at, paused_until=then.paused_until)

    async def _deliver(self, claimed: Claim) -> NextAttempt:
        """Send a batch, stopping at the first event that does not arrive."""
        db = self._engine.db
        reached = await last_position(db, claimed.workspace)
        async with db.transaction(claimed.workspace) as connection:
            webhook = await webhooks.get(connection, claimed)
            if webhook is None:
                return NextAttempt(disabled=True)
            batch = await events.after(
                connection, claimed.workspace, webhook.position, agent=None, kinds=webhook.kinds, limit=BATCH
            )
        async with httpx.AsyncClient(timeout=self._timeout_s, follow_redirects=False, trust_env=False) as http:
            for event in batch:
                try:
                    await self._send(http, webhook, event)
                except DeliveryError as failure:
                    return await self._failed(claimed, webhook.failures, event, failure)
                async with db.transaction(claimed.workspace) as connection:
                    await self._sent(connection, claimed, event.position, self._engine.now())
                webhook = Webhook(webhook.url, webhook.kinds, webhook.secret, event.position, 0)
        if len(batch) < BATCH and reached > webhook.position:
            async with db.transaction(claimed.workspace) as connection:
                await self._sent(connection, claimed, reached, None)
        return NextAttempt(more=len(batch) == BATCH)

    async def _sent(self, connection: Connection, claimed: Claim, position: int, at: datetime | None) -> None:
        if not await webhooks.extend_lease(connection, claimed, LEASE_S):
            raise _LeaseLost
        await webhooks.sent(connection, claimed, position, at)

    async def _failed(self, claimed: Claim, failures: int, event: Event, failure: DeliveryError) -> NextAttempt:
        """Note it, and pause; or give the webhook up. Its address is not logged."""
        now = self._engine.now()
        over = failure.gone or failures + 1 >= self._failures_max
        async with self._engine.db.transaction(claimed.workspace) as connection:
            await webhooks.failed(connection, claimed, failure.why, now if over else None)
        log.warning(
            "webhook_given_up" if over else "webhook_not_delivered",
            webhook=str(claimed.id), event_id=str(event.body["id"]), error=failure.why,
        )  # fmt: skip
        return NextAttempt(disabled=True) if over else NextAttempt(paused_until=now + _pause(failures))

    async def _send(self, http: httpx.AsyncClient, webhook: Webhook, event: Event) -> None:
        """One POST. Raises _NotArrived for anything but a 2xx in time."""
        assert_outside_transaction()
        body = dumps(event.body)
        event_id, timestamp = str(event.body["id"]), int(self._engine.now().timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "webhook-id": event_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(webhook.secret, event_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._post(http, httpx.URL(webhook.url), body, headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError, UnicodeError) as error:
            raise DeliveryError(f"no answer: {type(error).__name__}") from None
        if not answer.is_success:
            raise DeliveryError(f"answered {answer.status_code}", gone=answer.status_code == GONE)

    async def _post(
        self, http: httpx.AsyncClient, url: httpx.URL, body: bytes, headers: dict[str, str]
    ) -> httpx.Response:
        """The answer of the first of the name's addresses that can be reached."""
        name = url.raw_host.decode("ascii")
        *others, last = await self._addresses(name, url.port)
        for address in (*others, last):
            request = http.build_request(
                "POST", url.copy_with(host=address), content=body,
                headers=headers | {"host": url.netloc.decode("ascii")}, extensions={"sni_hostname": name},
            )  # fmt: skip
            try:
                answer = await http.send(request, stream=True)
            except httpx.ConnectError:
                if address == last:
                    raise
            else:
                await answer.aclose()
                break
        return answer

    async def _addresses(self, name: str, port: int | None) -> list[str]:
        """The IP addresses of a name. Looked up and judged here, once, so that it cannot stand for another address a
        moment later. Raises _NotArrived where all are inside a network."""
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not self._private:
            addresses = [address for address in addresses if is_public(address)]
        if not addresses:
            raise DeliveryError("the address is inside a network (REVERIE_WEBHOOKS_ALLOW_PRIVATE allows it)")
        return addresses


def _pause(failures: int) -> timedelta:
    """After so many failures before this one: doubling from a second to an hour, with up to a quarter of jitter."""
    seconds = min(PAUSE_MAX_S, PAUSE_FIRST_S * 2.0 ** min(failures, 20))
    return timedelta(seconds=seconds * random.uniform(0.75, 1.0))
