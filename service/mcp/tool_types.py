"""What the tools have in common: their arguments, their client, and how the API's refusals are answered."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from reverie_client import APIError, AsyncReverie, ReverieClientError
from reverie_client.models import MemoryType, Scope

T = TypeVar("T")
ClientOf = Callable[[Any], AsyncReverie]
"""The client that acts for the sender of a request (of Starlette; None over standard input)."""
ToolContext = Context[Any, Any]
USER = "X-Reverie-User"
NO_AGENT = "Name the acting agent: this key is bound to none."
OTHER_USER = "This connection is for another user."

Kind = Annotated[
    MemoryType,
    Field(
        description="fact; preference (what someone likes or wants); decision; identity (who someone is); "
        "event (what happened, with occurred_at); observation; goal; todo; or a type of the workspace's own"
    ),
]
Importance = Annotated[float | None, Field(ge=0, le=1, description="from 0 to 1; left out, the usual for its type")]
Tags = Annotated[list[str] | None, Field(description="a few words to filter by")]
Metadata = Annotated[dict[str, Any] | None, Field(description="a JSON object of your own")]
About = Annotated[str | None, Field(description="the person it is about")]
OnlyAbout = Annotated[str | None, Field(description="only about this person")]
User = Annotated[
    str | None,
    Field(
        description="who is speaking, whom this is for: what belongs to other people stays unseen. Left out, it is for "
        "the user of the connection; without one, only what belongs to nobody is seen"
    ),
]
OccurredAt = Annotated[str | None, Field(description="when it happened (RFC 3339)")]
ExpiresAt = Annotated[str | None, Field(description="until when it holds (RFC 3339); left out, for good")]
MemoryId = Annotated[str, Field(description="its id, from memory_search")]
Person = Annotated[str, Field(description="the person's name, as memories and messages have it")]
MaxTokens = Annotated[
    int | None,
    Field(ge=0, le=16_000, description="what it may take, in tokens; left out: the workspace's default"),
]
Limit = Annotated[int, Field(ge=1, le=50, description="how many at most")]
Readers = Annotated[
    Scope | None,
    Field(description="who may read it: agent (you alone, the default), team, task, session, or prime"),
]


def user_named(request: Any) -> str | None:
    """The user whom a request over HTTP names beside its key."""
    return request.headers.get(USER) or request.query_params.get("user") or None


def client_of(ctx: ToolContext, user: str | None = None) -> AsyncReverie:
    """The client that acts for the sender of the request, and for the user of the connection, else for this one. Raises
    ToolError for another than that of the connection: whom a connection is for is not the model's to say."""
    request = ctx.request_context
    client: AsyncReverie = request.lifespan_context(request.request)
    if not user:
        return client
    if client.options.user not in (None, user):
        raise ToolError(OTHER_USER)
    return client.for_user(user)


async def acting_user(client: AsyncReverie) -> str | None:
    """Whom the client's calls are for: the user named, else that of its key; None where there is none. Raises ToolError
    where another than that of the key is named."""
    named, bound = client.options.user, (await client.whoami()).user
    if named is not None and bound not in (None, named):
        raise ToolError(OTHER_USER)
    return named or bound


async def client_about(client: AsyncReverie, person: str) -> AsyncReverie:
    """The client that asks about a person: for the user that it has, else for that person."""
    return client if await acting_user(client) else client.for_user(person)


async def acting_agent(client: AsyncReverie) -> str | None:
    """The agent that the client acts as: the one named, else that of its key; None where it has none yet."""
    if client.options.agent is not None:
        return client.options.agent
    return (await client.whoami()).agent


@contextmanager
def tool_errors() -> Iterator[None]:
    """What the API refuses, as an answer the model can read and act on."""
    try:
        yield
    except ReverieClientError as error:
        raise ToolError(explained(error)) from error


async def first(found: AsyncIterable[T], limit: int) -> list[T]:
    """The first of a list that goes on from page to page; ``limit`` is at least 1."""
    items: list[T] = []
    async for item in found:
        items.append(item)
        if len(items) == limit:
            break
    return items


def explained(error: ReverieClientError) -> str:
    """Why a call failed, with the fields at fault."""
    named = [error for error in error.errors if error.get("loc")] if isinstance(error, APIError) else []
    fields = "; ".join(f"{'.'.join(map(str, one['loc'][1:] or one['loc']))}: {one['msg']}" for one in named)
    return f"{error} ({fields})" if fields and fields not in str(error) else str(error)


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that say something: models fill what they leave out with null or nothing."""
    return {name: value for name, value in arguments.items() if value is not None and value not in ("", [], {})}
