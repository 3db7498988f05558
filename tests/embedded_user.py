"""Processes of other users, and processes that use an embedded Postgres until told to stop, for its tests."""

from __future__ import annotations

import os
import pwd
import select
import shutil
import subprocess
import sys
from pathlib import Path

from tests.processes import ROOT

NOBODY = 65_534
PATIENCE_S = 120.0
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
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert ready, "it neither started nor refused"
        line = self.process.stdout.readline().decode().strip()
        assert line, "it ended without a word"
        self.url = None if line.startswith("refused: ") else line
        self.reason = line.removeprefix("refused: ") if self.url is None else ""

    def end(self) -> None:
        """Let it stop using the server, and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(PATIENCE_S) == 0

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
