"""The API as tests use it: a real server on a free port, and a client that speaks to it with a key."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from service.app import create_app
from service.memory.engine import Engine
from service.settings import Settings

ADMIN_KEY = "the-admin-key-of-the-tests"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Api:
    """A server and a key. ``engine`` is the server's own, for looking behind the API."""

    http: httpx.AsyncClient
    engine: Engine
    key: str = ADMIN_KEY

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request with this key."""
        headers = {"Authorization": f"Bearer {self.key}"} | options.pop("headers", {})
        return await self.http.request(method, path, headers=headers, **options)

    async def get(self, path: str, **params: Any) -> Json:
        """A GET that must succeed."""
        return _ok(await self.call("GET", path, params=params))

    async def post(self, path: str, body: Any = None, **options: Any) -> Json:
        """A POST that must succeed."""
        return _ok(await self.call("POST", path, json=body, **options))

    async def put(self, path: str, body: Any) -> Json:
        """A PUT that must succeed."""
        return _ok(await self.call("PUT", path, json=body))

    async def patch(self, path: str, body: Any) -> Json:
        """A PATCH that must succeed."""
        return _ok(await self.call("PATCH", path, json=body))

    async def delete(self, path: str, **params: Any) -> None:
        """A DELETE that must succeed."""
        response = await self.call("DELETE", path, params=params)
        assert response.status_code == 204, response.text

    async def status(self, method: str, path: str, **options: Any) -> int:
        """The status of one request."""
        return (await self.call(method, path, **options)).status_code

    async def save(self, content: str, **fields: Any) -> Json:
        """Save a memory (a fact of agent ``a`` unless said otherwise) and return it."""
        body = {"agent": "a", "type": "fact", "content": content} | fields
        memory: Json = (await self.post("/v1/memories", body))["memory"]
        return memory

    async def search(self, query: str, **fields: Any) -> list[Json]:
        """The memories found, best first."""
        answer = await self.post("/v1/memories/search", {"agent": "a", "query": query} | fields)
        return [result["memory"] for result in answer["results"]]

    async def as_role(self, role: str, agent: str | None = None) -> Api:
        """This server, spoken to with a new key."""
        made = await self.post("/v1/keys", {"role": role, "agent": agent, "name": f"{role} {agent}"})
        return Api(self.http, self.engine, made["key"])


def _ok(response: httpx.Response) -> Json:
    assert response.is_success, f"{response.status_code} {response.text}"
    body: Json = response.json()
    return body


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Api]:
    """Serve on a free port of the loopback for the length of the block."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # else asyncio leaves Nagle on, and each answer waits 40 ms
    listener.bind(("127.0.0.1", 0))
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.005)
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=base, timeout=30) as http:
            yield Api(http, app.state.engine)
    finally:
        server.should_exit = True
        await task
        listener.close()
