"""The SDK's own client of the MCP tools, over HTTP and over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.live_api import Caller

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_http(
    api: Caller,
    key: str,
    agent: str | None = None,
    path: str = "/mcp",
    user: str | None = None,
    tools: str | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """The SDK's client at /mcp."""
    named = {"X-Reverie-Agent": agent, "X-Reverie-User": user, "X-Reverie-Tools": tools}
    headers = {"Authorization": f"Bearer {key}"} | {name: value for name, value in named.items() if value}
    async with httpx2.AsyncClient(headers=headers, timeout=600) as http:
        transport = streamable_http_client(str(api.http.base_url).rstrip("/") + path, http_client=http)
        async with Client(transport, **options) as client:
            yield client


@asynccontextmanager
async def over_stdio(
    api: Caller,
    key: str,
    agent: str | None = None,
    user: str | None = None,
    tools: str | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """The SDK's client with ``python -m service mcp``."""
    environment = os.environ | {"REVERIE_URL": str(api.http.base_url), "REVERIE_API_KEY": key}
    named = {"REVERIE_AGENT": agent, "REVERIE_USER": user}
    environment |= {name: value for name, value in named.items() if value}
    listed = ["--tools", tools] if tools else []
    server = StdioServerParameters(command=sys.executable, args=["-m", "service", "mcp", *listed], env=environment)
    async with Client(server, **options) as client:
        yield client


OVER_STDIO = pytest.param(over_stdio, marks=pytest.mark.exhaustive)
"""In the second tier, since each client starts a program."""


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content
