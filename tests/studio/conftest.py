"""One service, one worker and one browser for all tests of the Studio, with what a real dream has made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.bouncer import Bouncer
from tests.databases import TEMPLATE, Databases
from tests.processes import ServerProcess, WorkerProcess
from tests.studio.browsing import PATIENCE_MS, Visitor, browser, chromium, visiting
from tests.studio.story import tell_story

package = {"scope": "package", "loop_scope": "package"}


@pytest.fixture(scope="package")
def _chromium() -> None:
    """Skip, loudly, where there is no browser to look with."""
    if chromium() is None:
        pytest.skip("THE STUDIO IS NOT TESTED: there is no Chromium here (install it, or set CHROMIUM)")
    expect.set_options(timeout=PATIENCE_MS)


@pytest_asyncio.fixture(**package)
async def service(
    _chromium: None, databases: Databases, bouncer: Bouncer | None, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ServerProcess]:
    """The API and a worker, as processes, on a database in which two agents have lived and dreamed."""
    name = f"studio_{uuid4().hex}"
    url = await databases.copy(TEMPLATE, name)
    url = bouncer.url(url) if bouncer else url
    folder: Path = tmp_path_factory.mktemp("studio")
    environment: dict[str, Any] = {"EMBEDDING_MODEL": "static", "REVERIE_POLL_S": "0.2"}
    server = ServerProcess(url, folder / "server.log", **environment)
    worker = WorkerProcess(url, folder / "worker.log", **environment)
    try:
        worker.start()
        await server.start()
        await tell_story(server)
        yield server
    finally:
        await asyncio.gather(server.close(), worker.kill())
        await databases.drop(name)


@pytest_asyncio.fixture(**package)
async def opened() -> AsyncIterator[Browser]:
    """The browser."""
    async with browser() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="package")
async def visitor(service: ServerProcess, opened: Browser) -> AsyncIterator[Visitor]:
    """Somebody who has signed in with the admin key."""
    async with visiting(opened, f"http://127.0.0.1:{service.port}") as somebody:
        await somebody.sign_in()
        yield somebody
