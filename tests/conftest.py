"""One Postgres for the whole run, one migrated template, one fresh clone of it per test."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

import fasteners
import hypothesis
import pytest
import uvloop

from service.concurrency.garbage_collection import paused_for_imports
from service.db import embedded
from service.runtime import Runtime
from service.settings import Settings
from service.startup import configure_logging, open_runtime
from tests.citus_cluster import Cluster, execute, open_cluster
from tests.databases import TEMPLATE, Databases, migrate_and_seed
from tests.live_api import Api, SharedServer, Tenant, serving, serving_in_a_thread
from tests.pgbouncer import Bouncer
from tests.processes import ServerProcess
from tests.run_folder import run_folder
from tests.tuning import tuning

FIRST_TIER = (
    "promises", "concurrency", "deploy", "docs", "domain", "extraction", "llm", "patterns", "privacy", "provider",
    "supply_chain",
)  # fmt: skip
"""Folders of ``tests/`` whose tests ``--first-tier`` runs, but for those marked ``exhaustive``. Of any other folder it
runs those marked ``first_tier``."""
TESTS = Path(__file__).parent
MEMORY = Path("/dev/shm")
MEMORY_BYTES_MIN = 4 * 1024**3
"""So much must be free for the temporary folders of a run."""
TEST_S = 1800.0
"""For one test with its fixtures, many times what the longest takes; then it hangs."""
UNSAFE = """
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
max_connections = 300
shared_buffers = 128MB
"""
"""Settings of the Postgres that is thrown away after the run. What survives its crash is tested on others. Dropping a
database looks through all shared buffers."""
LONGEST = (
    "tests/studio/",
    "tests/packaging/",
    "tests/acceptance/test_ten_thousand.py",
    "tests/acceptance/lives/",
    "tests/acceptance/test_openapi.py",
    "tests/acceptance/test_kill",
    "tests/acceptance/test_poison.py",
    "tests/worker/test_reindex.py",
    "tests/worker/test_merging_pairs.py",
    "tests/patterns/",
)
"""Tests of more than twenty seconds, and those of the Studio and of the packages, which share a process each; the
longest first."""


def _work_in_memory() -> None:
    """Let every temporary folder of the run, those of Postgres included, lie in memory, where there is enough of it.

    A TMPDIR that is set stays.
    """
    with suppress(OSError):
        there = os.statvfs(MEMORY)
        usable = os.access(MEMORY, os.W_OK) and not there.f_flag & os.ST_NOEXEC
        if usable and there.f_bavail * there.f_frsize >= MEMORY_BYTES_MIN:
            os.environ.setdefault("TMPDIR", str(MEMORY))
            tempfile.tempdir = None  # read TMPDIR again


def pytest_configure(config: pytest.Config) -> None:
    _work_in_memory()
    run_folder()
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")
    configure_logging("error")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--first-tier", action="store_true", help="run FIRST_TIER and tests marked `first_tier`")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of the second tier, which are then not even imported."""
    if not config.getoption("first_tier") or not collection_path.match("test_*.py") or in_first_tier(collection_path):
        return None
    return None if "pytest.mark.first_tier" in collection_path.read_text("utf-8") else True


def in_first_tier(path: Path) -> bool:
    """Whether a file stands in a folder of FIRST_TIER."""
    return path.relative_to(TESTS).parts[0] in FIRST_TIER


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked for the second tier, and start what takes longest first, so that no process is left
    with it when the others have finished."""
    if config.getoption("first_tier"):
        second = {
            item
            for item in items
            if item.get_closest_marker("exhaustive")
            or not (in_first_tier(item.path) or item.get_closest_marker("first_tier"))
        }
        config.hook.pytest_deselected(items=list(second))
        items[:] = [item for item in items if item not in second]
    order = len(LONGEST)
    items.sort(key=lambda item: next((at for at in range(order) if item.nodeid.startswith(LONGEST[at])), order))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Let a test or a fixture that hangs fail, where it hangs, so that the run goes on."""

    def give_up(*_: object) -> None:
        pytest.fail(f"it hangs: {TEST_S:g} s are over")

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, TEST_S, TEST_S)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage among the modules and items of the whole suite, neither as they are made nor later on."""
    with paused_for_imports():
        return (yield)


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Tests run on the event loop that the service runs on."""
    return {"uvloop": uvloop.new_event_loop}


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    root = run_folder()
    if (root / "postgres").exists():
        embedded.stop(root / "postgres")
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def citus() -> Cluster | None:
    """The cluster of CITUS_URL, for tests that need one they can ask; None where there is none."""
    url = os.environ.get("CITUS_URL")
    return asyncio.run(open_cluster(url)) if url else None


@pytest.fixture(scope="session")
def server_url(citus: Cluster | None) -> str:
    """A server with the migrated template: CITUS_URL's, TEST_DATABASE_URL's, or an embedded one of all processes."""
    root = run_folder()
    root.mkdir(parents=True, exist_ok=True)
    with fasteners.InterProcessLock(root / "lock"):
        url = citus.coordinator if citus else os.environ.get("TEST_DATABASE_URL")
        url = url or embedded.start(root / "postgres", configuration=UNSAFE)
        if not (root / "ready").exists():
            if citus:
                asyncio.run(citus.create(TEMPLATE))
            else:
                asyncio.run(execute(url, f"DROP DATABASE IF EXISTS {TEMPLATE}", f"CREATE DATABASE {TEMPLATE}"))
            migrate_and_seed(embedded.database_url(url, TEMPLATE))
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
    return settings_on(service_url, tmp_path)


def settings_on(url: str, folder: Path) -> Settings:
    """As ``settings``, on any database."""
    return _patient_settings().model_copy(update={"database_url": url, "data_dir": folder})


@cache
def _patient_settings() -> Settings:
    """Made once: each of its fields is looked up in the environment."""
    return Settings(
        REVERIE_TUNING=tuning(pool_wait_s=60, statement_timeout_s=120),
        EMBEDDING_MODEL="none",
        _env_file=None,
    )


@pytest.fixture(scope="session")
def shared_server(
    databases: Databases, bouncer: Bouncer | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedServer]:
    """The API for all tests that need no database of their own."""
    yield from _shared("none", databases, bouncer, tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def shared_static_server(
    databases: Databases, bouncer: Bouncer | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedServer]:
    """As ``shared_server``, with the static embedder."""
    yield from _shared("static", databases, bouncer, tmp_path_factory.mktemp("shared"))


def _shared(embedder: str, databases: Databases, bouncer: Bouncer | None, folder: Path) -> Iterator[SharedServer]:
    name = f"shared_{uuid4().hex}"
    url = asyncio.run(databases.copy(TEMPLATE, name))
    through = bouncer.url(url) if bouncer else url
    settings = settings_on(through, folder).model_copy(update={"embedding_model": embedder})
    with serving_in_a_thread(settings, url) as server:
        yield server
    asyncio.run(databases.drop(name))


@pytest.fixture
async def tenant(shared_server: SharedServer) -> AsyncIterator[Tenant]:
    """A fresh workspace of a server that other tests share, spoken to with its admin key; without an embedder."""
    async with shared_server.tenant() as opened:
        yield opened


@pytest.fixture
async def static_tenant(shared_static_server: SharedServer) -> AsyncIterator[Tenant]:
    """As ``tenant``, with the static embedder."""
    async with shared_static_server.tenant() as opened:
        yield opened


@pytest.fixture
async def runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """A runtime on the test's database, without an embedder."""
    async with open_runtime(settings, "test") as opened:
        yield opened


@pytest.fixture
async def own_api(settings: Settings) -> AsyncIterator[Api]:
    """The API over real HTTP on a database of the test's own, spoken to with the admin key."""
    async with serving(settings) as opened:
        yield opened


@pytest.fixture
async def own_static_api(settings: Settings) -> AsyncIterator[Api]:
    """As ``own_api``, with the static embedder."""
    async with serving(settings.model_copy(update={"embedding_model": "static"})) as opened:
        yield opened


@pytest.fixture
def api(own_api: Api) -> Api:
    """``own_api``, unless a module has its tests share a server (``tenant``)."""
    return own_api


@pytest.fixture
def static_api(own_static_api: Api) -> Api:
    """``own_static_api``, unless a module has its tests share a server (``static_tenant``)."""
    return own_static_api


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
