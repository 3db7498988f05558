"""What every request passes: cross-origin checks, its id, the bound on its body, its log line, and ``Idempotency-Key``.

Pages of the origins that REVERIE_CORS_ORIGINS lists may call the API from a browser. A page brings its key in a header.
Cookies and other credentials of the browser are never allowed, and the Studio, whose sessions are cookies, is left out.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import orjson
import structlog
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.dependencies import is_no, preserve_encoded_slashes
from service.api.errors import expected_failure, problem, problem_response
from service.api.routing import replay_body
from service.db.wal_lsn import PRIMARY_ONLY, require_lsn
from service.domain.spending import set_payer
from service.errors import InvalidInput, RequestTimeout, ReverieError, TooLarge
from service.memory.access.keys import authenticate
from service.memory.saving.idempotency import IdempotentRequest, IdempotentResponse, run_idempotent
from service.runtime import Runtime

CORS_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_AGE_S = 600


def cors_middleware(app: ASGIApp, origins: Sequence[str], excluded: Collection[str]) -> ASGIApp:
    """Answers preflights, and tells browsers which pages may read an answer; not under ``excluded``."""
    cors = CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=CORS_METHODS,
        allow_headers=["*"],
        expose_headers=["*"],
        max_age=MAX_AGE_S,
    )

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_excluded = any(path == one or path.startswith(f"{one}/") for one in excluded)
        await (app if is_excluded else cors)(scope, receive, send)

    return handle


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
            runtime = scope["app"].state.runtime
            principal = await authenticate(runtime, token)
            scope.setdefault("state", {})["principal"] = principal
            body = await HttpRequest(scope, receive).body()
            set_payer(principal.payer())
            asked = IdempotentRequest(
                key, token, await runtime.executor.run(_content, scope, body, characters=len(body))
            )
            passing = _BufferedApp(app, scope, replay_body(body, receive), send)
            answer = await run_idempotent(runtime, principal, asked, passing.run)
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
    """Return the Idempotency-Key and the bearer token, where both matter."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None, None
    if not scope["path"].startswith(PREFIX) or scope["path"] in EXEMPT_PATHS:
        return None, None
    headers = Headers(scope=scope)
    kind, _, token = headers.get("authorization", "").partition(" ")
    return headers.get(HEADER), token.strip() if kind.lower() == "bearer" and token.strip() else None


def _content(scope: Scope, body: bytes) -> bytes:
    """Return what two sends of one request have in common: JSON counts by value, not by its spelling."""
    with suppress(ValueError):
        body = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    return b"\x00".join((scope["method"].encode(), scope["path"].encode(), scope["query_string"], body))


log = structlog.get_logger(__name__)

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
STREAMING_ROUTES = frozenset({"/v1/events"})
_POSITION = b"x-reverie-position"
_POSITION_DIGITS = re.compile(rb"[0-9]{1,18}")
READ_ONLY_POSTS = re.compile(r"/(search|search/preview|context)$")
_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,100}")


class RequestMiddleware:
    """Gives each request an id (the caller's, if it has one), bounds its body in bytes and time, and logs how it ended.

    Bodies to the ``unbounded_paths`` paths are bounded by whoever reads them; ``body_limit_overrides`` are paths with a
    bound of their own.

    Where searches may go to a replica, the answer to whatever may have written tells how far the log was written, and a
    search that says so in return (``X-Reverie-Position``) sees all of it, whichever process it comes to.

    An unexpected error is logged with its traceback and answered 500 with the id; nothing of it is shown.
    """

    def __init__(
        self,
        app: ASGIApp,
        body_bytes_max: int,
        body_timeout_s: float,
        *,
        unbounded_paths: Collection[str],
        body_limit_overrides: Mapping[str, int],
    ) -> None:
        self.app = app
        self.body_bytes_max = body_bytes_max
        self.body_timeout_s = body_timeout_s
        self.streamed = unbounded_paths
        self.larger = body_limit_overrides

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        preserve_encoded_slashes(scope)
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = given.decode() if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        status = 0
        bytes_max = self.larger.get(scope["path"], self.body_bytes_max)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode()), *_lsn_header(scope)]
            await send(message)

        try:
            position = headers.get(_POSITION, b"0")
            require_lsn(int(position) if _POSITION_DIGITS.fullmatch(position) else PRIMARY_ONLY)
            length = headers.get(b"content-length", b"0")
            if scope["path"] in self.streamed:
                await self.app(scope, _bounded(receive, None, self.body_timeout_s), answer)
            elif length.isdigit() and int(length) > bytes_max:
                raise TooLarge(f"A request body may have at most {bytes_max} bytes.")
            else:
                await self.app(scope, _bounded(receive, bytes_max, self.body_timeout_s), answer)
        except Exception as error:
            expected = expected_failure(error) or (expected_failure(error.__cause__) if status else None)
            if expected is None:
                log.exception("unexpected_error", method=scope["method"], route=_route(scope))
            elif status:
                log.warning("response_aborted", route=_route(scope), error=type(error).__name__)
            if status:
                raise
            unexpected = f"Something unexpected went wrong; it is logged as {request_id}."
            response = problem_response(expected) if expected else problem(500, "Internal error", unexpected)
            await response(scope, receive, answer)
        finally:
            elapsed_ms = round((time.perf_counter() - started) * 1000, 2)
            log.info("request", method=scope["method"], route=_route(scope), status=status, elapsed_ms=elapsed_ms)
            _observe(scope, status, elapsed_ms / 1000)


def _lsn_header(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return how far the log may have been written by this request."""
    runtime = getattr(scope["app"].state, "runtime", None)
    if scope["method"] == "GET" or READ_ONLY_POSTS.search(scope["path"]) or runtime is None or runtime.replica is None:
        return []
    return [(_POSITION, str(runtime.replica.lsn.last).encode())]


def _observe(scope: Scope, status: int, seconds: float) -> None:
    """Count the request by its route; a stream lasts as long as its reader wants, which says nothing."""
    runtime: Runtime | None = getattr(scope["app"].state, "runtime", None)
    route = _route(scope) or "none"
    if runtime is not None and route not in STREAMING_ROUTES:
        method = scope["method"] if scope["method"] in METHODS else "other"
        runtime.metrics.requests.labels(method, route, str(status)).observe(seconds)


def _route(scope: Scope) -> str | None:
    """Return the route, not the path: a path names people and sessions."""
    return getattr(scope.get("route"), "path", None)


def _bounded(receive: Receive, bytes_max: int | None, seconds: float) -> Receive:
    """Receives a body of at most so many bytes, all of it within so many seconds (or without a bound on its bytes,
    each part of it); what comes after the body, such as that the client has gone, may take any time."""
    taken = 0
    complete = False
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + seconds

    async def bounded() -> Message:
        nonlocal taken, complete
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(ends_at if bytes_max is not None else loop.time() + seconds):
                message = await receive()
        except TimeoutError:
            raise RequestTimeout from None
        complete = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if bytes_max is not None and taken > bytes_max:
            raise TooLarge(f"A request body may have at most {bytes_max} bytes.")
        return message

    return bounded


class OptOutHeaders:
    """Reads headers of other memory layers as ours: a call that opts out by any of them opts out."""

    def __init__(self, app: ASGIApp, name: str, others: Collection[str]) -> None:
        self._app = app
        self._name = name.lower().encode()
        self._others = frozenset(other.lower().encode() for other in others) - {self._name}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = [(name, value) for name, value in scope.get("headers", ()) if name in self._others]
        if given:
            own = [value for name, value in scope["headers"] if name == self._name]
            said = (value for value in (*own, *(value for _, value in given)) if not is_no(value.decode("latin-1")))
            first = next(said, b"")
            rest = [one for one in scope["headers"] if one[0] != self._name and one[0] not in self._others]
            scope = dict(scope) | {"headers": [*rest, (self._name, first)]}
        await self._app(scope, receive, send)
