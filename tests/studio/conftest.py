"""One build, service, worker and browser for all tests of the Studio, with what a real dream has made."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import expect

from service.resources import resource
from tests.databases import TEMPLATE, Databases
from tests.pgbouncer import Bouncer
from tests.processes import ROOT, ServerProcess, WorkerProcess
from tests.studio.app_page import AppPage, at_the_studio
from tests.studio.browser import TIMEOUT_MS, Chromium, browser, chromium
from tests.studio.seed import seed_story
from tests.tuning import tuning

package = {"scope": "package", "loop_scope": "package"}
NO_NODE = 77


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With ``--dist loadgroup``, one process of the run has all that look at the one service, so that there is one."""
    for item in items:
        if isinstance(item, pytest.Function) and {"service", "opened", "start"} & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group("studio"))


@pytest.fixture(scope="package")
def _chromium() -> None:
    """Skip, loudly, where there is no browser to look with."""
    if chromium() is None:
        pytest.skip("THE STUDIO IS NOT TESTED: there is no Chromium here (install it, or set CHROMIUM)")
    expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(scope="package")
def _built() -> None:
    """Skip, loudly, where the pages cannot be built."""
    done = subprocess.run([ROOT / "scripts" / "studio.sh"], capture_output=True, text=True, check=False)
    if done.returncode == NO_NODE:
        pytest.skip(f"THE STUDIO IS NOT TESTED: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert (resource("studio") / "index.html").is_file()


Start = Callable[..., AbstractAsyncContextManager[ServerProcess]]


@pytest.fixture(scope="package")
def start(
    _chromium: None,
    _built: None,
    databases: Databases,
    bouncer: Bouncer | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Start:
    """Starts the API and a worker, as processes, on a fresh database; what is named goes to their environment."""

    @asynccontextmanager
    async def starting(**given: str) -> AsyncIterator[ServerProcess]:
        name = f"studio_{uuid4().hex}"
        url = await databases.copy(TEMPLATE, name)
        url = bouncer.url(url) if bouncer else url
        folder: Path = tmp_path_factory.mktemp("studio")
        environment: dict[str, Any] = {"EMBEDDING_MODEL": "static", "REVERIE_TUNING": tuning(poll_s=0.2), **given}
        server = ServerProcess(url, folder / "server.log", **environment)
        worker = WorkerProcess(url, folder / "worker.log", **environment)
        try:
            worker.start()
            await server.start()
            yield server
        finally:
            await asyncio.gather(server.close(), worker.kill())
            await databases.drop(name)

    return starting


@pytest_asyncio.fixture(**package)
async def service(start: Start) -> AsyncIterator[ServerProcess]:
    """A service in whose database two agents have lived and dreamed."""
    async with start() as server:
        await seed_story(server)
        yield server


@pytest_asyncio.fixture(**package)
async def opened() -> AsyncIterator[Chromium]:
    """The browser."""
    async with browser() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="package")
async def visitor(service: ServerProcess, opened: Chromium) -> AsyncIterator[AppPage]:
    """Somebody who has signed in with the admin key, at the Overview."""
    async with at_the_studio(opened, f"http://127.0.0.1:{service.port}") as somebody:
        await somebody.open()
        await somebody.sign_in()
        yield somebody
