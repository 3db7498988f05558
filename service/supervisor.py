"""``reverie up``: database, migrations, API and worker under one parent, which starts, restarts and stops them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType

import orjson
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from service.database import open_embedded
from service.db import embedded
from service.db.connectivity import wait_for
from service.db.embedded.locks import EXCLUSIVE, acquire, open_lock
from service.db.migrate import migrate
from service.errors import Unavailable
from service.first_start import FirstStart, first_start
from service.listeners import listen
from service.resources import PACKAGE
from service.settings import Settings, url_at
from service.subprocesses import Backoff

STOP_S = 15.0
READY_S = 180.0
LOOK_S = 0.2
TAKE_PORT_S = 2.0
"""What a former API needs to let go of the port, when its supervisor was killed a moment ago."""

out = Console(highlight=False, soft_wrap=True)


@dataclass(slots=True)
class _Voice:
    """How lines are printed."""

    as_json: bool = False


_voice = _Voice()


@dataclass(slots=True)
class Child:
    """The API or the worker, started again whenever it ends."""

    name: str
    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    _backoff: Backoff = field(default_factory=Backoff)
    _start_at: float = 0.0

    def start(self) -> None:
        """Start it in a process group of its own, so that Ctrl-C reaches the parent alone, which then stops it."""
        self._backoff.started()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", *self.command, "--parent", str(os.getpid())],
            env=self.environment,
            pass_fds=self.descriptors,
            start_new_session=True,
        )

    def status(self) -> int | None:
        """Return the exit status, None while it runs."""
        return self.process.poll() if self.process is not None else None

    def keep(self) -> None:
        """Start it again, with backoff, if it has ended."""
        if self.process is not None and (status := self.process.poll()) is not None:
            self.process = None
            wait_s = self._backoff.ended()
            self._start_at = time.monotonic() + wait_s
            _say(f"[yellow]The {self.name} ended ({_reason(status)}); starting it again{_in(wait_s)}.[/]")
        if self.process is None and time.monotonic() >= self._start_at:
            self.start()


def supervise(settings: Settings, as_json: bool | None = None) -> int:
    """Run until a signal comes; the exit status: 0 after a signal, 1 when a process ends while starting.

    ``as_json`` (unset: unless this is a terminal) has every line be a JSON object, as the logs of the children are.
    Raises Unavailable, before anything is started, when the data folder or the port is in use.
    """
    wants_json = settings.log_format == "json" or (settings.log_format == "auto" and not out.is_terminal)
    _voice.as_json = wants_json if as_json is None else as_json
    children: list[Child] = []
    stopping: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        stopping.append(number)
        if not children:  # nothing looks at it yet
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, stop)
    try:
        with ExitStack() as stack:
            return _run(settings, stack, children, stopping)
    except KeyboardInterrupt:
        return 0


def _run(settings: Settings, stack: ExitStack, children: list[Child], stopping: list[int]) -> int:
    lock = stack.enter_context(_alone(settings)) if settings.database_url is None else None
    listeners = [stack.enter_context(one) for one in listen(settings.host, settings.port, TAKE_PORT_S)]
    base = url_at(settings.host, listeners[0].getsockname()[1])
    server: embedded.Use | None = None
    if lock is not None:
        _record(lock, f"process {os.getpid()} at {base}")
        folder = escape(str(settings.data_dir / "postgres"))
        _say(f"DATABASE_URL is not set: using the embedded Postgres in {folder}")
        server = stack.enter_context(open_embedded(settings))
    url = server.url if server is not None else settings.database_url
    assert url is not None
    asyncio.run(wait_for(url, lambda text: _say(escape(text))))
    migrate(url)
    started = asyncio.run(first_start(settings.model_copy(update={"database_url": url})))
    children += _children(_environment(url), listeners)
    stack.callback(_stop, children, listeners)
    for child in children:
        child.start()
    if not _wait_until_ready(base, children, stopping):
        return 0 if stopping else 1
    _announce(settings, base, started)
    while not stopping:
        time.sleep(LOOK_S)
        if server is not None and server.revive():
            _say("[yellow]The embedded Postgres' watchdog ended; starting it again.[/]")
        for child in children:
            child.keep()
    return 0


@contextmanager
def _alone(settings: Settings) -> Iterator[int]:
    """Hold the lock file of the data folder. Raises Unavailable, saying what runs, when another process does."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    path = settings.data_dir / "run.lock"
    lock = open_lock(path)
    try:
        if not acquire(lock, EXCLUSIVE, TAKE_PORT_S):
            running = path.read_text(encoding="utf-8").strip()
            raise Unavailable(f"Reverie already runs on the data folder {settings.data_dir}: {running}.")
        _record(lock, f"process {os.getpid()}")
        yield lock
    finally:
        os.close(lock)


def _record(lock: int, text: str) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{text}\n".encode(), 0)


def _environment(url: str) -> dict[str, str]:
    """Return the environment of child processes: they take the packages of this process, and nothing that lies in the
    working directory.
    """
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    form = {"REVERIE_LOG_FORMAT": "json"} if _voice.as_json else {}
    return os.environ | {"DATABASE_URL": url, "PYTHONPATH": os.pathsep.join(paths)} | form


def _children(environment: dict[str, str], listeners: Sequence[socket.socket]) -> list[Child]:
    """API and worker. The API inherits the listening sockets: clients wait in their queue while it restarts."""
    descriptors = tuple(one.fileno() for one in listeners)
    options = [part for descriptor in descriptors for part in ("--listen-fd", str(descriptor))]
    return [
        Child("API", ["service", "serve", *options], environment, descriptors),
        Child("worker", ["worker", "run"], environment),
    ]


def _wait_until_ready(base: str, children: Sequence[Child], stopping: list[int]) -> bool:
    """Return whether the API answers; False when a child died, a signal came, or ``READY_S`` went by."""
    deadline = time.monotonic() + READY_S
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and not stopping:
        if any(child.status() is not None for child in children):
            _say("[red]A process ended while starting; its message is above.[/]")
            return False
        try:
            with direct.open(f"{base}/readyz", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    if not stopping:
        _say(f"[red]The API was not ready within {READY_S:g} s.[/]")
    return False


def _announce(settings: Settings, base: str, started: FirstStart) -> None:
    _say(f"[bold]Reverie is ready[/] at {base}  (API reference: {base}/docs)", event="ready", url=base)
    if settings.studio:
        _say(f"The Studio, to look and try: {base}/studio", event="studio", url=f"{base}/studio")
    if started.made and not _voice.as_json and out.is_terminal:  # what is piped is kept, where more people read
        _say(f"First admin key: {started.made}")
    _say(escape(started.where))
    _say("Ctrl-C stops API, worker and database.")


def _stop(children: Sequence[Child], listeners: Sequence[socket.socket]) -> None:
    _say("Stopping …")
    for listener in listeners:
        listener.close()
    running = [child.process for child in children if child.process is not None and child.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + STOP_S
    for process in running:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _say(f"[red]{escape(repr(process.args))} did not stop in time and is killed.[/]")
            process.kill()
            process.wait()


def _reason(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


def _in(seconds: float) -> str:
    return f" in {seconds:g} s" if seconds else ""


def _say(text: str, event: str = "supervisor", **values: str) -> None:
    """Print a line; a terminal that is gone keeps nothing from being stopped."""
    with suppress(OSError):
        if _voice.as_json:
            line = {"event": event, "message": Text.from_markup(text).plain, **values}
            print(orjson.dumps(line).decode(), flush=True)
        else:
            out.print(text)
