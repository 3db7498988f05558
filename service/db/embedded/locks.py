"""The two lock files beside a data folder: ``.lock`` of the watchdog that owns it, ``.users`` of whoever uses it.

They lie beside it because initdb wants an empty folder. ``flock`` locks end with the process that holds them.
"""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path

from service.errors import Unavailable

STARTING, READY = "starting", "ready"
STATE_BYTES_MAX = 1024
RETRY_S = 0.05
SHARED, EXCLUSIVE = fcntl.LOCK_SH, fcntl.LOCK_EX


def beside(data_dir: Path, suffix: str) -> Path:
    """Return the path of a file that belongs to the data folder and lies next to it."""
    return data_dir.with_name(data_dir.name + suffix)


def open_lock(path: Path) -> int:
    """Return the descriptor of a lock file, made with mode 0600 when missing. Raises Unavailable for another user's."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unavailable(f"The embedded Postgres: cannot open {path}: {error.strerror}.") from None


def acquire(descriptor: int, kind: int, wait_s: float = 0.0) -> bool:
    """Take or convert a lock, waiting for at most ``wait_s``; whether it was taken. A failed conversion drops it."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(RETRY_S)


def is_held(path: Path) -> bool:
    """Return whether some process holds the exclusive lock of that file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not acquire(descriptor, SHARED)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class State:
    """What the owner of a data folder says in its lock file. ``socket_dir`` is set once it is ``READY``."""

    pid: int
    name: str
    socket_dir: str = ""


def write_state(lock: int, name: str, socket_dir: str = "") -> None:
    """Say in the lock file, which this process holds, how far its server is."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()} {name} {socket_dir}".encode(), 0)
    os.fsync(lock)


def read_state(path: Path) -> State | None:
    """Return the last state written, perhaps by a process that is gone; None where there is none."""
    try:
        pid, name, socket_dir = path.read_text(encoding="utf-8")[:STATE_BYTES_MAX].split(" ", 2)
        return State(int(pid), name, socket_dir)
    except (OSError, ValueError):
        return None
