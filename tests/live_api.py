"""The API as tests use it: a real server on a free port, and a client that speaks to it with a key."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self
from uuid import UUID

import asyncpg
import httpx
import uvicorn
import uvloop

from service.app import create_app
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import KeyGrant
from service.memory.access.keys import add_key
from service.runtime import Runtime
from service.settings import Settings
from tests.prompt_server import PromptServer

ADMIN_KEY = "the-admin-key-of-the-tests"

ANSWER_S = 600
"""How long a client of a test waits for an answer; only a server that hangs takes so long."""

UNENCRYPTED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients on the loopback: without the certificates of the world, which each would spend 20 ms on reading."""


class HttpClient(httpx.AsyncClient):
    """Raises ``httpx.ReadError`` for a connection that is closed as soon as it is made, of which anyio raises
    AttributeError."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        try:
            return await super().send(request, **options)
        except AttributeError as error:
            raise httpx.ReadError(str(error), request=request) from error


Json = dict[str, Any]


class Caller:
    """A server and a key: what one can say to an API."""

    __slots__ = ()
    http: httpx.AsyncClient
    key: str

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

    async def as_role(self, role: str, agent: str | None = None) -> Self:
        """This server, spoken to with a new key."""
        made = await self.post("/v1/keys", {"role": role, "agent": agent, "name": f"{role} {agent}"})
        return replace(self, key=made["key"])


@dataclass(frozen=True, slots=True)
class Api(Caller):
    """A server of this event loop. ``runtime`` is the server's own, for looking behind the API."""

    http: httpx.AsyncClient
    runtime: Runtime
    key: str = ADMIN_KEY
    workspace: UUID = DEFAULT_WORKSPACE

    async def inside(self, work: Callable[[Runtime], Coroutine[Any, Any, Any]]) -> Any:
        """What ``work`` returns for the runtime."""
        return await work(self.runtime)

    def lending(self, **parts: Any) -> AbstractContextManager[None]:
        """Let the runtime have these parts (a model, a clock) for the length of the block."""
        return _lent(self.runtime, parts)


@dataclass(frozen=True, slots=True)
class Tenant(Caller):
    """A workspace of its own on a server and a database that other tests share."""

    http: httpx.AsyncClient
    key: str
    workspace: UUID
    database_url: str
    _server: SharedServer

    async def inside(self, work: Callable[[Runtime], Coroutine[Any, Any, Any]]) -> Any:
        """What ``work`` returns for the server's runtime, on the loop of the server."""
        return await self._server.inside(work)

    def lending(self, **parts: Any) -> AbstractContextManager[None]:
        """Let the server's runtime have these parts (a model, a clock) for the length of the block."""
        return self._server.lending(**parts)

    async def stored(self, statement: str, *values: Any) -> Any:
        """The first value that a statement finds in the database, past all walls."""
        found = await self.rows(statement, *values)
        return found[0][0] if found else None

    async def rows(self, statement: str, *values: Any) -> list[Any]:
        """The rows that a statement finds in the database, past all walls."""
        connection = await asyncpg.connect(self.database_url)
        try:
            return list(await connection.fetch(statement, *values))
        finally:
            await connection.close()


@contextmanager
def _lent(runtime: Runtime, parts: Json) -> Iterator[None]:
    own = {name: getattr(runtime, name) for name in parts}
    try:
        for name, part in parts.items():
            setattr(runtime, name, part)
        yield
    finally:
        for name, part in own.items():
            setattr(runtime, name, part)


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
    server = PromptServer(uvicorn.Config(app, log_config=None, access_log=False))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.005)
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=base, timeout=ANSWER_S, verify=UNENCRYPTED) as http:
            yield Api(http, app.state.runtime)
    finally:
        server.stop()
        await task
        listener.close()


@dataclass(frozen=True, slots=True)
class SharedServer:
    """An API in a thread of its own, for many tests. Each speaks to it as a workspace of its own."""

    base_url: str
    database_url: str
    _runtime: Runtime
    _run: Callable[[Coroutine[Any, Any, Any]], Any]

    async def inside(self, work: Callable[[Runtime], Coroutine[Any, Any, Any]]) -> Any:
        """What ``work`` returns for the runtime, on the loop of the server."""
        return await asyncio.to_thread(self._run, work(self._runtime))

    def lending(self, **parts: Any) -> AbstractContextManager[None]:
        """Let the runtime have these parts for the length of the block, in which no other test runs."""
        return _lent(self._runtime, parts)

    @asynccontextmanager
    async def tenant(self) -> AsyncIterator[Tenant]:
        """A new workspace, and a client with its admin key."""
        workspace = new_id()
        key = await self.inside(lambda runtime: _settle(runtime, workspace))
        async with httpx.AsyncClient(base_url=self.base_url, timeout=ANSWER_S, verify=UNENCRYPTED) as http:
            yield Tenant(http, key, workspace, self.database_url, self)


async def _settle(runtime: Runtime, workspace: UUID) -> str:
    async with runtime.db.unscoped() as connection:
        await connection.run("add_workspace", workspace=workspace, name=f"tests {workspace}")
    _, key = await add_key(runtime, workspace, KeyGrant("admin", "tests"))
    return key


async def _end_all_others() -> None:
    """Cancel what goes on in this loop, such as litellm's logging, and wait for it to end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@contextmanager
def serving_in_a_thread(settings: Settings, database_url: str) -> Iterator[SharedServer]:
    """Serve from a thread for the length of the block. ``database_url``: the database, past any pooler."""
    loop = uvloop.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="shared-server")
    thread.start()

    def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    try:
        server = serving(settings)
        api = run(server.__aenter__())
        try:
            yield SharedServer(str(api.http.base_url), database_url, api.runtime, run)
        finally:
            run(server.__aexit__(None, None, None))
            run(_end_all_others())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
