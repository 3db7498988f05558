"""A server killed between a write and its answer: the client tries again, and there is one memory."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import httpx

from reverie_client import AsyncReverie
from tests.live_api import ADMIN_KEY, ANSWER_S
from tests.processes import ServerProcess


class KilledBeforeItAnswers(httpx.AsyncBaseTransport):
    """Sends on; when the first POST is answered, kills the server and loses the answer."""

    def __init__(self, server: ServerProcess) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._server = server
        self.posts = 0
        self.killed = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        self.posts += request.method == "POST"
        if not self.killed.is_set():
            await response.aread()
            assert response.status_code == 201
            self._server.signal(signal.SIGKILL)
            await self._server.wait()
            self.killed.set()
            raise httpx.ReadError("the server is gone", request=request)
        return response


async def test_one_memory_whatever_was_lost(service_url: str, tmp_path: Path) -> None:
    server = ServerProcess(service_url, tmp_path / "log")
    try:
        await server.start()
        transport = KilledBeforeItAnswers(server)
        http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", transport=transport, timeout=ANSWER_S)
        async with AsyncReverie(api_key=ADMIN_KEY, agent="a", http=http, retries=30) as client:
            saving = asyncio.create_task(client.save_memory("event", "The server went away"))
            await transport.killed.wait()
            await server.restart()
            saved = await saving
            assert saved.created
            assert saved.memory is not None
            listed = [memory async for memory in client.list_memories()]
            assert [(memory.id, memory.version) for memory in listed] == [(saved.memory.id, 1)]
            assert transport.posts > 1
    finally:
        await server.close()
