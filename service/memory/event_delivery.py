"""Event notification: from transactions that write events to the streams that follow them.

A transaction that has written events leaves a note here. The notes of an instant go out together as one notification
to every process, off the path of the writes: a NOTIFY within a write would make all commits of the database wait for
each other. A notification is a hint: where it is lost, or no notification gets through, the next look finds the events.

Followers hold no connection. Of each workspace that is followed here, one task looks for all of them.

A webhook is one signed POST: the worker's deliveries and the API's tests go out the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self
from uuid import UUID

import httpx
import structlog

from service.concurrency.transaction_guard import assert_outside_transaction
from service.db.listening import EVENTS, listen
from service.db.pool import Database
from service.domain.events import signature
from service.errors import Unavailable
from service.provider import Resolver, addresses_of, resolve, trust
from service.runtime import Runtime
from service.store import events

log = structlog.get_logger(__name__)

COALESCE_S = 0.05
"""Notes of so long go out as one."""
POLL_S = 1.0
KEEP_ALIVE_S = 15.0

GONE = 410
USER_AGENT = "Reverie-Webhooks"


@dataclass(slots=True)
class WorkspaceCursor:
    """One workspace, looked at for its followers. ``last`` is the last position given when it was looked at."""

    workspace: UUID
    last: int = 0
    followers: int = 0
    wakeup: asyncio.Event = field(default_factory=asyncio.Event)
    advanced: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, position: int, seconds: float) -> bool:
        """Wait until there is something after a position; False when there was nothing for so long."""
        moved = self.advanced
        if self.last <= position:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await moved.wait()
        return self.last > position

    def advance_to(self, last: int) -> None:
        """Wake the followers for what can be read up to this position."""
        if last > self.last:
            self.last = last
            self.wake()

    def wake(self) -> None:
        """Let all who wait look up."""
        self.advanced.set()
        self.advanced = asyncio.Event()


class EventNotifier:
    """A context for the length of a process. ``closing`` once its streams are to end.

    ``poll_s``: seconds between looks when no notification comes. ``keep_alive_s``: seconds after which a stream without
    events shows that it lives, and has its key looked up.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        poll_s: float = POLL_S,
        keep_alive_s: float = KEEP_ALIVE_S,
    ) -> None:
        self.closing = False
        self.poll_s = poll_s
        self.keep_alive_s = keep_alive_s
        self._runtime = runtime
        self._dirty_workspaces: set[UUID] = set()
        self._any = asyncio.Event()
        self._cursors: dict[UUID, WorkspaceCursor] = {}
        self._tasks: dict[object, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._runtime.db.on_events_committed = self._mark_dirty
        self._tasks["passing on"] = asyncio.create_task(self._notify_forever())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Unavailable):
            await self._notify()

    def close(self) -> None:
        """Let every stream end now; none begins any more."""
        self.closing = True
        for watch in self._cursors.values():
            watch.wake()

    @property
    def followers(self) -> int:
        """Return how many streams are open."""
        return sum(watch.followers for watch in self._cursors.values())

    @asynccontextmanager
    async def following(self, workspace: UUID) -> AsyncIterator[WorkspaceCursor]:
        """Have a workspace looked at for the length of the block; what is committed before it begins has its position.

        Raises Unavailable when the database is away.
        """
        watch = self._cursors.get(workspace)
        if watch is None:
            watch = self._cursors[workspace] = WorkspaceCursor(workspace)
        watch.followers += 1
        try:
            watch.advance_to(await last_position(self._runtime.db, workspace))
            if "listening" not in self._tasks:
                self._tasks["listening"] = asyncio.create_task(listen(self._runtime.db.url, {EVENTS: self._on_notify}))
            if workspace not in self._tasks:
                self._tasks[workspace] = asyncio.create_task(self._poll(watch))
            yield watch
        finally:
            watch.followers -= 1
            if watch.followers == 0:
                del self._cursors[workspace]
                if task := self._tasks.pop(workspace, None):
                    task.cancel()

    def _mark_dirty(self, workspace: UUID) -> None:
        self._dirty_workspaces.add(workspace)
        self._any.set()

    async def _notify_forever(self) -> None:
        while True:
            await self._any.wait()
            await asyncio.sleep(COALESCE_S)
            try:
                await self._notify()
            except Unavailable:
                await asyncio.sleep(self.poll_s)
            except Exception:
                log.exception("event_notification_failed")

    async def _notify(self) -> None:
        noted, self._dirty_workspaces = self._dirty_workspaces, set()
        self._any.clear()
        if noted:
            try:
                async with self._runtime.db.unscoped() as connection:
                    await connection.run("notify_events", workspaces=list(noted), now=self._runtime.now())
            except Unavailable:
                self._dirty_workspaces |= noted
                self._any.set()
                raise

    def _on_notify(self, workspace: str) -> None:
        """Wake the cursor of a workspace, or (empty) all, as anything may have happened while nobody listened."""
        for watch in self._cursors.values():
            if workspace in ("", str(watch.workspace)):
                watch.wakeup.set()

    async def _poll(self, watch: WorkspaceCursor) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll_s):
                    await watch.wakeup.wait()
            watch.wakeup.clear()
            try:
                watch.advance_to(await last_position(self._runtime.db, watch.workspace))
            except Unavailable:
                await asyncio.sleep(self.poll_s)
            except Exception:
                log.exception("event_poll_failed")


async def last_position(db: Database, workspace: UUID) -> int:
    """Give every event that is committed its position; the last one. Raises Unavailable."""
    while True:
        async with db.transaction(workspace, track_lsn=False, viewer="everybody") as connection:
            if await events.assign_positions(connection, workspace) < events.POSITIONS_BATCH:
                return await connection.value("last_event", workspace=workspace) or 0


def webhook_sender(runtime: Runtime) -> WebhookSender:
    """Make the sender of a process, under the rules of its settings."""
    return WebhookSender(private=runtime.settings.allow_private)


class DeliveryError(Exception):
    """Why an event did not arrive: ``status`` is the receiver's answer, None without one; ``gone``: it never will."""

    def __init__(self, why: str, status: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.status = status
        self.gone = status == GONE


@dataclass(frozen=True, slots=True)
class WebhookSender:
    """Sends within ``timeout_s``. ``private`` allows addresses inside a network, of those that ``resolver`` finds."""

    timeout_s: float = 10.0
    private: bool = False
    resolver: Resolver = resolve

    def client(self) -> httpx.AsyncClient:
        """Return a client for several deliveries: redirects are not followed, proxies of the environment not used."""
        return httpx.AsyncClient(verify=trust(), timeout=self.timeout_s, follow_redirects=False, trust_env=False)

    async def send(
        self, http: httpx.AsyncClient, *, url: str, secret: str, event_id: str, at: datetime, body: bytes
    ) -> int:
        """Return the status of the answer to one POST. Raises DeliveryError for anything but a 2xx in time."""
        assert_outside_transaction()
        timestamp = int(at.timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "webhook-id": event_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, event_id, timestamp, body),
        }
        try:
            async with asyncio.timeout(self.timeout_s):
                answer = await self._post(http, httpx.URL(url), body, headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError, UnicodeError) as error:
            raise DeliveryError(f"no answer: {type(error).__name__}") from None
        if not answer.is_success:
            raise DeliveryError(f"answered {answer.status_code}", answer.status_code)
        return answer.status_code

    async def _post(
        self, http: httpx.AsyncClient, url: httpx.URL, body: bytes, headers: dict[str, str]
    ) -> httpx.Response:
        """Return the answer of the first of the name's addresses that can be reached."""
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
        """Return the IP addresses of a name. Raises DeliveryError where all are inside a network."""
        addresses = await addresses_of(name, port, private=self.private, resolver=self.resolver)
        if not addresses:
            raise DeliveryError("the address is inside a network (REVERIE_ALLOW_PRIVATE allows it)")
        return addresses
