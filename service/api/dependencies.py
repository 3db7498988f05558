"""What routes are given and answer with: the runtime, the caller, the shared parts of paths and queries; lists.

Callers choose names freely, so one may hold a slash: in a path that is written ``%2F``. A server hands on a path
decoded, where that slash and one between two segments are the same. So an encoded one is kept apart until the route is
found.

Which scopes a key needs for an endpoint stands here (``NEEDED``): the one place where keys are narrowed below their
role.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar
from urllib.parse import quote, unquote

from fastapi import Depends, Header, Path, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.db.viewing import set_viewer
from service.domain.cursors import CURSOR_MAX
from service.domain.field_types import Identifies, Name, Text
from service.domain.json import dumps
from service.domain.principal import KeyScope, Principal
from service.domain.spending import set_payer
from service.domain.where import JSON_MAX
from service.errors import InvalidInput, Unauthenticated
from service.memory.access.keys import authenticate
from service.memory.access.redaction import masked_names, masking_of
from service.memory.agents import users_mode
from service.runtime import Runtime

Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """One page of a list; ``next_cursor`` is null on the last."""

    items: list[Item] = Field(description="Items of this page.")
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last page.")


class Items(BaseModel, Generic[Item]):
    """A whole list."""

    items: list[Item] = Field(description="All items.")


SLASH_PLACEHOLDER = "\uffff"
"""Stands for an encoded slash. No name holds it: it is not printable."""

_ENCODED = re.compile(rb"%2f", re.IGNORECASE)


def preserve_encoded_slashes(scope: Scope) -> None:
    """Tell the encoded slashes of the path apart from those between its segments."""
    raw: bytes = scope.get("raw_path") or b""
    if _ENCODED.search(raw):
        scope["path"] = unquote(_ENCODED.sub(quote(SLASH_PLACEHOLDER).encode(), raw).decode("ascii", "replace"))


def _restore_slashes(given: object) -> object:
    return given.replace(SLASH_PLACEHOLDER, "/") if isinstance(given, str) else given


PathName = Annotated[Name, BeforeValidator(_restore_slashes)]


READ: tuple[KeyScope, ...] = ("read",)
WRITE: tuple[KeyScope, ...] = ("write",)
DREAM: tuple[KeyScope, ...] = ("dream",)
EXPORT: tuple[KeyScope, ...] = ("export",)
PROXY: tuple[KeyScope, ...] = ("read", "write")
"""A completion recalls and captures."""

NEEDED: dict[str, tuple[KeyScope, ...]] = (
    {"GET /v1/whoami": ()}
    | dict.fromkeys(("GET /v1/export", "GET /v1/users/{user}/export", "GET /v1/workspaces/{workspace}/export"), EXPORT)
    | dict.fromkeys(
        (
            "POST /v1/memories/search", "POST /v1/memories/search/preview", "POST /v1/context", "POST /v1/ask",
            "POST /v1/extract", "POST /v1/messages/count_tokens",
        ),
        READ,
    )
    | dict.fromkeys(
        (
            "POST /v1/memories", "POST /v1/memories/batch", "POST /v1/memories/delete",
            "POST /v1/memories/bulk", "PATCH /v1/memories/{memory_id}",
            "DELETE /v1/memories/{memory_id}", "POST /v1/memories/{memory_id}/restore",
            "POST /v1/memories/{memory_id}/feedback", "POST /v1/sessions", "POST /v1/sessions/{session}/messages",
            "DELETE /v1/sessions/{session}", "POST /v1/deletions/{deletion_id}/undo",
            "DELETE /v1/sessions/{session}/window", "POST /v1/sessions/{session}/compact", "POST /v1/inbox",
            "POST /v1/inbox/{proposal_id}", "POST /v1/pages", "PUT /v1/pages/{page_id}", "POST /v1/pages/{page_id}",
            "DELETE /v1/pages/{page_id}", "PATCH /v1/entities/{entity_id}", "POST /v1/entities/{entity_id}/merge",
            "POST /v1/entities/{entity_id}/unmerge", "POST /v1/entities/{entity_id}/split", "POST /v1/edges",
            "DELETE /v1/edges/{edge_id}", "POST /v1/import", "POST /v1/documents", "DELETE /v1/documents/{document_id}",
            "POST /v1/verify", "POST /v1/searches", "POST /v1/searches/run", "PUT /v1/searches/{search_id}",
            "POST /v1/searches/{search_id}/run", "DELETE /v1/searches/{search_id}",
        ),
        WRITE,
    )
    | dict.fromkeys(
        (
            "POST /v1/agents/{agent}/bulletin", "POST /v1/agents/{agent}/dream",
            "POST /v1/dreams/{dream_id}/undo", "POST /v1/dreams/{dream_id}/changes/{n}/undo",
            "POST /v1/dreams/{dream_id}/cancel", "POST /v1/summarize", "POST /v1/summaries/{memory_id}/undo",
        ),
        DREAM,
    )
    | dict.fromkeys(("POST /v1/chat/completions", "POST /v1/responses", "POST /v1/messages"), PROXY)
)  # fmt: skip


def scopes_needed(method: str, route: str) -> tuple[KeyScope, ...] | None:
    """Return the scopes that an endpoint needs; None for one that needs a key without scopes."""
    return NEEDED.get(f"{method} {route}", READ if method == "GET" else None)


def check_scopes(principal: Principal, method: str, route: str) -> None:
    """Raise Forbidden where the key's scopes leave the endpoint out."""
    principal.require_scopes(scopes_needed(method, route))


TRANSFERS = Bounds(per_key=4, per_workspace=6, per_process=16)
"""Exports and imports over HTTP: each has temporary files, and a connection while it reads or writes the database."""


def streams(runtime: Runtime) -> ConcurrencyLimit:
    """Make the limit of events, MCP streams, and requests that wait for a dream."""
    given = runtime.settings.tuning
    return ConcurrencyLimit("streams", Bounds(given.streams_per_key, given.streams_per_workspace, given.streams_max))


def transfers(_: Runtime) -> ConcurrencyLimit:
    """Make the limit of exports and imports."""
    return ConcurrencyLimit("exports and imports", TRANSFERS)


@contextmanager
def holding(slot: AbstractContextManager[None]) -> Iterator[ExitStack]:
    """Yield the slot for the length of the block, or of the stream that takes it over (``pop_all``)."""
    with ExitStack() as held:
        held.enter_context(slot)
        yield held


class HoldingStream(StreamingResponse):
    """A stream that closes ``held`` when it has ended, or its client has gone, or it could not begin."""

    def __init__(self, content: AsyncIterator[bytes], held: ExitStack, **options: Any) -> None:
        super().__init__(content, **options)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)


def event_stream(content: AsyncIterator[bytes], held: ExitStack) -> HoldingStream:
    """Return server-sent events, which no cache keeps and no proxy gathers; the stream takes over what is held."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return HoldingStream(content, held.pop_all(), media_type="text/event-stream", headers=headers)


Answer = TypeVar("Answer")
NO_MEMORY = "X-Reverie-No-Memory"
OTHERS_NO_MEMORY = ("X-OmniRoute-No-Memory",)
"""Headers of other memory layers that opt out as ours does."""
FOR_PROMPT = "X-Reverie-For-Prompt"
TOKEN_MAX = 200
VERSION_MAX = 2**31 - 1
_YES = frozenset({"1", "true", "yes", "on", "y", "t"})
_NO = frozenset({"", "0", "false", "no", "off", "n", "f"})

bearer = HTTPBearer(auto_error=False, description="API key.")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


async def _runtime(request: Request) -> Runtime:
    runtime: Runtime = request.app.state.runtime
    return runtime


EngineDep = Annotated[Runtime, Depends(_runtime)]


async def _no_memory(
    given: Annotated[
        str | None,
        Header(
            alias=NO_MEMORY,
            description="Opt-out of memory (no recall, no capture, no count of access): 1, true or yes. Default false.",
            json_schema_extra={"pattern": f"^({'|'.join(sorted(_YES | _NO))})$"},
        ),
    ] = None,
) -> bool:
    """Return whether the call opts out of memory."""
    return _is_yes(NO_MEMORY, given or "")


async def _for_prompt(
    given: Annotated[
        str | None,
        Header(
            alias=FOR_PROMPT,
            description="Whether what is read goes to a model: 1, true or yes. Then a request without a user or a "
            "session reads what belongs to nobody. Default false.",
            json_schema_extra={"pattern": f"^({'|'.join(sorted(_YES | _NO))})$"},
        ),
    ] = None,
) -> bool:
    """Return whether what the call reads goes to a model."""
    return _is_yes(FOR_PROMPT, given or "")


def _is_yes(name: str, value: str) -> bool:
    """Return whether the value of a header says yes. One that says neither yes nor no is refused, not guessed at."""
    if is_no(value):
        return False
    if value.strip().lower() not in _YES:
        raise InvalidInput(("header", name), "must be 1, true or yes (or 0, false, no)")
    return True


def is_no(value: str) -> bool:
    """Return whether the value of a header says no, or nothing."""
    return value.strip().lower() in _NO


class ApiCall(NamedTuple):
    """Whose call it is, on which runtime: what every use case takes first."""

    runtime: Runtime
    caller: Principal


UserQuery = Annotated[
    Name | None,
    Query(
        alias="user",
        description="User the request is for, who sees what belongs to nobody or to this user. Default: the user of "
        "the key, else everybody.",
    ),
]


async def _call(
    request: Request,
    runtime: EngineDep,
    given: Bearer,
    memory_off: Annotated[bool, Depends(_no_memory)],
    for_prompt: Annotated[bool, Depends(_for_prompt)],
    for_user: UserQuery = None,
) -> ApiCall:
    principal = await principal_of(request, runtime, given)
    if for_user is not None:
        named = [(("query", "user"), for_user)]
        masking = await masking_of(runtime, principal)
        (for_user,) = await masked_names(runtime, principal.workspace_id, masking, named, refuse=False)
    agent_users = principal.agent_users
    if principal.agent is None and (agent := _named_agent(request)) is not None:
        agent_users = await users_mode(runtime, principal, agent)
    principal = replace(
        principal, named_user=for_user, for_prompt=for_prompt, no_memory=memory_off, agent_users=agent_users
    )
    set_viewer(principal.viewer)
    return ApiCall(runtime, principal)


_AGENT_NAME: TypeAdapter[str] = TypeAdapter(PathName)


def _named_agent(request: Request) -> str | None:
    """Return the agent that the path or the query names; None also for what is no name, which the route refuses."""
    given = request.path_params.get("agent") or request.query_params.get("agent")
    try:
        return _AGENT_NAME.validate_python(given)
    except ValidationError:
        return None


async def principal_of(request: Request, runtime: Runtime, given: HTTPAuthorizationCredentials | None) -> Principal:
    """Return whose request it is, looked up once; from then on they pay. Raises Unauthenticated, and
    Forbidden where the key's scopes leave the route out."""
    if given is None or not given.credentials:
        raise Unauthenticated
    known: Principal | None = getattr(request.state, "principal", None)
    request.state.principal = principal = known or await authenticate(runtime, given.credentials)
    check_scopes(principal, request.method, request.scope["route"].path)
    set_payer(principal.payer())
    return principal


Call = Annotated[ApiCall, Depends(_call)]
AgentPath = Annotated[PathName, Path(description="Name of the agent.")]
DryRun = Annotated[bool, Query(description="Count what would be deleted, and answer a token. Default false.")]
Token = Annotated[
    Text | None,
    Query(max_length=TOKEN_MAX, description="Token of a dry run of the last 10 minutes; required to delete."),
]
SessionPath = Annotated[PathName, Path(description="Name of the session.")]
AgentQuery = Annotated[Name | None, Query(description="Name of the acting agent; ignored with an agent key.")]
ComparedTo = Annotated[
    int | None,
    Query(ge=1, le=VERSION_MAX, description="Version to compare each one with. Default: the version before it."),
]
AboutQuery = Annotated[Name | None, Query(description="User that the items are about. Default: any.")]
PartOfName = Annotated[Annotated[Text, Identifies()] | None, Query(max_length=200, description="Part of the name.")]
WhereText = Annotated[
    Text | None,
    Query(
        max_length=JSON_MAX,
        description="Filter of the memories as a JSON object, as `where` of a search: conditions on "
        "`metadata.<key>` and fields.",
    ),
]


class PageRequest(TypedDict):
    """Which page of a list is asked for, as the lists of the use cases take it."""

    limit: int
    cursor: str | None


async def _paging(
    limit: Annotated[int, Query(ge=1, le=200, description="Number of items per page. Default 50.")] = 50,
    cursor: Annotated[
        str | None,
        Query(
            max_length=CURSOR_MAX,
            description="Cursor of the page: `next_cursor` of the previous page. Default: the first page.",
        ),
    ] = None,
) -> PageRequest:
    return {"limit": limit, "cursor": cursor}


Paging = Annotated[PageRequest, Depends(_paging)]


class JsonResponse(Response, Generic[Answer]):
    """An answer of a type, as JSON. A route that is declared to return one has that type in the OpenAPI document."""

    media_type = "application/json"


def json_response(value: Answer, status: int = 200) -> JsonResponse[Answer]:
    """Return ``value`` as JSON, without checking it again."""
    return JsonResponse(dumps(value), status)


def stored_response(stored: Answer | None) -> JsonResponse[Answer]:
    """Return what a request has stored, or null where the caller opts out of memory (``NOTHING_STORED``)."""
    return JsonResponse(dumps(stored), 200 if stored is None else 201)


def items_response(items: Sequence[Answer], status: int = 200) -> JsonResponse[Items[Answer]]:
    """Return a whole list."""
    return JsonResponse(dumps({"items": items}), status)


def page_response(items: Sequence[Answer], next_cursor: str | None) -> JsonResponse[Page[Answer]]:
    """Return one page of a list."""
    return JsonResponse(dumps({"items": items, "next_cursor": next_cursor}))
