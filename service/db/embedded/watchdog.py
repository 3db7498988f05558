"""The process that owns one data folder: ``python -m service.db.embedded.watchdog FOLDER [SETTINGS]``.

It starts Postgres as its child, starts it again with backoff when it ends, and stops it (fast) once no process holds
the folder's users lock, or on SIGTERM. Postgres ends with it, also by SIGKILL (Linux). As root it becomes the folder's
owner before anything runs. On standard output it says one line: ``ready``, ``taken`` (another watchdog owns the
folder), or ``error: …``; afterwards it writes to ``log`` in the data folder alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from service.db.embedded import folder, postmaster, tuning
from service.db.embedded.locks import (
    EXCLUSIVE,
    READY,
    STARTING,
    acquire,
    beside,
    open_lock,
    write_state,
)
from service.errors import Unavailable
from service.subprocesses import Backoff

POLL_INTERVAL_S = 0.1
TAKE_S = 1.0
"""Clients test the lock for an instant; another watchdog holds it for longer."""


class Watchdog:
    """Keeps Postgres running in the working directory, a data folder that this process owns."""

    def __init__(self, programs: Path, place: str, data_dir: Path, lock: int, users: int) -> None:
        self._programs = programs
        self._place = place
        self._data_dir = data_dir
        self._lock = lock
        self._users = users
        self._socket_dir = folder.socket_dir(data_dir, place)
        self._ready = self._was_ready = False
        self._stopping = False
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def keep_running(self) -> None:
        """Run Postgres until nobody uses it. Raises Unavailable when it ends before it was ever ready."""
        backoff = Backoff()
        while not self._unused():
            backoff.started()
            server = self._launch()
            while server.poll() is None and not self._unused():
                self._check(server)
                time.sleep(POLL_INTERVAL_S)
            if server.poll() is None:
                self._end(server)
                break
            if not self._was_ready:
                raise Unavailable(f"The embedded Postgres does not start: {_last_words()}")
            wait_s = backoff.ended()
            note(f"postgres ended with status {server.returncode}; starting it again in {wait_s:g} s")
            self._pause(wait_s)
        folder.drop_socket_dir(self._socket_dir)

    def _launch(self) -> subprocess.Popen[bytes]:
        self._ready = False
        write_state(self._lock, STARTING)
        left = postmaster.end_leftovers(self._data_dir)
        if left:
            note(f"ended leftover processes {left}")
        return postmaster.launch(self._programs, self._place, self._socket_dir)

    @staticmethod
    def _end(server: subprocess.Popen[bytes]) -> None:
        postmaster.stop(server.pid, lambda: server.poll() is None)

    def _check(self, server: subprocess.Popen[bytes]) -> None:
        """Say, once, that the server accepts connections."""
        said = None if self._ready else postmaster.read_pid_file(Path())
        if said is not None and said.ready and said.pid == server.pid:
            write_state(self._lock, READY, self._socket_dir)
            self._ready = True
            if not self._was_ready:
                print_line("ready")
                self._was_ready = True

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._unused():
            time.sleep(POLL_INTERVAL_S)

    def _unused(self) -> bool:
        """Return whether to stop. Once true it stays so: the lock is kept, and new users wait for this process to
        end."""
        self._stopping = self._stopping or acquire(self._users, EXCLUSIVE)
        return self._stopping

    def _stop(self, *_: object) -> None:
        self._stopping = True


def watch(data_dir: Path, settings: str) -> None:
    """Own the folder and run its server until nobody uses it. Raises Unavailable with the reason why it cannot."""
    lock = open_lock(beside(data_dir, ".lock"))
    if not acquire(lock, EXCLUSIVE, TAKE_S):
        print_line("taken")
        return
    write_state(lock, STARTING)
    users = open_lock(beside(data_dir, ".users"))
    owner = folder.owner_of(data_dir)
    programs = folder.programs_for(owner, folder.installed_package())
    place = folder.enter(data_dir, owner)
    if not Path("PG_VERSION").exists():
        folder.initialise(programs, place)
    folder.restrict(owner)
    tuning.configure(settings)
    Watchdog(programs, place, data_dir, lock, users).keep_running()


def print_line(line: str) -> None:
    """Say the one line to whoever started this process, and let go of the terminal."""
    with suppress(OSError):  # whoever started it may be gone
        os.write(1, f"{' '.join(line.split())}\n".encode(errors="replace"))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def note(text: str) -> None:
    """Add a line to the server's log."""
    with open("log", "a", encoding="utf-8") as log:
        log.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC watchdog: {text}\n")


def _last_words() -> str:
    lines = Path("log").read_text(encoding="utf-8", errors="replace").splitlines() or ["it says nothing"]
    return next((line for line in reversed(lines) if "FATAL" in line or "PANIC" in line), lines[-1])


def main() -> None:
    """Run as a process; the exit status is 1 after an error."""
    try:
        watch(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
    except Unavailable as error:
        print_line(f"error: {error.message}")
        sys.exit(1)
    except OSError as error:
        print_line(f"error: The embedded Postgres: {error}")
        sys.exit(1)


if __name__ == "__main__":
    main()
