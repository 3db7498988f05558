"""search and fetch, as the connectors and the deep research of ChatGPT call them, and others that follow that shape.

The SDK reads the annotations of tools, so in modules of tools they are not postponed.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from uuid import UUID

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from reverie_client import models as m
from service.mcp.answers import Fetched, SearchResult, SearchResults
from service.mcp.tool_types import ToolContext, client_of, tool_errors

TITLE_MAX = 80
RESULTS_MAX = 20
_ID = re.compile(r"(?:(memory|document):)?([0-9a-fA-F-]{32,36})")


async def search(
    ctx: ToolContext, query: Annotated[str, Field(description="what to look for, as a question or a few words")]
) -> SearchResults:
    """Search memories and documents by words and by meaning. Each result has an id to fetch it in full with."""
    with tool_errors():
        found = await client_of(ctx).search(query, include=["memories", "documents"], limit=RESULTS_MAX)
    base = _base(ctx)
    results = {one["id"]: one for result in found.results for one in _results(result, base)}
    return {"results": list(results.values())}


async def fetch(
    ctx: ToolContext, id: Annotated[str, Field(description="the id of a result of search, or of a memory")]
) -> Fetched:
    """A memory or a document in full, by its id."""
    match = _ID.fullmatch(id.strip())
    if match is None:
        raise ToolError("id: give the id of a result of search, such as memory:<uuid>")
    kind, uuid = match.groups()
    with tool_errors():
        if kind == "document":
            return _document(await client_of(ctx).get_document(uuid), _base(ctx))
        return _memory(await client_of(ctx).get_memory(uuid), _base(ctx))


def _results(result: m.SearchResult, base: str) -> Iterator[SearchResult]:
    if result.memory is not None:
        yield _reference("memory", result.memory.id, result.memory.content, base)
    elif result.document is not None:
        yield _reference("document", result.document.document_id, result.document.title, base)


def _memory(memory: m.MemoryRecord, base: str) -> Fetched:
    known: dict[str, Any] = {
        "kind": "memory",
        "type": memory.type,
        "user": memory.user,
        "according_to": memory.hearsay_by,
        "happened": (memory.occurred_at or memory.created_at).isoformat(),
        "tags": memory.tags,
    }
    return _fetched(_reference("memory", memory.id, memory.content, base), memory.content, known)


def _document(document: m.Document, base: str) -> Fetched:
    known = {"kind": "document", "user": document.user, "created_at": document.created_at.isoformat()}
    return _fetched(_reference("document", document.id, document.title, base), document.text, known)


def _reference(kind: Literal["memory", "document"], id: UUID, text: str, base: str) -> SearchResult:
    path = "memories" if kind == "memory" else "documents"
    return {"id": f"{kind}:{id}", "title": _title(text), "url": f"{base}/v1/{path}/{id}"}


def _fetched(found: SearchResult, text: str, known: dict[str, Any]) -> Fetched:
    return {**found, "text": text, "metadata": {name: value for name, value in known.items() if value}}


def _title(text: str) -> str:
    line = " ".join(text[: 4 * TITLE_MAX].split())
    return line if len(line) <= TITLE_MAX else f"{line[: TITLE_MAX - 1].rstrip()}…"


def _base(ctx: ToolContext) -> str:
    """The address of the API, as the caller reached it."""
    request = ctx.request_context.request
    return str(request.base_url if request is not None else client_of(ctx).http.base_url).rstrip("/")
