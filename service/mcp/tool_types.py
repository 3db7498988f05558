"""What the tools have in common: their arguments, their hints, and how the API's refusals are answered.

The SDK reads annotations while it registers a tool, so in the modules of tools they are not postponed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from reverie_client import AsyncReverie, ReverieClientError
from reverie_client.models import MemoryType, Scope

ClientOf = Callable[[Context[Any, Any]], AsyncReverie]
"""The client that acts for whoever sent a request."""

READING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITING = ToolAnnotations(destructive_hint=False, open_world_hint=False)
REMOVING = ToolAnnotations(destructive_hint=True, open_world_hint=False)

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
OccurredAt = Annotated[str | None, Field(description="when it happened (RFC 3339)")]
ExpiresAt = Annotated[str | None, Field(description="until when it holds (RFC 3339); left out, for good")]
Readers = Annotated[
    Scope | None,
    Field(description="who may read it: agent (you alone, the default), team, task, session, or prime"),
]


@contextmanager
def tool_errors() -> Iterator[None]:
    """What the API refuses, as an answer the model can read and act on."""
    try:
        yield
    except ReverieClientError as error:
        raise ToolError(str(error)) from error


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that say something: models fill what they leave out with null or nothing."""
    return {name: value for name, value in arguments.items() if value is not None and value not in ("", [], {})}
