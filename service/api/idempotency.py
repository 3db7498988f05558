"""``Idempotency-Key`` on every POST: one place, so that no route can forget it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.bodies import replay_body
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


def idempotency_middleware(app: ASGIApp) -> ASGIApp:
    """Answers a POST that carries the key of an earlier one as that one was answered."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        key, token = _headers(scope)
        if key is None or token is None:
            await app(scope, receive, send)
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
            passing = _BufferedApp(app, scope, replay_body(body, receive), send)
            answer = await run_idempotent(engine, principal, asked, passing.run)
        except ReverieError as error:
            await problem_response(error)(scope, receive, send)
            return
        if answer is not None:
            headers = {"Idempotent-Replayed": "true"} if answer.replayed else passing.headers
            await Response(answer.body, answer.status, headers, answer.content_type or None)(scope, receive, send)

    return handle


@dataclass(slots=True)
class _BufferedApp:
    """One run of the app behind, its answer gathered; a stream of events is passed on as it comes, and not kept."""

    app: ASGIApp
    scope: Scope
    receive: Receive
    send: Send
    headers: dict[str, str] = field(default_factory=dict)
    _status: int = 500
    _content_type: str = ""
    _parts: list[bytes] = field(default_factory=list)
    _streamed: bool = False

    async def run(self) -> IdempotentResponse | None:
        await self.app(self.scope, self.receive, self._buffer)
        return None if self._streamed else IdempotentResponse(self._status, self._content_type, b"".join(self._parts))

    async def _buffer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            self._status = message["status"]
            self._content_type = headers.get("content-type", "")
            self.headers = {n: v for n, v in headers.items() if n not in ("content-type", "content-length")}
            self._streamed = self._content_type.startswith("text/event-stream")
        if self._streamed:
            await self.send(message)
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
