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
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.errors import ReverieError
from service.memory.keys import authenticate


@dataclass(frozen=True, slots=True)
class _Busy:
    """A route by its ``path``: ``given`` reads what a call gives, raising ValidationError, and ``answer`` answers it
    with what the router calls as well."""

    path: str
    given: Callable[[Scope, bytes], Any]
    answer: Callable[[State, Principal, Any], Awaitable[Response]]


def _completion(scope: Scope, body: bytes) -> tuple[ChatHeaders, bytes]:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    return ChatHeaders.model_validate({name: headers[raw] for name, raw in _CHAT_HEADERS if raw in headers}), body


BUSY = {
    route.path: route
    for route in (
        _Busy(
            "/v1/memories/search",
            lambda _, body: SearchRequest.model_validate_json(body),
            lambda state, caller, request: memories.search(state.engine, caller, request),
        ),
        _Busy(
            "/v1/memories",
            lambda _, body: MemoryDraft.model_validate_json(body),
            lambda state, caller, draft: memories.save(state.engine, caller, draft),
        ),
        _Busy(chat.PATH, _completion, lambda state, caller, given: chat.completed(state.chat, caller, *given)),
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
        state = scope["app"].state
        try:
            caller = scope.get("state", {}).get("principal") or await authenticate(state.engine, token)
            response = await route.answer(state, caller, given)
        except ReverieError as error:
            response = answer_to(error)
        await response(scope, receive, send)


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
