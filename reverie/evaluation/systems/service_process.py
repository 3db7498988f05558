"""A Reverie of an evaluation's own: its folder's embedded Postgres, and `reverie up` on it, until the block ends."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from reverie.evaluation.systems.base import SystemUnavailable
from service.resources import PACKAGE
from service.subprocesses import set_death_signal

READY_S = 300.0
STOP_S = 30.0
POLL_S = 0.1
BY_REQUEST_ALONE = '{"scheduled_jobs": false}'
"""So that nothing changes memories, or their ranks, at a time that depends on how fast the machine is."""
REMOVED = ("LLM_", "REVERIE_", "DATABASE_", "RERANK_", "EMBEDDING_")


@dataclass(frozen=True, slots=True)
class Running:
    """Where a service answers, and its admin key."""

    url: str
    key: str


@contextmanager
def running(folder: Path, embedding_model: str) -> Iterator[Running]:
    """`reverie up` in that folder, without a language model, with nothing that dreams by itself.

    It ends with this process, however that ends. What it prints is in ``service.log``. Raises SystemUnavailable.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port, key = _free_port(), _key(folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(REMOVED)} | {
        "REVERIE_DATA_DIR": str(folder),
        "REVERIE_HOST": "127.0.0.1",
        "REVERIE_PORT": str(port),
        "REVERIE_ADMIN_KEY": key,
        "REVERIE_LOG_LEVEL": "warning",
        "REVERIE_TUNING": BY_REQUEST_ALONE,
        "EMBEDDING_MODEL": embedding_model,
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    log = folder / "service.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "reverie", "up"],
            cwd=folder, env=environment, stdout=output, stderr=output, preexec_fn=_ends_with(os.getpid()),
        )  # fmt: skip
    try:
        if not _ready(process, f"http://127.0.0.1:{port}/readyz"):
            raise SystemUnavailable(f"Reverie does not start: see {log}")
        yield Running(f"http://127.0.0.1:{port}", key)
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _key(folder: Path) -> str:
    """Return the admin key of the folder: the service keeps what it was first started with."""
    path = folder / "evaluation-key"
    if not path.exists():
        path.touch(0o600)
        path.write_text(secrets.token_urlsafe(32), encoding="utf-8")
    return path.read_text(encoding="utf-8")


def _ends_with(parent: int) -> Callable[[], None]:
    return lambda: set_death_signal(signal.SIGTERM, parent)


def _ready(process: subprocess.Popen[bytes], url: str) -> bool:
    ends_at = time.monotonic() + READY_S
    while time.monotonic() < ends_at and process.poll() is None:
        try:
            if httpx.get(url, timeout=5, trust_env=False).is_success:
                return True
        except httpx.TransportError:
            pass
        time.sleep(POLL_S)
    return False


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
