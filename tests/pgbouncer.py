"""pgbouncer in transaction mode in front of the tests' Postgres, where it is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.processes import free_port

START_S = 600.0
UNPRIVILEGED = "nobody"


def program() -> str | None:
    """The pgbouncer to test with: the one that PGBOUNCER names, or the installed one."""
    return os.environ.get("PGBOUNCER") or shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


def version() -> tuple[int, ...]:
    """Of that pgbouncer."""
    said = subprocess.run([program() or "pgbouncer", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(number) for number in said.split()[1].split("."))


class Bouncer:
    """One pgbouncer, for every database of one server; everybody is the server's login there."""

    def __init__(self, server_url: str, folder: Path, *, server_connections: int = 20, statements: int | None = None):
        """``server_connections`` per database; so few that clients take turns on them.

        ``statements``: how many prepared ones it keeps for each (from 1.21 on; None: as it does by itself).
        """
        parts = urlsplit(server_url)
        asked = parse_qs(parts.query)
        self._host = (asked.get("host") or [parts.hostname or "127.0.0.1"])[0]
        port = (asked.get("port") or [str(parts.port or 5432)])[0]
        self._user = parts.username or "postgres"
        password = f" password={parts.password}" if parts.password else ""
        self._port = free_port()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        kept = "" if statements is None else f"max_prepared_statements = {statements}"
        (folder / "pgbouncer.ini").write_text(
            f"""[databases]
* = host={self._host} port={port} user={self._user}{password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self._port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = {server_connections}
server_idle_timeout = 5
{kept}
""",
            encoding="utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it listens."""
        command = [program() or "pgbouncer", str(self._folder / "pgbouncer.ini")]
        if os.geteuid() == 0:
            command[1:1] = ["-u", self._owner()]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        ends_at = time.monotonic() + START_S
        while time.monotonic() < ends_at and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text(encoding="utf-8"))

    def _owner(self) -> str:
        """Whom it runs as instead of root: the owner of the server's socket, whose folder may be closed to others."""
        if self._host.startswith("/"):
            return pwd.getpwuid(Path(self._host).stat().st_uid).pw_name
        return UNPRIVILEGED

    def url(self, database_url: str) -> str:
        """The address of a database through it."""
        name = urlsplit(database_url).path.lstrip("/")
        return f"postgresql://{self._user}@127.0.0.1:{self._port}/{name}"

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(120)
