"""SIGTERM: a worker ends by itself and leaves no lease behind, whatever it is in the middle of."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.processes import WorkerProcess
from tests.tuning import tuning
from tests.worker.dreaming import contents, note_everything, say

HANG_S = 600


@pytest.fixture
async def model() -> AsyncIterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        yield opened


@pytest.fixture
async def worker(settings: Settings, model: FakeOpenAI, tmp_path: Path) -> AsyncIterator[WorkerProcess]:
    process = WorkerProcess(
        settings.database_url, tmp_path / "worker.log", LLM_MODEL="openai/gpt-4o-mini", LLM_API_BASE=model.base_url,
        LLM_API_KEY="k", REVERIE_TUNING=tuning(llm_timeout_s=HANG_S, poll_s=0.1),
    )  # fmt: skip
    process.start()
    try:
        yield process
    finally:
        await process.kill()


async def leases(database_url: str) -> list[tuple[str, str]]:
    connection = await asyncpg.connect(database_url)
    rows = await connection.fetch("SELECT lease_owner, lease_until FROM dream_schedule WHERE lease_owner IS NOT NULL")
    await connection.close()
    return [tuple(row) for row in rows]


async def test_stopped_in_the_middle_of_a_slow_call(
    api: Api, database_url: str, model: FakeOpenAI, worker: WorkerProcess
) -> None:
    model.fail(hang_s=HANG_S, times=None)
    await say(api, "I live in Oslo.")
    asked = await api.post("/v1/agents/a/dream", {})
    await asyncio.to_thread(model.wait_for_call, "chat", timeout_s=120)
    assert len(await leases(database_url)) == 1
    worker.signal(signal.SIGTERM)
    assert await worker.wait() == 0
    assert await leases(database_url) == []
    assert (await api.get(f"/v1/dreams/{asked['id']}"))["status"] == "queued"
    model.heal()
    worker.start()
    done = await api.post("/v1/agents/a/dream", {"wait": True}, timeout=600)
    assert done["id"] == asked["id"]
    assert await contents(api) == {"u1 said: I live in Oslo."}


async def test_stopped_with_nothing_to_do(api: Api, database_url: str, worker: WorkerProcess) -> None:
    await say(api, "I live in Oslo.")
    asked = await api.post("/v1/agents/a/dream", {"wait": True}, timeout=600)
    assert asked["status"] == "succeeded"
    worker.signal(signal.SIGTERM)
    assert await worker.wait() == 0
    assert await leases(database_url) == []
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval("SELECT count(*) FROM worker_heartbeats") == 0
    await connection.close()


async def test_one_that_cannot_stop_says_so(database_url: str, worker: WorkerProcess) -> None:
    await worker.ready()
    connection = await asyncpg.connect(database_url)
    async with connection.transaction():
        await connection.execute("LOCK TABLE worker_heartbeats")
        worker.signal(signal.SIGTERM)
        assert await worker.wait() == 1
    await connection.close()
    assert "worker_stuck" in worker.log.read_text(encoding="utf-8")
