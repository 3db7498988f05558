"""``/studio``: opened by its first visitor, so that a service whose Studio nobody looks at pays nothing for it."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.studio.transport import InProcess

PATH = "/studio"
IMPORT_PATH = f"{PATH}/import"
"""Takes files of any size, read line by line."""
INSIDE = "http://reverie.invalid"
"""The address under which pages call the API of their own process; it never leaves it."""


class Studio:
    """The ASGI app to mount at PATH. Its pages call ``api`` in process, with the key of whoever has signed in.

    NiceGUI keeps its pages in globals, so a process can open one Studio, once.
    """

    def __init__(self, api: ASGIApp) -> None:
        self._http = httpx.AsyncClient(transport=InProcess(api), base_url=INSIDE, timeout=60)
        self._opening: asyncio.Task[ASGIApp] | None = None
        self._opened = AsyncExitStack()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve for the length of the block."""
        async with self._http, self._opened:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), context=contextvars.Context())
        pages = await asyncio.shield(self._opening)
        await pages(scope, receive, _secure(send) if scope.get("scheme") == "https" else send)

    async def _open(self) -> ASGIApp:
        pages = await asyncio.to_thread(import_module, "service.studio.site")
        app: ASGIApp = await self._opened.enter_async_context(pages.open_site(self._http))
        return app


def _secure(send: Send) -> Send:
    """Sends cookies that browsers return over TLS alone."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, value + b"; secure" if name.lower() == b"set-cookie" else value)
                for name, value in message.get("headers", [])
            ]
        await send(message)

    return sending
