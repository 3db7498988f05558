"""``/mcp``: MCP over streamable HTTP beside the API, for the same keys.

Every request stands alone (no session is kept), so any of several processes may serve it. An admin key, which is bound
to no agent, names the acting one in the header ``X-Reverie-Agent``, or as ``?agent=`` in the address; a key that is
bound to no user names whom it is for in ``X-Reverie-User``, or as ``?user=``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from typing import Any

import httpx
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from reverie_client import AsyncReverie
from service.errors import ReverieError, Unauthenticated
from service.in_process import InProcess
from service.mcp.server import build_server
from service.mcp.tool_types import user_named

PATH = "/mcp"
AGENT = "X-Reverie-Agent"
NO_MEMORY = "X-Reverie-No-Memory"
INSIDE = "http://reverie.invalid"
"""The address under which the tools call the API of their own process; it never leaves it."""


class McpEndpoint:
    """The ASGI app at PATH. Its tools call ``api`` in process, with the key of whoever called them."""

    def __init__(
        self,
        api: ASGIApp,
        authenticate: Callable[[str], Awaitable[Any]],
        refuse: Callable[[ReverieError], Response],
        slot: Callable[[Any], AbstractContextManager[None]],
    ) -> None:
        """``authenticate`` raises for a key that is none; ``refuse`` is the answer to that.

        ``slot`` bounds the streams (GET) of whom ``authenticate`` gives; it raises where there are too many.
        """
        self._authenticate = authenticate
        self._refuse = refuse
        self._slot = slot
        self._http = httpx.AsyncClient(transport=InProcess(api), base_url=INSIDE)
        self._manager: StreamableHTTPSessionManager

    @asynccontextmanager
    async def running(self, secret: bytes) -> AsyncIterator[None]:
        """Serve for the length of the block. ``secret``: 32 random bytes that all processes of an installation share,
        so that a question one of them has asked can be answered to any."""
        server = build_server(self._client_of, secret)
        server.streamable_http_app(
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self._manager = server.session_manager
        async with self._manager.run(), self._http:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with ExitStack() as held:
            try:
                caller = await self._authenticate(_key(Headers(scope=scope)))
                if scope["method"] == "GET":
                    held.enter_context(self._slot(caller))
            except ReverieError as error:
                await self._refuse(error)(scope, receive, send)
                return
            await self._manager.handle_request(scope, receive, send)

    def _client_of(self, request: Request) -> AsyncReverie:
        headers = request.headers
        agent = headers.get(AGENT) or request.query_params.get("agent") or None
        off = headers.get(NO_MEMORY, "").strip().lower() in ("1", "true", "yes")
        return AsyncReverie(
            api_key=_key(headers),
            agent=agent,
            user=user_named(request),
            http=self._http,
            retries=0,
            no_memory=off,
            for_prompt=True,
        )


def _key(headers: Headers) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Unauthenticated
    return token.strip()
