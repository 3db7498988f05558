"""Connections to addresses that a workspace names, which are not the operator's own unless the operator allows it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import httpx

from service.domain.webhook_url import is_public
from service.provider.response_limits import limit_responses
from service.provider.trust import trust

INSIDE = "the address is inside a network (REVERIE_LLM_ALLOW_PRIVATE allows it)"


Resolver = Callable[[str, int | None], Awaitable[list[str]]]
"""The IP addresses of a name, for a port, the best first. Raises OSError where it has none."""


async def resolve(name: str, port: int | None) -> list[str]:
    """The IP addresses of a name, as this machine's resolver has them."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


async def addresses_of(name: str, port: int | None, *, private: bool, resolver: Resolver = resolve) -> list[str]:
    """The IP addresses of a name that may be connected to: all, or the public ones. Looked up and judged here, once, so
    that the name cannot stand for another address a moment later."""
    addresses = list(dict.fromkeys(await resolver(name, port)))
    return addresses if private else [address for address in addresses if is_public(address)]


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends each request to the first of its name's addresses that can be reached. ``private`` allows those inside a
    network."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._inner = httpx.AsyncHTTPTransport(verify=trust(), trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raises PermissionError where all of the addresses are inside a network."""
        name = request.url.raw_host.decode("ascii")
        url, extensions = request.url, {**request.extensions, "sni_hostname": name}
        addresses = await addresses_of(name, url.port, private=self._private)
        if not addresses:
            raise PermissionError(INSIDE)
        for address in addresses[:-1]:
            try:
                return await self._send(request, url.copy_with(host=address), extensions)
            except httpx.ConnectError:
                continue
        return await self._send(request, url.copy_with(host=addresses[-1]), extensions)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _send(self, request: httpx.Request, url: httpx.URL, extensions: dict[str, object]) -> httpx.Response:
        sent = httpx.Request(request.method, url, headers=request.headers, stream=request.stream, extensions=extensions)
        return await self._inner.handle_async_request(sent)


limit_responses(GuardedTransport)
