"""One Postgres for the whole run, one migrated template, one fresh clone of it per test."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import fasteners
import hypothesis
import pytest

from service.db import embedded
from service.memory.engine import Engine
from service.runtime import configure_logging, open_runtime
from service.settings import Settings
from tests.bouncer import Bouncer
from tests.cluster import Cluster, execute, open_cluster
from tests.databases import TEMPLATE, Databases, make_ready
from tests.processes import ServerProcess
from tests.searched import Searched, noted
from tests.serving import Api, serving


def _root(config: pytest.Config) -> Path:
    """The folder all processes of this run share; made by the first, removed by the controller."""
    run = os.environ.setdefault("REVERIE_TEST_RUN", uuid4().hex[:12])
    return Path(tempfile.gettempdir()) / f"reverie-test-{run}"


def pytest_configure(config: pytest.Config) -> None:
    _root(config)
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")
    configure_logging("error")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    root = _root(session.config)
    if (root / "postgres").exists():
        embedded.stop(root / "postgres")
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def citus() -> Cluster | None:
    """The cluster of CITUS_URL, for tests that need one they can ask; None where there is none."""
    url = os.environ.get("CITUS_URL")
    return asyncio.run(open_cluster(url)) if url else None


@pytest.fixture(scope="session")
def server_url(request: pytest.FixtureRequest, citus: Cluster | None) -> str:
    """A server with the migrated template: CITUS_URL's, TEST_DATABASE_URL's, or an embedded one of all processes."""
    root = _root(request.config)
    root.mkdir(parents=True, exist_ok=True)
    with fasteners.InterProcessLock(root / "lock"):
        url = citus.coordinator if citus else os.environ.get("TEST_DATABASE_URL")
        url = url or embedded.start(root / "postgres", configuration="fsync = off\nmax_connections = 300\n")
        if not (root / "ready").exists():
            if citus:
                asyncio.run(citus.create(TEMPLATE))
            else:
                asyncio.run(execute(url, f"DROP DATABASE IF EXISTS {TEMPLATE}", f"CREATE DATABASE {TEMPLATE}"))
            make_ready(embedded.database_url(url, TEMPLATE))
            if citus:
                asyncio.run(citus.close_template(TEMPLATE))
            (root / "ready").touch()
    return url


@pytest.fixture(scope="session")
def databases(server_url: str, citus: Cluster | None) -> Databases:
    """Makes databases for tests."""
    return Databases(server_url, citus)


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """A fresh database, migrated, with the default workspace and one admin key."""
    name = f"test_{uuid4().hex}"
    yield asyncio.run(databases.copy(TEMPLATE, name))
    asyncio.run(databases.drop(name))


@pytest.fixture(scope="session")
def bouncer(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bouncer | None]:
    """With THROUGH_PGBOUNCER=1 a pgbouncer in transaction mode, which the service goes through, and the tests past."""
    if os.environ.get("THROUGH_PGBOUNCER") != "1":
        yield None
        return
    running = Bouncer(server_url, tmp_path_factory.mktemp("bouncer"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def service_url(database_url: str, bouncer: Bouncer | None) -> str:
    """The test's database, as the service reaches it."""
    return bouncer.url(database_url) if bouncer else database_url


@pytest.fixture
def settings(service_url: str, tmp_path: Path) -> Settings:
    """Settings of a process on the test's database, without an embedder, patient on a busy machine."""
    return Settings(
        DATABASE_URL=service_url,
        REVERIE_DATA_DIR=tmp_path,
        REVERIE_POOL_WAIT_S=60,
        REVERIE_STATEMENT_TIMEOUT_S=120,
        REVERIE_PROBE_S=0,
        EMBEDDING_MODEL="none",
        _env_file=None,
    )


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the test's database, without an embedder."""
    async with open_runtime(settings, "test") as opened:
        yield opened


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    """The API over real HTTP, spoken to with the admin key."""
    async with serving(settings) as opened:
        yield opened


@pytest.fixture
async def static_api(settings: Settings) -> AsyncIterator[Api]:
    """As ``api``, with the static embedder."""
    async with serving(settings.model_copy(update={"embedding_model": "static"})) as opened:
        yield opened


@pytest.fixture
async def server(service_url: str, tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """The API in a process of its own."""
    process = ServerProcess(service_url, tmp_path / "server.log")
    try:
        await process.start()
        yield process
    finally:
        await process.close()


@pytest.fixture
def shared() -> Path:
    """The folder with evaluation data and models; the test is skipped, saying so, where there is none."""
    folder = Path(os.environ.get("REVERIE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder} (set REVERIE_SHARED)")
    return folder


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Searched]:
    """What the test's searches send, from now on."""
    return noted(monkeypatch)
