"""The busiest routes without the framework's machinery, which costs a search a quarter of its time in Python.

Only what is plain goes this way: a POST with a bearer key and a JSON body that is valid. Everything else, and every
refusal of a body, is left to the ordinary routes, so that there is one place that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.dependencies import NO_MEMORY
from service.api.errors import answer_to
from service.api.routes import memories
from service.domain.drafts import MemoryDraft
from service.domain.search import SearchRequest
from service.errors import ReverieError
from service.memory.keys import authenticate


@dataclass(frozen=True, slots=True)
class _Busy:
    """A route by its ``path``: what its body is, and the function that the router calls as well."""

    path: str
    body: type[BaseModel]
    endpoint: Callable[..., Awaitable[Response]]


BUSY = {
    route.path: route
    for route in (
        _Busy("/v1/memories/search", SearchRequest, memories.search),
        _Busy("/v1/memories", MemoryDraft, memories.save),
    )
}
JSON = b"application/json"
BEARER = b"bearer "
_NO_MEMORY = NO_MEMORY.lower().encode()


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
            given = route.body.model_validate_json(body)
        except ValidationError:
            await self.app(scope, _again(body, receive), send)
            return
        scope["route"] = route
        engine = scope["app"].state.engine
        try:
            caller = scope.get("state", {}).get("principal") or await authenticate(engine, token)
            response = await route.endpoint(engine, caller, given)
        except ReverieError as error:
            response = answer_to(error)
        await response(scope, receive, send)


def _token(scope: Scope) -> str | None:
    """The bearer key of a plain call; None where anything about the headers is out of the ordinary."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    keys = [value for name, value in headers if name == b"authorization"]
    kinds = [value for name, value in headers if name == b"content-type"]
    if len(keys) != 1 or kinds != [JSON] or any(name == _NO_MEMORY for name, _ in headers):
        return None
    kind, token = keys[0][: len(BEARER)], keys[0][len(BEARER) :]
    plain = kind.lower() == BEARER and token and token == token.strip()
    return token.decode("latin-1") if plain else None


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives the body that has been read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again
