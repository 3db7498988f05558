"""What breaks shows in ``/v1/engine``, ``/readyz`` and ``/metrics`` within five seconds, and clears (rows E6, O4)."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from service.db import embedded
from tests.databases import make_ready
from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ServerProcess, WorkerProcess

SHOWS_S = 5.0
HANG_S = 60.0
START_S = 60.0
PATIENCE = float(os.environ.get("REVERIE_TEST_PATIENCE", "4"))
"""Other tests share the machine, so the five seconds are stretched; 1 measures them."""


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[tuple[ServerProcess, WorkerProcess, FakeOpenAI, Path]]:
    """API and worker on a Postgres of their own, with remote models."""
    folder = Path(tempfile.mkdtemp(prefix="reverie-breakage-"))  # another run of pytest may close its own folders
    url = await asyncio.to_thread(embedded.start, folder)
    await asyncio.to_thread(make_ready, url)
    with FakeOpenAI(dim=48) as provider:
        models = {
            "EMBEDDING_MODEL": "openai/fake", "EMBEDDING_API_BASE": provider.base_url, "EMBEDDING_DIM": "48",
            "LLM_MODEL": "openai/fake", "LLM_API_BASE": provider.base_url, "REVERIE_PROBE_S": "1.5",
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
            shutil.rmtree(folder, ignore_errors=True)


async def told(server: ServerProcess, *components: str) -> dict[str, str]:
    """What ``/readyz`` and ``/metrics`` say of components."""
    ready, metrics = await asyncio.gather(server.http.get("/readyz"), server.call("GET", "/metrics"))
    assert metrics.status_code == 200
    says: dict[str, str] = {}
    for component in components:
        up = re.search(rf'^reverie_up{{component="{component}"}} (\S+)$', metrics.text, re.MULTILINE)
        says[f"{component} in readyz"] = ready.json()["checks"][component]
        says[f"{component} in metrics"] = {"1.0": "ok", "0.0": "failing"}[up[1]] if up else "unknown"
    return says


async def told_by_engine(server: ServerProcess, *components: str) -> dict[str, str]:
    """What ``/v1/engine`` says of them, which looks for itself when it is asked."""
    answer = await server.call("GET", "/v1/engine")
    if answer.status_code == 503:
        return {f"{component} in engine": "failing" for component in components}
    engine: Any = answer.json() | {"workers": {"status": answer.json()["workers_status"]}}
    return {f"{component} in engine": engine[component]["status"] for component in components}


async def until(server: ServerProcess, state: str, *components: str, within_s: float = SHOWS_S * PATIENCE) -> None:
    """Wait until all three say so of all components; the one that looks for itself is asked after the others."""
    ends_at = asyncio.get_running_loop().time() + within_s
    says: dict[str, str] = {}
    while asyncio.get_running_loop().time() < ends_at:
        says = await told(server, *components)
        if set(says.values()) == {state}:
            says |= await told_by_engine(server, *components)
            if set(says.values()) == {state}:
                return
        await asyncio.sleep(0.1)
    raise AssertionError(f"should be {state}, but {says}")


async def test_each_breakage_shows_everywhere_and_clears(
    running: tuple[ServerProcess, WorkerProcess, FakeOpenAI, Path],
) -> None:
    server, worker, provider, folder = running
    await until(server, "ok", "database", "embedder", "llm", "workers", within_s=START_S)

    for broken in ({"status": 500}, {"hang_s": HANG_S}):
        provider.fail(**broken, times=None)
        await until(server, "failing", "embedder", "llm")
        provider.heal()
        await until(server, "ok", "embedder", "llm")

    await worker.kill()
    await until(server, "failing", "workers")
    worker.start()
    await until(server, "ok", "workers", within_s=START_S)

    postmaster = int((folder / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGQUIT)
    await until(server, "failing", "database")
    assert (await server.http.get("/healthz")).status_code == 200
    await asyncio.to_thread(embedded.start, folder)
    await until(server, "ok", "database")
