"""What clients can attach to a conversation without a tool: the agent's bulletin, profiles, pages; and subscriptions.

``subscriptions/listen`` tells a client when a resource that it has subscribed to reads otherwise. Whatever happens to
the caller's memories (``GET /v1/events``) has the resources read again, and so does a look now and then, for what
changes without an event. A client is notified that a resource has changed, and reads it itself.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import quote, unquote

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, Resource, SubscriptionFilter, SubscriptionsListenRequestParams
from pydantic import ValidationError

from reverie_client import AsyncReverie, InvalidRequest, NotFound, ReverieClientError
from service.mcp.tool_types import NO_AGENT, ToolContext, acting_agent, client_about, client_of, explained, first

ROOT: Final = "reverie:/"
MARKDOWN: Final = "text/markdown"
LISTED_MAX: Final = 50
"""Of the pages and of the profiles that are listed; any other is read by its template."""
NAMES: Final = ResourceSecurity(exempt_params={"user"})
"""Names of users may look like paths: each goes into one segment of the API's path, percent-encoded."""


async def bulletin(ctx: ToolContext, version: str | None = None) -> str:
    """What you know now, in short; with a version, what you knew then."""
    with _resource_errors():
        return await _bulletin(client_of(ctx), _number(version))


async def profile(ctx: ToolContext, user: str) -> str:
    """What holds about a person, field by field."""
    with _resource_errors():
        return await _profile(client_of(ctx), user)


async def page(ctx: ToolContext, page_id: str) -> str:
    """A standing question with its newest answer; every sentence cites its memories."""
    with _resource_errors():
        return await _page(client_of(ctx), page_id)


async def text_at(client: AsyncReverie, uri: str) -> str | None:
    """Return what a resource says now; None for an address that is none. Raises what the client raises."""
    path = uri.removeprefix(f"{ROOT}/")
    if path == "bulletin":
        return await _bulletin(client)
    if path.startswith("users/") and path.endswith("/profile"):
        return await _profile(client, unquote(path.removeprefix("users/").removesuffix("/profile")))
    if path.startswith("pages/"):
        return await _page(client, path.removeprefix("pages/"))
    return None


async def _bulletin(client: AsyncReverie, version: int | None = None) -> str:
    agent = await acting_agent(client)
    if agent is None:
        raise ResourceError(NO_AGENT)
    return (await client.get_bulletin(agent, version)).content


async def _profile(client: AsyncReverie, user: str) -> str:
    held = await (await client_about(client, user)).get_profile(user)
    lines = [f"- {field.name}: {_shown(field.value)} (since {field.since.date()})" for field in held.fields]
    return "\n".join([f"# {held.user}", "", *(lines or ["Nothing is known."])])


async def _page(client: AsyncReverie, page_id: str) -> str:
    held = await client.get_page(page_id)
    lines = [
        f"{sentence.text} [{', '.join(str(one) for one in sentence.memory_ids)}]"
        for sentence in held.sentences
    ]  # fmt: skip
    return "\n\n".join([f"# {held.question}", *(lines or ["Nothing is known."])])


TEMPLATES: Final[tuple[tuple[str, str, Callable[..., Any]], ...]] = (
    (f"{ROOT}/bulletin{{?version}}", "Bulletin of the agent", bulletin),
    (f"{ROOT}/users/{{user}}/profile", "Profile of a person", profile),
    (f"{ROOT}/pages/{{page_id}}", "Standing question with its answer", page),
)
"""The kinds of resources: the address of one, what a user sees it called, and what reads it."""


def register_resources(server: MCPServer[Any]) -> None:
    """Serve the templates; ``list_resources`` lists what there is to read."""
    for uri, title, read in TEMPLATES:
        server.resource(
            uri, name=read.__name__, title=title, description=read.__doc__, mime_type=MARKDOWN, security=NAMES
        )(read)


async def list_resources(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: the list is the caller's own, which the SDK's list of fixed resources cannot be."""
    result = await call_next(ctx)
    if ctx.method != "resources/list" or not isinstance(result, dict):
        return result
    client: AsyncReverie = ctx.lifespan_context(ctx.request)
    try:
        listed = await _listed(client)
    except ReverieClientError as error:
        raise MCPError(code=INTERNAL_ERROR, message=explained(error)) from error
    return result | {"resources": [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in listed]}


async def listed_uris(client: AsyncReverie) -> list[str]:
    """Return the addresses of what is listed."""
    return [str(one.uri) for one in await _listed(client)]


async def _listed(client: AsyncReverie) -> list[Resource]:
    if await acting_agent(client) is None:
        return []
    pages = await first(client.list_pages(limit=LISTED_MAX), LISTED_MAX)
    users = [one.user for one in await first(client.list_users(limit=LISTED_MAX), LISTED_MAX)]
    return [
        _resource("bulletin", "bulletin", "Bulletin"),
        *(_resource(f"pages/{one.id}", "page", one.question) for one in pages),
        *(_resource(f"users/{quote(user, safe='')}/profile", "profile", f"Profile of {user}") for user in users),
    ]


def _resource(path: str, name: str, title: str) -> Resource:
    return Resource(uri=f"{ROOT}/{path}", name=name, title=title, mime_type=MARKDOWN)


def _number(version: str | None) -> int | None:
    if version is None:
        return None
    if not version.isdecimal() or len(version) > 9:
        raise ResourceNotFoundError("version: must be the number of a bulletin")
    return int(version)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@contextmanager
def _resource_errors() -> Iterator[None]:
    """Turn what the API refuses into an error of the protocol."""
    try:
        yield
    except (NotFound, InvalidRequest) as error:
        raise ResourceNotFoundError(explained(error)) from error
    except ReverieClientError as error:
        raise ResourceError(explained(error)) from error


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
        async for _ in self._client.stream_events(reconnect=False):
            self._happened.set()

    async def _text(self, uri: str) -> str | None:
        try:
            return await text_at(self._client, uri)
        except (NotFound, InvalidRequest, ResourceError):
            return None
