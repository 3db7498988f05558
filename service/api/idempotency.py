"""``Idempotency-Key`` on every POST: one place, so that no route can forget it."""

from __future__ import annotations

import re
from contextlib import suppress

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import problem_response
from service.domain.spending import set_payer
from service.errors import InvalidInput, ReverieError
from service.memory.access.keys import authenticate
from service.memory.saving.idempotency import IdempotentRequest, IdempotentResponse, run_idempotent

HEADER = "Idempotency-Key"
PREFIX = "/v1/"
EXEMPT_PATHS = frozenset({"/v1/import"})
"""An import keeps the ids it is given, so it is idempotent by itself, and too large to be compared."""

_KEY = re.compile(r"[\x20-\x7e]{1,255}")


class IdempotencyMiddleware:
    """Answers a POST that carries the key of an earlier one as that one was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key, token = _headers(scope)
        if key is None or token is None:
            await self.app(scope, receive, send)
            return
        try:
            if not _KEY.fullmatch(key):
                raise InvalidInput(("header", HEADER), "must be 1 to 255 printable ASCII characters")
            engine = scope["app"].state.engine
            principal = await authenticate(engine, token)
            scope.setdefault("state", {})["principal"] = principal
            body = await HttpRequest(scope, receive).body()
            set_payer(principal.payer())
            asked = IdempotentRequest(
                key, token, await engine.executor.run(_content, scope, body, characters=len(body))
            )
            passing = _BufferedApp(self.app, scope, body, receive, send)
            answer = await run_idempotent(engine, principal, asked, passing.run)
        except ReverieError as error:
            await problem_response(error)(scope, receive, send)
            return
        if answer is not None:
            headers = {"Idempotent-Replayed": "true"} if answer.replayed else passing.headers
            await Response(answer.body, answer.status, headers, answer.content_type or None)(scope, receive, send)


class _BufferedApp:
    """One run of the app behind, its answer gathered; a stream of events is passed on as it comes, and not kept."""

    def __init__(self, app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        self._app = app
        self._scope = scope
        self._body: bytes | None = body
        self._receive = receive
        self._send = send
        self._status = 500
        self._content_type = ""
        self._parts: list[bytes] = []
        self._streamed = False
        self.headers: dict[str, str] = {}

    async def run(self) -> IdempotentResponse | None:
        await self._app(self._scope, self._replay_body, self._buffer)
        return None if self._streamed else IdempotentResponse(self._status, self._content_type, b"".join(self._parts))

    async def _replay_body(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _buffer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            self._status = message["status"]
            self._content_type = headers.get("content-type", "")
            self.headers = {n: v for n, v in headers.items() if n not in ("content-type", "content-length")}
            self._streamed = self._content_type.startswith("text/event-stream")
        if self._streamed:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))


def _headers(scope: Scope) -> tuple[str | None, str | None]:
    """The Idempotency-Key and the bearer token, where both matter."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None, None
    if not scope["path"].startswith(PREFIX) or scope["path"] in EXEMPT_PATHS:
        return None, None
    headers = Headers(scope=scope)
    kind, _, token = headers.get("authorization", "").partition(" ")
    return headers.get(HEADER), token.strip() if kind.lower() == "bearer" and token.strip() else None


def _content(scope: Scope, body: bytes) -> bytes:
    """What two sends of one request have in common: JSON counts by value, not by its spelling."""
    with suppress(ValueError):
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    return b"\x00".join((scope["method"].encode(), scope["path"].encode(), scope["query_string"], body))
