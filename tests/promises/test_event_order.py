"""Each event once and by rising position, while other processes give positions as well."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.processes import ServerProcess, WorkerProcess
from tests.webhook_receiver import Receiver

WRITERS = 4
SAVES = 60
"""Of each writer."""
FOLLOWERS = 4


@pytest.fixture
async def servers(service_url: str, tmp_path: Path) -> AsyncIterator[list[ServerProcess]]:
    """Two API processes on one database, whose operator allows webhooks inside the network."""
    processes = [
        ServerProcess(service_url, tmp_path / f"server-{n}.log", REVERIE_ALLOW_PRIVATE="true") for n in range(2)
    ]
    async with AsyncExitStack() as stack:
        for process in processes:
            stack.push_async_callback(process.close)
            await process.start()
        yield processes


async def positions(server: ServerProcess, after: int, count: int) -> list[int]:
    """The positions of the next events, as a stream that breaks off after ``count`` of them gives them."""
    headers = {"Authorization": server.authorization, "Last-Event-ID": str(after)}
    found: list[int] = []
    async with server.http.stream("GET", "/v1/events", headers=headers) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            assert line != "event: gap"
            if line.startswith("id: "):
                found.append(int(line.removeprefix("id: ")))
            if len(found) == count:
                break
    return found


async def follower(servers: list[ServerProcess], until: int, seed: int) -> list[int]:
    """All positions up to ``until``, by streams of either process that break off and are resumed at random points."""
    chance = random.Random(seed)
    seen: list[int] = []
    while not seen or seen[-1] < until:
        after = seen[-1] if seen else 0
        seen += await positions(chance.choice(servers), after, chance.randint(1, min(60, until - after)))
    return seen


async def test_streams_beside_a_webhook_and_another_process_give_each_event_once(
    servers: list[ServerProcess], service_url: str, tmp_path: Path
) -> None:
    worker = WorkerProcess(service_url, tmp_path / "worker.log", REVERIE_ALLOW_PRIVATE="true")
    total = WRITERS * SAVES

    async def write(n: int) -> None:
        for i in range(SAVES):
            body = {"agent": f"agent-{n}", "type": "fact", "content": f"Note {n}.{i}"}
            assert (await servers[i % 2].call("POST", "/v1/memories", json=body)).status_code == 201

    async with Receiver() as receiver:
        assert (await servers[0].call("POST", "/v1/webhooks", json={"url": receiver.url})).is_success
        worker.start()
        await worker.ready()
        try:
            async with asyncio.timeout(300):
                following = [asyncio.create_task(follower(servers, total, seed)) for seed in range(FOLLOWERS)]
                await asyncio.gather(*(write(n) for n in range(WRITERS)))
                seen = await asyncio.gather(*following)
                await receiver.arrived.wait()
        finally:
            await worker.kill()
    assert seen == [list(range(1, total + 1))] * FOLLOWERS
