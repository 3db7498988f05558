"""``python -m service run`` in a folder of its own, whose processes can be found and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

from service.db import embedded
from service.db.embedded import postmaster
from tests.live_api import UNENCRYPTED
from tests.processes import ROOT, free_port, gone, postmaster_pid
from tests.waiting import WAIT_S, wait_until


def _hangs_up() -> None:
    """A hangup ends the process also where the tests run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Supervised:
    """One data folder and port. ``processes`` finds what runs there; ``log`` is what the terminal would show."""

    def __init__(self, folder: Path, *, root: Path = ROOT, **environment: str) -> None:
        self.data_dir = folder / "data"
        self.postgres = self.data_dir / "postgres"
        self.log = folder / "run.log"
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self._root = root
        outside = ("REVERIE_", "DATABASE", "EMBEDDING_", "LLM_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(outside)} | {
            "REVERIE_DATA_DIR": str(self.data_dir),
            "REVERIE_PORT": str(self.port),
            "REVERIE_TUNING": '{"health_probe_interval_s": 0}',
            "EMBEDDING_MODEL": "none",
            **environment,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it says that it is ready."""
        before = self.said().count("Reverie is ready")
        self.spawn()
        wait_until(lambda: self.said().count("Reverie is ready") > before or self.ended(), "it is not ready")
        assert not self.ended(), self.said()

    def spawn(self) -> None:
        """Start it only."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service", "run"], cwd=self._root, env=self.environment, stdout=log, stderr=log,
                preexec_fn=_hangs_up,
            )  # fmt: skip

    def second(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command line beside it, in the same environment but for what is given."""
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=self._root, env=self.environment | environment, capture_output=True,
            text=True, check=False, timeout=WAIT_S,
        )  # fmt: skip

    def said(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def ended(self) -> bool:
        """Whether the supervisor has ended."""
        return self.process is None or self.process.poll() is not None

    def admin_key(self) -> str:
        """Its first admin key."""
        return (self.data_dir / "admin-key").read_text(encoding="utf-8").strip()

    def is_ready(self) -> bool:
        """Whether the API answers that it is."""
        try:
            return httpx.get(f"{self.base_url}/readyz", timeout=600, verify=UNENCRYPTED).is_success
        except httpx.TransportError:
            return False

    def processes(self) -> dict[str, int]:
        """The pids of its living processes: supervisor, API, worker, watchdog, postmaster, one backend of the API."""
        assert self.process is not None
        found = {} if self.ended() else {"supervisor": self.process.pid}
        if not self.ended():
            for child in psutil.Process(self.process.pid).children():
                with suppress(psutil.Error):
                    command = " ".join(child.cmdline())
                    for name, part in (("API", "service serve"), ("worker", "worker run")):
                        if part in command:
                            found[name] = child.pid
        server = postmaster.running(self.postgres)
        if server is not None:
            with suppress(psutil.Error):
                found["postmaster"] = server.pid
                found["watchdog"] = server.ppid()
                backends = [one.pid for one in server.children() if "postgres: postgres" in " ".join(one.cmdline())]
                if backends:
                    found["backend"] = backends[0]
        return found

    def kill(self, *names: str) -> dict[str, int]:
        """SIGKILL these processes, one after the other; all of them when none is named. Their pids."""
        there = self.processes()
        doomed = {name: there[name] for name in (names or tuple(there)) if name in there}
        for pid in doomed.values():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if "supervisor" in doomed and self.process is not None:
            self.process.wait(WAIT_S)
        return doomed

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Signal the supervisor as a terminal does; its exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        """End all of it, whatever state it is in."""
        if not self.ended():
            self.stop(signal.SIGTERM)
        embedded.stop(self.postgres)

    def left(self, former: dict[str, int]) -> set[str]:
        """Which of these processes still run."""
        return {name for name, pid in former.items() if not gone(pid)}

    def postmaster(self) -> int:
        """The pid of its Postgres."""
        return postmaster_pid(self.postgres)
