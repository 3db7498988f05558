"""Where a benchmark runs: one embedded Postgres as shipped, fresh migrated databases, real server processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from service.db import embedded
from service.db.migrate import migrate
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import Principal
from service.domain.workspace import WorkspaceSettings
from service.first_start import first_start
from service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
ADMIN_KEY = "the-admin-key-of-the-benchmarks"
ADMIN = Principal(DEFAULT_WORKSPACE, new_id(), "admin", None, settings=WorkspaceSettings())


class Skipped(Exception):
    """A part cannot run here; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for what is kept between runs, and the server under it."""

    folder: Path
    server_url: str

    def url(self, database: str) -> str:
        """The URL of a database of this server."""
        return embedded.database_url(self.server_url, database)

    def fresh(self, database: str) -> str:
        """A new, migrated database of that name with the default workspace and its admin key; an old one goes."""
        url = self.empty(database)
        migrate(url)
        asyncio.run(first_start(self.settings(url, "none")))
        return url

    def empty(self, database: str) -> str:
        """A new database of that name with nothing in it; an old one goes."""
        asyncio.run(self._execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)", f"CREATE DATABASE {database}"))
        return self.url(database)

    def copy(self, database: str, name: str) -> None:
        """A new database of that name that holds what another does; an old one goes."""
        asyncio.run(
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name} TEMPLATE {database}")
        )

    def exists(self, database: str) -> bool:
        """Whether the server has that database."""
        return bool(asyncio.run(self._value("SELECT 1 FROM pg_database WHERE datname = $1", database)))

    def kept(self, database: str, fill: Callable[[str], None]) -> str:
        """The URL of a database made by ``fill`` at the first run and only migrated afterwards.

        Delete the folder to start over, as after a change of what a save writes.
        """
        if self.exists(database):
            migrate(self.url(database))
        else:
            making = f"{database}_making"
            fill(self.fresh(making))
            self.rename(making, database)
        return self.url(database)

    def drop(self, database: str) -> None:
        """Remove a database."""
        asyncio.run(self._execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)"))

    def rename(self, database: str, name: str) -> None:
        """Give a database its final name."""
        asyncio.run(self._execute(f"ALTER DATABASE {database} RENAME TO {name}"))

    def settings(self, url: str, embedding_model: str) -> Settings:
        """Settings of a process on that database."""
        return Settings(
            DATABASE_URL=url,
            REVERIE_ADMIN_KEY=ADMIN_KEY,
            EMBEDDING_MODEL=embedding_model,
            REVERIE_DATA_DIR=self.folder,
            REVERIE_LOG_LEVEL="error",
            _env_file=None,
        )

    @contextmanager
    def serving(self, url: str, embedding_model: str = "static", **environment: str) -> Iterator[int]:
        """``python -m service serve`` in a process of its own, as shipped; the port it answers on."""
        port = free_port()
        environment |= {
            "DATABASE_URL": url,
            "REVERIE_ADMIN_KEY": ADMIN_KEY,
            "REVERIE_PORT": str(port),
            "EMBEDDING_MODEL": embedding_model,
        }
        with self.process(port, "-m", "service", "serve", **environment):
            yield port

    @contextmanager
    def process(self, port: int, *arguments: str, **environment: str) -> Iterator[int]:
        """A Python program in a process of its own, once it answers on ``port``; its process id."""
        log = self.folder / f"port-{port}.log"
        with log.open("wb") as errors:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=os.environ | {"REVERIE_DATA_DIR": str(self.folder)} | environment,
                stdout=errors,
                stderr=errors,
            )
        try:
            wait_for(port, process, log)
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)

    async def _execute(self, *statements: str) -> None:
        connection = await asyncpg.connect(self.server_url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def _value(self, sql: str, *arguments: object) -> object:
        connection = await asyncpg.connect(self.server_url)
        try:
            return await connection.fetchval(sql, *arguments)
        finally:
            await connection.close()


@contextmanager
def open_place() -> Iterator[Place]:
    """The benchmark's own Postgres, under REVERIE_BENCH_DIR (default ``.bench``)."""
    folder = Path(os.environ.get("REVERIE_BENCH_DIR", ROOT / ".bench")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "postgres"
    with embedded.use(data) as server:
        yield Place(folder, server.url)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended while starting: {log.read_text(errors='replace')[-2000:]}")
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server did not answer within a minute")
