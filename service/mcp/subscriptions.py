"""``subscriptions/listen``: tells a client when a resource that it has subscribed to reads otherwise.

Whatever happens to the caller's memories (``GET /v1/events``) has the resources read again, and so does a look now and
then, for what changes without an event. A client is notified that a resource has changed, and reads it itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, SubscriptionFilter, SubscriptionsListenRequestParams
from pydantic import ValidationError

from reverie_client import AsyncReverie, InvalidRequest, NotFound, ReverieClientError
from service.mcp.resources import listed_uris, text_at
from service.mcp.tool_types import explained

RESOURCES_MAX: Final = 50
SETTLE_S: Final = 0.5
"""Between an event and the look at what it changed: events come in bursts."""
LOOK_S: Final = 15.0
FIRST_LOOK_S: Final = 1.0
"""After a subscription: for what happened before its events could be followed."""

Seen = dict[str, str | None]

_subscription: ContextVar[InMemorySubscriptionBus] = ContextVar("subscription")


class CallersBus:
    """A bus on which each subscription is notified of its own caller's resources alone."""

    async def publish(self, event: ServerEvent) -> None:
        """Tell the subscription of the request under way."""
        await _subscription.get().publish(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Send what concerns the subscription of the request under way to ``listener``."""
        return _subscription.get().subscribe(listener)


async def follow_resources(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: while a subscription is open, publish which of its resources have changed. Raises MCPError for more
    than RESOURCES_MAX resources, and when events can be followed no longer."""
    if ctx.method != "subscriptions/listen":
        return await call_next(ctx)
    try:
        wanted = SubscriptionsListenRequestParams.model_validate(ctx.params).notifications
    except ValidationError:
        return await call_next(ctx)
    if len(wanted.resource_subscriptions or ()) > RESOURCES_MAX:
        raise MCPError(code=INVALID_PARAMS, message=f"at most {RESOURCES_MAX} resources can be subscribed to")
    client: AsyncReverie = ctx.lifespan_context(ctx.request)
    bus = InMemorySubscriptionBus()
    _subscription.set(bus)
    follower = _Follower(client, wanted, bus)
    try:
        await follower.look()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follower.follow)
            result = await call_next(ctx)
            tasks.cancel_scope.cancel()
    except* ReverieClientError as errors:
        raise MCPError(code=INTERNAL_ERROR, message=explained(_first(errors))) from errors
    return result


def _first(group: BaseExceptionGroup[ReverieClientError]) -> ReverieClientError:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    assert isinstance(found, ReverieClientError)
    return found


class _Follower:
    """What a subscription last saw of its resources."""

    def __init__(self, client: AsyncReverie, wanted: SubscriptionFilter, bus: InMemorySubscriptionBus) -> None:
        self._client = client
        self._uris: Sequence[str] = list(dict.fromkeys(wanted.resource_subscriptions or ()))
        self._with_list = bool(wanted.resources_list_changed)
        self._bus = bus
        self._happened = asyncio.Event()
        self._texts: Seen = {}
        self._listed: list[str] = []

    async def look(self) -> list[ServerEvent]:
        """Read the resources; the events for those that read otherwise than before."""
        texts = {uri: await self._text(uri) for uri in self._uris}
        listed = await listed_uris(self._client) if self._with_list else []
        events: list[ServerEvent] = [
            ResourceUpdated(uri) for uri, text in texts.items() if uri in self._texts and text != self._texts[uri]
        ]
        if listed != self._listed:
            events.append(ResourcesListChanged())
        self._texts, self._listed = texts, listed
        return events

    async def follow(self) -> None:
        """Publish what changes, until cancelled. Raises ReverieClientError when the key is refused or the API ends."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._hear)
            wait_s = FIRST_LOOK_S
            while True:
                with anyio.move_on_after(wait_s):
                    await self._happened.wait()
                await anyio.sleep(SETTLE_S)
                self._happened.clear()
                for event in await self.look():
                    await self._bus.publish(event)
                wait_s = LOOK_S

    async def _hear(self) -> None:
        async for _ in self._client.events(reconnect=False):
            self._happened.set()

    async def _text(self, uri: str) -> str | None:
        try:
            return await text_at(self._client, uri)
        except (NotFound, InvalidRequest, ResourceError):
            return None
