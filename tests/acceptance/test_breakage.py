"""What breaks shows in ``/v1/engine``, ``/readyz`` and ``/metrics``, and clears."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from service.db import embedded
from tests.databases import migrate_and_seed
from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess, WorkerProcess, kill_postgres
from tests.tuning import tuning
from tests.waiting import until

HANG_S = 600.0


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[tuple[ServerProcess, WorkerProcess, FakeOpenAI, Path]]:
    """API and worker on a Postgres of their own, with remote models."""
    folder = tmp_path / "postgres"
    url = await asyncio.to_thread(embedded.start, folder)
    await asyncio.to_thread(migrate_and_seed, url)
    with FakeOpenAI(dim=48) as provider:
        models = {
            "EMBEDDING_MODEL": "openai/fake", "EMBEDDING_API_BASE": provider.base_url, "EMBEDDING_DIM": "48",
            "LLM_MODEL": "openai/fake", "LLM_API_BASE": provider.base_url,
            "REVERIE_TUNING": tuning(health_probe_interval_s=1.5),
        }  # fmt: skip
        server = ServerProcess(url, tmp_path / "server.log", **models)
        worker = WorkerProcess(url, tmp_path / "worker.log", **models)
        try:
            worker.start()
            await server.start()
            yield server, worker, provider, folder
        finally:
            await worker.kill()
            await server.close()
            await asyncio.to_thread(embedded.stop, folder)


async def ready(server: ServerProcess, component: str) -> str:
    return str((await server.http.get("/readyz")).json()["checks"][component])


async def metrics(server: ServerProcess, component: str) -> str:
    answer = await server.call("GET", "/metrics")
    assert answer.status_code == 200
    up = re.search(rf'^reverie_dependency_up{{component="{component}"}} (\S+)$', answer.text, re.MULTILINE)
    return {"1.0": "ok", "0.0": "failing"}[up[1]] if up else "unknown"


async def runtime(server: ServerProcess, component: str) -> str:
    answer = await server.call("GET", "/v1/engine")
    if answer.status_code == 503:
        return "failing"
    state: Any = answer.json()
    return str(state["workers_status"] if component == "workers" else state[component]["status"])


async def shows(server: ServerProcess, state: str, *components: str) -> None:
    """Wait until all three say so of all components, each asked again and again whatever the others say."""

    async def says(ask: Callable[[ServerProcess, str], Awaitable[str]], component: str) -> None:
        async def does() -> bool:
            return await ask(server, component) == state

        await until(does, f"{component} in {ask.__name__} should be {state}")

    await asyncio.gather(*(says(ask, one) for ask in (ready, metrics, runtime) for one in components))


async def test_each_breakage_shows_everywhere_and_clears(
    running: tuple[ServerProcess, WorkerProcess, FakeOpenAI, Path],
) -> None:
    server, worker, provider, folder = running
    await shows(server, "ok", "database", "embedder", "llm", "workers")

    for broken in ({"status": 500}, {"hang_s": HANG_S}):
        provider.fail(**broken, times=None)
        await shows(server, "failing", "embedder", "llm")
        provider.heal()
        await shows(server, "ok", "embedder", "llm")

    await worker.kill()
    await shows(server, "failing", "workers")
    worker.start()
    await shows(server, "ok", "workers")

    await asyncio.to_thread(kill_postgres, folder)
    await shows(server, "failing", "database")
    assert (await server.http.get("/healthz")).status_code == 200
    await asyncio.to_thread(embedded.start, folder)
    await shows(server, "ok", "database")
