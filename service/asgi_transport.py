"""Requests of httpx to an ASGI app of the same event loop: without a socket, streams included.

httpx has a transport for ASGI, too, but it gathers an answer before it gives any of it: an export would be held in
memory, and a stream of events would never begin.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
from starlette.types import ASGIApp, Message

LEAVE_S = 2.0
"""For an app to end once its reader has left: a transaction is not cut in two."""
PARTS_MAX = 16
"""Parts of an answer that may wait for their reader; then the API waits."""


class InProcess(httpx.AsyncBaseTransport):
    """Sends requests to an ASGI app."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Begin to answer; the body follows as it is read. Raises what the app raises before it answers."""
        exchange = _Exchange(request)
        task = asyncio.create_task(exchange.run(self._app))
        try:
            await exchange.started()
        except BaseException:
            await exchange.leave(task)
            raise
        return httpx.Response(exchange.status, headers=exchange.headers, stream=_Body(exchange, task))


class _Exchange:
    """One request and its answer, as an ASGI app receives and sends them."""

    def __init__(self, request: httpx.Request) -> None:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        self._scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "server": (request.url.host, request.url.port),
            "client": None,
        }
        self._body = request.stream.__aiter__()
        self._received = False
        self._left = asyncio.Event()
        self._answer: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue(PARTS_MAX)
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []

    async def run(self, app: ASGIApp) -> None:
        error: BaseException | None = None
        try:
            await app(self._scope, self._receive, self._send)
            if not self._begun.done():
                error = httpx.RemoteProtocolError("the app ended without an answer")
        except Exception as raised:  # noqa: BLE001 - whoever reads the answer is given it
            error = raised
        if error is not None and not self._begun.done():
            self._begun.set_exception(error)
        if not self._left.is_set():
            await self._answer.put(error)

    async def started(self) -> None:
        await asyncio.shield(self._begun)

    async def _receive(self) -> Message:
        async for part in self._body:
            return {"type": "http.request", "body": part, "more_body": True}
        if not self._received:
            self._received = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message.get("headers", []))
            self._begun.set_result(None)
        elif self._left.is_set():
            await asyncio.sleep(0)
        elif message["type"] == "http.response.body" and message.get("body"):
            await self._answer.put(message["body"])

    async def parts(self) -> AsyncIterator[bytes]:
        while (part := await self._answer.get()) is not None:
            if isinstance(part, BaseException):
                raise part
            yield part

    async def leave(self, task: asyncio.Task[None]) -> None:
        """Let the app know that nobody reads on, as a broken connection would; end it if it does not end."""
        self._left.set()
        while not self._answer.empty():
            self._answer.get_nowait()
        await asyncio.wait({task}, timeout=LEAVE_S)
        task.cancel()
        await asyncio.wait({task})


class _Body(httpx.AsyncByteStream):
    """The body of an answer. Closing it early ends the app's work on it."""

    def __init__(self, exchange: _Exchange, task: asyncio.Task[None]) -> None:
        self._exchange = exchange
        self._task = task

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._exchange.parts():
            yield part

    async def aclose(self) -> None:
        await self._exchange.leave(self._task)
