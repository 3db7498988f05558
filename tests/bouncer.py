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

START_S = 20.0
UNPRIVILEGED = "nobody"


def installed() -> bool:
    """Whether there is a pgbouncer here."""
    return shutil.which("pgbouncer") is not None


class Bouncer:
    """One pgbouncer, for every database of one server."""

    def __init__(self, server_url: str, folder: Path, *, server_connections: int = 20) -> None:
        """``server_connections`` per database; so few that clients take turns on them."""
        parts = urlsplit(server_url)
        asked = parse_qs(parts.query)
        host = (asked.get("host") or [parts.hostname or "127.0.0.1"])[0]
        port = (asked.get("port") or [str(parts.port or 5432)])[0]
        user = parts.username or "postgres"
        password = f" password={parts.password}" if parts.password else ""
        self._port = free_port()
        self._user = user
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "users.txt").write_text(f'"{user}" "{parts.password or ""}"\n', encoding="utf-8")
        (folder / "pgbouncer.ini").write_text(
            f"""[databases]
* = host={host} port={port} user={user}{password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self._port}
unix_socket_dir =
auth_type = any
auth_file = {folder / "users.txt"}
pool_mode = transaction
max_client_conn = 1000
default_pool_size = {server_connections}
server_idle_timeout = 5
server_reset_query_always = 0
""",
            encoding="utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it listens."""
        command = ["pgbouncer", "-q", str(self._folder / "pgbouncer.ini")]
        if os.geteuid() == 0:
            owner = pwd.getpwnam(UNPRIVILEGED)
            for path in (self._folder, *self._folder.iterdir()):
                os.chown(path, owner.pw_uid, owner.pw_gid)
            command[1:1] = ["-u", UNPRIVILEGED]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        ends_at = time.monotonic() + START_S
        while time.monotonic() < ends_at:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text(encoding="utf-8"))

    def url(self, database_url: str) -> str:
        """The address of a database through it."""
        name = urlsplit(database_url).path.lstrip("/")
        return f"postgresql://{self._user}@127.0.0.1:{self._port}/{name}"

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(20)
