"""The busiest routes without the framework's machinery, which costs a search a quarter of its time in Python.

Only what is plain goes this way: a POST with a bearer key and a JSON body that is valid. Everything else, and every
refusal of a body, is left to the ordinary routes, so that there is one place that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.dependencies import NO_MEMORY
from service.api.errors import answer_to
from service.api.routes import chat, memories
from service.api.routes.chat import ChatHeaders
from service.domain.drafts import MemoryDraft
from service.domain.principal import KnownKey, Principal
from service.domain.search import SearchRequest
from service.errors import ReverieError, Unavailable
from service.memory.keys import authenticate, known_key


@dataclass(frozen=True, slots=True)
class _Busy:
    """A route by its ``path``: ``given`` reads what a call gives, raising ValidationError, and ``answer`` answers it
    with what the router calls as well. Where it is ``sure``, it makes sure of a known key on the way: any error but
    Unavailable then means that nothing was done."""

    path: str
    given: Callable[[Scope, bytes], Any]
    answer: Callable[[State, Principal, Any, KnownKey | None], Awaitable[Response]]
    sure: bool


def _completion(scope: Scope, body: bytes) -> tuple[ChatHeaders, bytes]:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    return ChatHeaders.model_validate({name: headers[raw] for name, raw in _CHAT_HEADERS if raw in headers}), body


BUSY = {
    route.path: route
    for route in (
        _Busy(
            "/v1/memories/search",
            lambda _, body: SearchRequest.model_validate_json(body),
            lambda state, caller, request, key: memories.search_as(state.engine, caller, request, key),
            sure=True,
        ),
        _Busy(
            "/v1/memories",
            lambda _, body: MemoryDraft.model_validate_json(body),
            lambda state, caller, draft, key: memories.save_as(state.engine, caller, draft, key),
            sure=True,
        ),
        _Busy(
            chat.PATH,
            _completion,
            lambda state, caller, given, _: chat.completed(state.chat, caller, *given),
            sure=False,
        ),
    )
}
JSON = b"application/json"
BEARER = b"bearer "
_NO_MEMORY = NO_MEMORY.lower().encode()
_CHAT_HEADERS = [
    (field.alias, field.alias.lower().encode()) for field in ChatHeaders.model_fields.values() if field.alias
]


class ShortPathMiddleware:
    """Answers plain calls of the busiest routes itself. The innermost middleware: all others have seen the request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = BUSY.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        token = _token(scope) if route is not None else None
        if route is None or token is None:
            await self.app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        try:
            given = route.given(scope, body)
        except ValidationError:
            await self.app(scope, _again(body, receive), send)
            return
        scope["route"] = route
        try:
            response = await _answered(route, scope, token, given)
        except ReverieError as error:
            response = answer_to(error)
        await response(scope, receive, send)


async def _answered(route: _Busy, scope: Scope, token: str, given: Any) -> Response:
    """The answer to a caller whose key the statement that does the work makes sure of, if it can. Else, and where
    anything is refused, the key is looked up by itself first."""
    state = scope["app"].state
    caller: Principal | None = scope.get("state", {}).get("principal")
    if caller is None and route.sure and (key := known_key(state.engine, token)) is not None:
        try:
            return await route.answer(state, key.principal, given, key)
        except Unavailable:
            raise
        except ReverieError:
            pass
    return await route.answer(state, caller or await authenticate(state.engine, token), given, None)


def _token(scope: Scope) -> str | None:
    """The bearer key of a plain call; None where anything about the headers is out of the ordinary."""
    headers = dict(scope["headers"])
    if len(headers) != len(scope["headers"]) or headers.get(b"content-type") != JSON or _NO_MEMORY in headers:
        return None
    key: bytes = headers.get(b"authorization", b"")
    kind, token = key[: len(BEARER)], key[len(BEARER) :]
    plain = kind.lower() == BEARER and token and token == token.strip()
    return token.decode("latin-1") if plain else None


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives the body that has been read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again
