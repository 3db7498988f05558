"""``python -m service mcp``: the same tools over standard input and output, for a Reverie that runs somewhere."""

from __future__ import annotations

from reverie_client import AsyncReverie
from service.mcp.server import build_server


async def serve_stdio(url: str, api_key: str, agent: str | None) -> None:
    """Serve one MCP client until it goes. ``agent`` is who acts with a key that is bound to no agent."""
    async with AsyncReverie(url, api_key, agent=agent) as client:
        await build_server(lambda _: client).run_stdio_async()
