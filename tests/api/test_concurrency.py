"""One key cannot take all streams, exports, imports, waits or completions; what it frees it gets back."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from service.api.dependencies import transfers
from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.domain.principal import KeyGrant
from service.first_start import key_in_workspace
from service.proxy.chat import completions
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import ADMIN_KEY, Api, serving
from tests.processes import ServerProcess
from tests.tuning import tuning
from tests.waiting import until

STREAM = "text/event-stream"
STREAMS = ["/v1/events", "/mcp"]


class Socket:
    """A request on a connection of its own, whose answer is read no further than its head."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def get(cls, port: int, path: str, key: str) -> Socket:
        opened = cls(*await asyncio.open_connection("127.0.0.1", port))
        fields = f"Host: x\r\nAuthorization: Bearer {key}\r\nAccept: {STREAM}, application/json\r\n"
        opened._writer.write(f"GET {path} HTTP/1.1\r\n{fields}\r\n".encode())
        return opened

    async def status(self) -> tuple[int, dict[str, str]]:
        """Status and headers."""
        async with asyncio.timeout(180):
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        return int(first.split()[1]), headers

    def close(self) -> None:
        """Say goodbye (FIN)."""
        self._writer.close()

    def break_off(self) -> None:
        """Go without a goodbye (RST)."""
        inner = self._writer.get_extra_info("socket")
        inner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


@pytest.fixture
async def bounded(service_url: str, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server that serves two streams of a key, three of a workspace, four in all."""
    bounds = tuning(streams_per_key=2, streams_per_workspace=3, streams_max=4)
    process = ServerProcess(service_url, tmp_path / "server.log", REVERIE_TUNING=bounds)
    try:
        await process.start()
        yield process
    finally:
        await process.close()


async def reader_key(server: ServerProcess) -> str:
    made = await server.call("POST", "/v1/keys", json={"role": "reader", "name": "r"})
    return str(made.json()["key"])


async def opens(server: ServerProcess, path: str, key: str) -> Socket:
    """A stream, as soon as there is room for one."""
    async with asyncio.timeout(180):
        while True:
            opened = await Socket.get(server.port, path, key)
            status, _ = await opened.status()
            if status == 200:
                return opened
            assert status == 429
            opened.close()
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("path", STREAMS)
async def test_a_key_has_so_many_streams_and_those_of_clients_that_go_are_free_again(
    bounded: ServerProcess, path: str
) -> None:
    key = await reader_key(bounded)
    for end in (Socket.close, Socket.break_off):
        open_ = [await opens(bounded, path, key) for _ in range(2)]
        refused = await bounded.http.get(path, headers={"Authorization": f"Bearer {key}", "Accept": f"{STREAM}, */*"})
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert int(refused.headers["retry-after"]) > 0
        assert "This key has 2 streams open already" in refused.json()["detail"]
        assert (await bounded.call("GET", "/v1/agents")).status_code == 200
        for one in open_:
            end(one)
    again = [await opens(bounded, path, key) for _ in range(2)]
    for one in again:
        one.break_off()


async def test_events_and_mcp_share_the_bounds_and_other_workspaces_have_room(
    bounded: ServerProcess, service_url: str, tmp_path: Path
) -> None:
    first, second = await reader_key(bounded), await reader_key(bounded)
    settings = Settings(DATABASE_URL=service_url, REVERIE_DATA_DIR=tmp_path, EMBEDDING_MODEL="none", _env_file=None)
    stranger = await key_in_workspace(settings, KeyGrant("admin", "admin"), "elsewhere")
    open_ = [await opens(bounded, path, first) for path in STREAMS]
    open_.append(await opens(bounded, "/mcp", second))
    for path in STREAMS:
        third = await Socket.get(bounded.port, path, second)
        assert (await third.status())[0] == 429
    open_.append(await opens(bounded, "/v1/events", stranger))
    fifth = await Socket.get(bounded.port, "/v1/events", stranger)
    status, headers = await fifth.status()
    assert (status, int(headers["retry-after"]) > 0) == (503, True)
    for one in open_:
        one.close()


async def test_a_wait_for_a_dream_is_bounded_and_free_when_its_client_goes(bounded: ServerProcess) -> None:
    body = {"agent": "a", "messages": [{"role": "user", "content": "I live in Oslo."}]}
    assert (await bounded.call("POST", "/v1/sessions/s/messages", json=body)).status_code == 201

    async def wait() -> Any:
        return await bounded.call("POST", "/v1/agents/a/dream", json={"wait": True})

    waiting = [asyncio.create_task(wait()) for _ in range(4)]
    async with asyncio.timeout(180):
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert {task.result().status_code for task in done} == {429}
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    (await opens(bounded, "/v1/events", ADMIN_KEY)).close()


async def test_exports_and_imports_share_a_bound(api: Api) -> None:
    limit = api.runtime.parts[transfers] = ConcurrencyLimit("exports and imports", Bounds(1, 1, 1))
    line = b'{"agent": "a", "type": "fact", "content": "There"}\n'
    held = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield line
        await held.wait()

    for headers in ({}, {"Accept": "application/x-ndjson"}):
        held.clear()
        importing = asyncio.create_task(api.call("POST", "/v1/import", content=slowly(), headers=headers))
        await until(lambda: limit._keys, "it is not under way")
        refused = await api.call("GET", "/v1/export")
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert await api.status("POST", "/v1/import", content=line) == 429
        held.set()
        assert (await importing).status_code == 200
        assert await api.status("GET", "/v1/export", params={"agent": "nobody"}) == 404
        assert await api.status("GET", "/v1/export") == 200


@pytest.mark.parametrize("stream", [True, False])
async def test_completions_are_bounded_until_the_model_has_answered(settings: Settings, stream: bool) -> None:
    with FakeOpenAI() as model:
        given = {"llm_api_base": model.base_url, "llm_api_key": "any"}
        async with serving(settings.model_copy(update=given)) as api:
            await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["m"]}})
            api.runtime.parts[completions] = ConcurrencyLimit("chat completions", Bounds(1, 1, 1))
            body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "hello"}]}
            for _ in range(2):
                model.hold()
                first = asyncio.create_task(api.call("POST", "/v1/chat/completions", json=body))
                await asyncio.to_thread(model.wait_for_call, "chat")
                refused = await api.call("POST", "/v1/chat/completions", json=body)
                assert refused.status_code == 429
                assert "This key has 1 chat completions open already" in refused.json()["detail"]
                model.let_go()
                assert (await first).status_code == 200
                model.reset()
