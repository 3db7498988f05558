"""No event is lost, whatever is killed."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from reverie_client import AsyncReverie
from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess, WorkerProcess
from tests.waiting import until
from tests.webhook_receiver import Receiver

ROUNDS = 3


async def write_until_killed(server: ServerProcess, round_: int, saved: set[str]) -> None:
    """Save memories, several at once, until the server is gone; ``saved`` are those it has acknowledged."""

    enough = asyncio.Event()
    target = len(saved) + 40

    async def writer(n: int) -> None:
        for i in range(10_000):
            body = {"agent": "a", "type": "fact", "content": f"Note {round_}.{n}.{i}"}
            try:
                answer = await server.call("POST", "/v1/memories", json=body)
            except httpx.TransportError:
                return
            if answer.status_code == 201:
                saved.add(answer.json()["memory"]["id"])
                if len(saved) >= target:
                    enough.set()

    async def killer() -> None:
        await enough.wait()
        server.signal(signal.SIGKILL)

    async with asyncio.timeout(180):
        await asyncio.gather(killer(), *(writer(n) for n in range(4)))


@pytest.fixture
async def server(service_url: str, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """The API in a process of its own, whose operator allows webhooks inside the network."""
    process = ServerProcess(service_url, tmp_path / "server.log", REVERIE_ALLOW_PRIVATE="true")
    try:
        await process.start()
        yield process
    finally:
        await process.close()


async def test_a_server_told_to_stop_ends_its_streams(server: ServerProcess) -> None:
    """uvicorn would wait for them, and break them off in the end."""
    headers = {"Authorization": server.authorization}
    async with server.http.stream("GET", "/v1/events", headers=headers) as response:
        lines = response.aiter_lines()
        assert (await anext(lines)).startswith(":")
        server.signal(signal.SIGTERM)
        assert [line async for line in lines if line and line[0] != ":"] == []
    assert await server.wait() == -signal.SIGTERM


async def test_killed_servers_and_workers_lose_no_event(
    server: ServerProcess, service_url: str, tmp_path: Path
) -> None:
    async with Receiver() as receiver:
        assert (await server.call("POST", "/v1/webhooks", json={"url": receiver.url})).is_success
        saved: set[str] = set()
        for round_ in range(ROUNDS):
            worker = WorkerProcess(service_url, tmp_path / "worker.log", REVERIE_ALLOW_PRIVATE="true")
            worker.start()
            await write_until_killed(server, round_, saved)
            await worker.kill()
            await server.restart()

        streamed: list[str] = []
        async with AsyncReverie(str(server.http.base_url), ADMIN_KEY) as client:
            async with asyncio.timeout(180):
                async for event in client.stream_events(after=0, types=["memory.created"]):
                    streamed.append(event["memory_id"])
                    if saved <= set(streamed):
                        break
        assert len(streamed) == len(set(streamed))

        worker = WorkerProcess(service_url, tmp_path / "worker.log", REVERIE_ALLOW_PRIVATE="true")
        worker.start()
        try:
            await until(lambda: saved <= {json.loads(body)["memory_id"] for _, body in receiver.got}, "not delivered")
        finally:
            await worker.kill()
        delivered = [json.loads(body) for _, body in receiver.got]
        ids = {event["memory_id"]: event["id"] for event in delivered}
        assert len({event["id"] for event in delivered}) == len(ids)
