"""``make run``: database, migrations, API and worker under one parent that starts and stops them together."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from types import FrameType

from rich.console import Console

from service.database import open_database
from service.db.migrate import migrate
from service.first_start import first_start
from service.settings import Settings

STOP_S = 15.0
READY_S = 60.0

out = Console(highlight=False, soft_wrap=True)


def supervise(settings: Settings) -> int:
    """Run until a signal or until a child dies; the exit status: 0 after a signal, else 1."""
    stopping: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        stopping.append(number)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    if settings.database_url is None:
        out.print(f"DATABASE_URL is not set: using the embedded Postgres in {settings.data_dir / 'postgres'}")
    with open_database(settings) as url:
        migrate(url)
        key = asyncio.run(first_start(settings.model_copy(update={"database_url": url})))
        environment = os.environ | {"DATABASE_URL": url}
        children = [_spawn(environment, "service", "serve"), _spawn(environment, "worker", "run")]
        try:
            if not _wait_until_ready(settings, children, stopping):
                return 0 if stopping else 1
            _announce(settings, key)
            while not stopping:
                time.sleep(0.2)
                dead = [child for child in children if child.poll() is not None]
                if dead:
                    out.print(f"[red]{dead[0].args!r} ended with status {dead[0].returncode}; stopping the rest.[/]")
                    return 1
            return 0
        finally:
            out.print("Stopping …")
            _stop(children)


def _spawn(environment: dict[str, str], module: str, command: str) -> subprocess.Popen[bytes]:
    """A child in a process group of its own, so that Ctrl-C reaches this parent alone, which then stops it."""
    return subprocess.Popen([sys.executable, "-m", module, command], env=environment, start_new_session=True)


def _wait_until_ready(settings: Settings, children: Sequence[subprocess.Popen[bytes]], stopping: list[int]) -> bool:
    """Whether the API answers; False when a child died, a signal came, or a minute went by."""
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline and not stopping:
        if any(child.poll() is not None for child in children):
            out.print("[red]A process ended while starting; its message is above.[/]")
            return False
        try:
            with urllib.request.urlopen(f"http://{_host(settings)}:{settings.port}/readyz", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


def _host(settings: Settings) -> str:
    return "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host


def _announce(settings: Settings, key: str | None) -> None:
    base = f"http://{_host(settings)}:{settings.port}"
    out.print(f"\n[bold]Reverie is ready[/] at {base}  (API reference: {base}/docs)")
    if settings.studio:
        out.print(f"The Studio, to look and try: {base}/studio")
    if key:
        out.print(f"First admin key: {key}")
    if settings.admin_key:
        out.print("The admin key is the one in REVERIE_ADMIN_KEY.")
    else:
        out.print(f"The admin key is kept in {settings.data_dir / 'admin-key'}")
    out.print("Ctrl-C stops API, worker and database.\n")


def _stop(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for child in children:
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + STOP_S
    for child in children:
        try:
            child.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            out.print(f"[red]{child.args!r} did not stop in time and is killed.[/]")
            child.kill()
