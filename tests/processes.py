"""The API as a process of its own, for tests that kill it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import httpx

from tests.serving import ADMIN_KEY

ROOT = Path(__file__).resolve().parents[1]
READY_S = 60


def free_port() -> int:
    """A port of the loopback that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class _Process:
    """A program that tests start, signal, wait for and kill. Whoever inherits sets ``_process``."""

    _process: subprocess.Popen[bytes] | None = None

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def wait(self) -> int:
        """Wait for its end; its exit status."""
        assert self._process is not None
        return await asyncio.to_thread(self._process.wait, 60)

    async def kill(self) -> None:
        """End it as a power cut would, if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            await self.wait()


class ServerProcess(_Process):
    """``python -m service serve`` on a database. ``log`` is where its standard error goes."""

    def __init__(self, database_url: str, log: Path, **environment: str) -> None:
        self.port = free_port()
        self.log = log
        self.authorization = f"Bearer {ADMIN_KEY}"
        self._environment = os.environ | {
            "DATABASE_URL": database_url,
            "REVERIE_PORT": str(self.port),
            "REVERIE_DATA_DIR": str(log.parent),
            "EMBEDDING_MODEL": "none",
            "REVERIE_PROBE_S": "0",
            **environment,
        }
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=30)

    async def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request with the admin key."""
        headers = {"Authorization": self.authorization} | options.pop("headers", {})
        return await self.http.request(method, path, headers=headers, **options)

    async def start(self) -> None:
        """Start, and wait until it answers."""
        with self.log.open("ab") as log:
            self._process = self._spawn(log)
        for _ in range(READY_S * 20):
            try:
                if (await self.http.get("/readyz")).is_success:
                    return
            except httpx.TransportError:
                pass
            assert self._process.poll() is None, self.log.read_text(encoding="utf-8")
            await asyncio.sleep(0.05)
        raise AssertionError("the server did not become ready")

    def _spawn(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "service", "serve"]
        return subprocess.Popen(command, env=self._environment, cwd=ROOT, stderr=log)

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
        self.log = log
        self._environment = os.environ | {
            "DATABASE_URL": database_url,
            "REVERIE_DATA_DIR": str(log.parent),
            "EMBEDDING_MODEL": "none",
            "REVERIE_PROBE_S": "0",
            **environment,
        }

    def start(self) -> None:
        """Start; it is ready some time later."""
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "worker", "run"]
            self._process = subprocess.Popen(command, env=self._environment, cwd=ROOT, stderr=log)

    async def ready(self) -> None:
        """Wait until it has begun to work."""
        for _ in range(READY_S * 20):
            if "worker_ready" in self.log.read_text(encoding="utf-8"):
                return
            await asyncio.sleep(0.05)
        raise AssertionError("the worker did not become ready")
