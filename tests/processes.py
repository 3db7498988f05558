"""API and worker as processes of their own, for tests that signal and kill them.

They are forked from one process that has imported everything, so that dozens of them are cheap; from there on they run
as ``python -m`` starts them. Their starts by that command are tested by ``tests/supervised_process.py``.
"""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import resource
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from service.db.embedded import postmaster
from tests.live_api import ADMIN_KEY, ANSWER_S, UNENCRYPTED, HttpClient
from tests.tuning import tuning
from tests.waiting import until, wait_until

ROOT = Path(__file__).resolve().parents[1]
READY_S = 600
END_S = 600

forked = multiprocessing.get_context("forkserver")
"""Makes processes by forking the one that has imported ``tests.preloaded``."""
forked.set_forkserver_preload(["tests.preloaded"])


_reserved: list[socket.socket] = []


def free_port() -> int:
    """A port of the loopback that nothing listens on, reserved for programs of this process's tests.

    A bound socket keeps it from being given to anybody else who asks for any port, or as the source of a connection,
    also between two starts of a server. A server that sets SO_REUSEADDR, as ours do, may listen on it.
    """
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _reserved.append(holder)
    port: int = holder.getsockname()[1]
    return port


def kill_postgres(data_dir: Path) -> None:
    """``kill -9`` of an embedded Postgres, every process of it, and of its watchdog, as by a power cut."""
    server = postmaster.running(data_dir)
    assert server is not None, "no server runs there"
    watchdog = server.parent()
    assert watchdog is not None
    assert "service.db.embedded.watchdog" in watchdog.cmdline()
    watchdog.suspend()
    doomed = [server, *server.children(recursive=True), watchdog]
    for process in doomed:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    wait_until(lambda: all(gone(process.pid) for process in doomed), "it does not end")


def gone(pid: int) -> bool:
    """Whether that process has ended, be it that nobody has asked for its exit status yet."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def postmaster_pid(data_dir: Path) -> int:
    """The process id of the first process of an embedded Postgres."""
    return int((data_dir / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])


class _Process:
    """A program that tests start, signal, wait for and kill: ``python -m PACKAGE COMMAND``.

    ``log`` is where its standard error goes.
    """

    def __init__(self, package: str, command: str, environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        self._program = (package, command, dict(environment), log)
        self._process: Any = None

    def _start(self) -> None:
        self._process = forked.Process(target=_run, args=self._program)
        self._process.start()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self._process.pid, number)

    def limit(self, of: int, most: int) -> None:
        """Let it use no more of a resource from now on (``resource.RLIMIT_…``)."""
        resource.prlimit(self._process.pid, of, (most, most))

    async def wait(self) -> int:
        """Wait for its end; its exit status."""
        await asyncio.to_thread(self._process.join, END_S)
        assert self._process.exitcode is not None, "it does not end"
        status: int = self._process.exitcode
        return status

    async def stop(self) -> None:
        """Let it end in order, if it still runs."""
        if self._process is not None and self._process.is_alive():
            self.signal(signal.SIGTERM)
            await self.wait()

    async def kill(self) -> None:
        """End it as a power cut would, if it still runs."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            await self.wait()


def _run(package: str, command: str, environment: dict[str, str], log: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 2)
    os.close(file)
    sys.argv = [package, command]
    importlib.import_module(f"{package}.__main__").main()


class ServerProcess(_Process):
    """``python -m service serve`` on a database. ``log`` is where its standard error goes."""

    def __init__(self, database_url: str, log: Path, **environment: str) -> None:
        self.port = free_port()
        self.database_url = database_url
        self.authorization = f"Bearer {ADMIN_KEY}"
        given = _environment(database_url, log) | {"REVERIE_PORT": str(self.port)} | environment
        super().__init__("service", "serve", given, log)
        self.http = HttpClient(base_url=f"http://127.0.0.1:{self.port}", timeout=ANSWER_S, verify=UNENCRYPTED)

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request with the admin key."""
        headers = {"Authorization": self.authorization} | options.pop("headers", {})
        return await self.http.request(method, path, headers=headers, **options)

    async def start(self) -> None:
        """Start, and wait until it answers."""
        self._start()
        for _ in range(READY_S * 50):
            try:
                if (await self.http.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass
            assert self._process.is_alive(), self.log.read_text(encoding="utf-8")
            await asyncio.sleep(0.02)
        raise AssertionError("the server did not become ready")

    async def restart(self) -> None:
        """Start again after it ended."""
        await self.wait()
        await self.start()

    async def close(self) -> None:
        """Stop it, if it still runs."""
        await self.http.aclose()
        await self.kill()


class WorkerProcess(_Process):
    """``python -m worker run`` on a database. ``log`` is where its standard error goes."""

    def __init__(self, database_url: str, log: Path, **environment: str) -> None:
        super().__init__("worker", "run", _environment(database_url, log) | environment, log)

    def start(self) -> None:
        """Start; it is ready some time later."""
        self._start()

    async def ready(self) -> None:
        """Wait until it has begun to work."""
        await until(
            lambda: self.log.exists() and "worker_ready" in self.log.read_text(encoding="utf-8"),
            "the worker did not become ready",
        )


def _environment(database_url: str, log: Path) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": database_url,
        "REVERIE_DATA_DIR": str(log.parent),
        "EMBEDDING_MODEL": "none",
        "REVERIE_TUNING": tuning(),
    }
