"""What processes do with the embedded Postgres: use it for a while, or ask whether it runs."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from service.db.embedded import postmaster
from service.db.embedded.folder import SUPERUSER
from service.db.embedded.locks import EXCLUSIVE, READY, SHARED, acquire, beside, is_held, open_lock, read_state
from service.errors import Unavailable
from service.resources import PACKAGE
from service.subprocesses import Backoff

START_S = 180.0
"""Recovery after a crash replays up to ``max_wal_size`` before the server is ready."""
STOP_S = postmaster.FAST_S + postmaster.IMMEDIATE_S + postmaster.KILL_S
POLL_INTERVAL_S = 0.05

_held: dict[Path, Use] = {}


class Use:
    """One process' use of the server of a folder, which is started if need be and runs while anyone uses it.

    ``url`` is of its database ``postgres``, and stays true over restarts. Raises Unavailable with the reason.
    """

    def __init__(self, data_dir: Path, configuration: str = "") -> None:
        self._data_dir = _resolved(data_dir)
        self._lock = beside(self._data_dir, ".lock")
        self._configuration = configuration
        self._backoff = Backoff()
        self._retry_at = 0.0
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._data_dir.parent.mkdir(parents=True, exist_ok=True)
        self._users = open_lock(beside(self._data_dir, ".users"))
        try:
            deadline = time.monotonic() + START_S
            if not acquire(self._users, SHARED, START_S):
                raise self._late()
            self.url = self._url(deadline)
        except BaseException:
            os.close(self._users)
            raise

    def _url(self, deadline: float) -> str:
        """Start a watchdog unless there is one, and wait until its server accepts connections."""
        while time.monotonic() < deadline:
            if is_held(self._lock):
                state = read_state(self._lock)
                if state is not None and state.name == READY and _is_alive(state.pid):
                    return f"postgresql://{SUPERUSER}@/postgres?host={quote(state.socket_dir)}&port={postmaster.PORT}"
                time.sleep(POLL_INTERVAL_S)
                continue
            self._spawn()
            answer = self._answer(deadline)
            if answer.startswith("error: "):
                raise Unavailable(answer.removeprefix("error: "))
        raise self._late()

    def _spawn(self) -> None:
        self._watchdog = subprocess.Popen(
            [sys.executable, "-m", "service.db.embedded.watchdog", os.fspath(self._data_dir), self._configuration],
            cwd=PACKAGE.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _answer(self, deadline: float) -> str:
        """Return the line that the watchdog says."""
        assert self._watchdog is not None
        assert self._watchdog.stdout is not None
        with self._watchdog.stdout as out:
            ready, _, _ = select.select([out], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise self._late()
            line = out.readline().decode(errors="replace").strip()
        if not line:
            raise Unavailable(f"The embedded Postgres' watchdog ended with status {self._watchdog.wait()}.")
        return line

    def _late(self) -> Unavailable:
        return Unavailable(
            f"The embedded Postgres was not ready within {START_S:g} s; its log is {self._data_dir / 'log'}."
        )

    def revive(self) -> bool:
        """Start a watchdog where there is none any more, with backoff and without waiting; whether one was started.

        A living watchdog itself restarts its server.
        """
        if self._watchdog is not None and self._watchdog.poll() is not None:
            self._watchdog = None
            self._retry_at = time.monotonic() + self._backoff.ended()
        if time.monotonic() < self._retry_at or self._watchdog is not None:
            return False
        if is_held(self._lock):
            return False
        self._backoff.started()
        self._spawn()
        assert self._watchdog is not None
        assert self._watchdog.stdout is not None
        self._watchdog.stdout.close()
        return True

    def forget(self) -> None:
        """In a forked child: use it no more, and leave the lock to the parent, whose descriptor is open on."""
        os.close(self._users)

    def close(self) -> None:
        """Use it no more; if nobody else does, return when the server has stopped."""
        alone = acquire(self._users, EXCLUSIVE)
        os.close(self._users)
        deadline = time.monotonic() + STOP_S
        while alone and is_held(self._lock) and time.monotonic() < deadline:
            time.sleep(POLL_INTERVAL_S)
            alone = not _is_used(self._data_dir)
        if self._watchdog is not None:
            self._watchdog.poll()


@contextmanager
def use(data_dir: Path, configuration: str = "") -> Iterator[Use]:
    """Use the server of that folder for the length of the block. ``configuration`` is added to postgresql.conf if this
    starts it."""
    one = Use(data_dir, configuration)
    try:
        yield one
    finally:
        one.close()


def start(data_dir: Path, *, configuration: str = "") -> str:
    """Use the server of that folder until this process ends or calls ``stop``; the URL of its database ``postgres``."""
    data_dir = _resolved(data_dir)
    former = _held.pop(data_dir, None)
    _held[data_dir] = Use(data_dir, configuration)
    if former is not None:
        former.close()
    return _held[data_dir].url


def stop(data_dir: Path) -> None:
    """Stop the server of that folder (fast), whoever uses it; nothing happens if none runs. Raises RuntimeError."""
    data_dir = _resolved(data_dir)
    lock = beside(data_dir, ".lock")
    state = read_state(lock)
    if state is not None and is_held(lock):
        with suppress(ProcessLookupError):
            os.kill(state.pid, signal.SIGTERM)
    held = _held.pop(data_dir, None)
    if held is not None:
        held.close()
    deadline = time.monotonic() + STOP_S
    while is_held(lock):
        if time.monotonic() > deadline:
            raise RuntimeError(f"the embedded Postgres in {data_dir} does not stop")
        time.sleep(POLL_INTERVAL_S)


def is_running(data_dir: Path) -> bool:
    """Return whether a server runs on that folder, or starts or stops."""
    return is_held(beside(_resolved(data_dir), ".lock"))


def database_url(server_url: str, name: str) -> str:
    """Return the server's URL with another database name."""
    base, _, parameters = server_url.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{quote(name)}" + (f"?{parameters}" if parameters else "")


def _resolved(data_dir: Path) -> Path:
    return data_dir.expanduser().resolve()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _is_used(data_dir: Path) -> bool:
    """Return whether some process holds the users lock; not the watchdog, which takes it exclusively to stop."""
    descriptor = open_lock(beside(data_dir, ".users"))
    try:
        return acquire(descriptor, SHARED) and not acquire(descriptor, EXCLUSIVE)
    finally:
        os.close(descriptor)
