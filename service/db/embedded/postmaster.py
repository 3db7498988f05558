"""The server's first process: found by its pid file and identity, started without a shell, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from service.subprocesses import set_death_signal

PORT = 5432
"""Names the socket file; nothing listens on TCP."""
NAME = "postgres"
POLL_INTERVAL_S = 0.02
FAST_S, IMMEDIATE_S, KILL_S = 60.0, 10.0, 10.0
"""How long a server may take over a fast and an immediate shutdown before it is made to end."""
_KEPT = ("LANG", "LANGUAGE", "TZ", "PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class PidFile:
    """What ``postmaster.pid`` says. ``ready``: the server accepts connections."""

    pid: int
    socket_dir: str
    ready: bool


def read_pid_file(data_dir: Path) -> PidFile | None:
    """Return the parsed file; None where there is none, or where it is not written whole yet."""
    try:
        lines = (data_dir / "postmaster.pid").read_bytes().split(b"\n")
        pid = abs(int(lines[0]))
    except (OSError, ValueError):
        return None
    state = lines[7].strip() if len(lines) > 7 else b""
    return PidFile(pid, os.fsdecode(lines[4]) if len(lines) > 4 else "", state == b"ready")


def running(data_dir: Path) -> psutil.Process | None:
    """Return the live postmaster of a data folder.

    A pid alone proves nothing: after a power cut it may belong to any process. A postmaster is named ``postgres`` and
    works in its data folder.
    """
    said = read_pid_file(data_dir)
    if said is None:
        return None
    try:
        process = psutil.Process(said.pid)
        return process if _works_in(process, data_dir) else None
    except psutil.Error:
        return None


def _works_in(process: psutil.Process, data_dir: Path) -> bool:
    try:
        return process.name() == NAME and _is_alive(process) and bool(process.cwd() == os.fspath(data_dir))
    except psutil.Error:
        return False


def _is_alive(process: psutil.Process) -> bool:
    """Until the kernel has taken its memory back. One that is ending has no working directory any more, and still holds
    the shared memory for which a new server looks."""
    try:
        return process.is_running() and bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def end_leftovers(data_dir: Path) -> list[int]:
    """End every server process of that folder, left by a watchdog or a version that is gone; their pids.

    Backends may outlive their postmaster for as long as a statement takes, and keep a new one from starting.
    """
    postmaster = running(data_dir)
    if postmaster is not None:
        stop(postmaster.pid, lambda: _is_alive(postmaster))
    orphans = [process for process in psutil.process_iter() if _works_in(process, data_dir)]
    for orphan in orphans:
        with suppress(psutil.Error):
            orphan.kill()
    _until(lambda: not any(map(_is_alive, orphans)), KILL_S)
    return [process.pid for process in (postmaster, *orphans) if process is not None]


def stop(pid: int, is_alive: Callable[[], bool]) -> None:
    """Shut down fast: open transactions are rolled back. One that takes too long becomes immediate, then a kill."""
    for number, wait_s in ((signal.SIGINT, FAST_S), (signal.SIGQUIT, IMMEDIATE_S), (signal.SIGKILL, KILL_S)):
        if not is_alive():
            return
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        _until(lambda: not is_alive(), wait_s)


def _until(is_true: Callable[[], bool], wait_s: float) -> None:
    """Wait, by looking: a zombie that nobody reaps has ended, too."""
    deadline = time.monotonic() + wait_s
    while not is_true() and time.monotonic() < deadline:
        time.sleep(POLL_INTERVAL_S)


def launch(programs: Path, place: str, socket_dir: str) -> subprocess.Popen[bytes]:
    """Start ``postgres`` in the current folder, which is its data folder; ``place`` is how it may call that.

    It ends with this process (fast shutdown). Its environment holds nothing of this one's but locale and time zone.
    A stale pid file does not stop it: Postgres skips the pid it is told here, and still looks for shared memory in use.
    """
    for socket_file in Path(socket_dir).glob(f".s.PGSQL.{PORT}*"):
        socket_file.unlink()
    environment = environment_of_programs()
    stale = read_pid_file(Path())
    if stale is not None:
        environment["PG_GRANDPARENT_PID"] = str(stale.pid)
    settings = {
        "port": PORT,
        "listen_addresses": "",
        "unix_socket_directories": socket_dir,
        "unix_socket_permissions": "0700",
    }
    command = [str(programs / "postgres"), "-D", place]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    parent = os.getpid()
    with open("log", "ab") as log:
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: set_death_signal(signal.SIGINT, parent),
        )


def environment_of_programs() -> dict[str, str]:
    """Return what Postgres' programs get of this environment: no ``PG*`` variables, and no secrets."""
    return {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
