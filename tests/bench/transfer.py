"""Export and import of 100,000 memories: how long they take, and the most memory their processes hold."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.bench import corpus
from tests.bench.environment import ADMIN_KEY, ROOT, Place, free_port
from tests.bench.report import Cell, show

MEMORIES = 100_000
KEPT = f"bench_transfer_{MEMORIES}"
TIMEOUT_S = 1_800.0


def run(place: Place) -> None:
    """Print one row for each way out and in."""
    source = _source(place)
    file = place.folder / "transfer.ndjson"
    try:
        rows = [
            _row("python -m service export", _command(place, source, "export", file), file),
            _row("GET /v1/export", _over_http(place, source, lambda client: _download(client, file)), file),
            _row("python -m service import", _command(place, place.fresh("bench_import"), "import", file), file),
        ]
        target = place.fresh("bench_import")
        rows.append(_row("POST /v1/import", _over_http(place, target, lambda client: _upload(client, file)), file))
    finally:
        file.unlink(missing_ok=True)
        place.drop("bench_import")
    show(
        f"{MEMORIES:,} memories out and in",
        ["way", "lines", "MB", "seconds", "lines per second", "peak memory, MB"],
        rows,
        note="peak memory: VmHWM of the process that exports or imports, the API's process for the ways over HTTP",
    )


@dataclass(slots=True)
class Taken:
    """What one way took."""

    seconds: float
    peak_mb: float


def _row(way: str, taken: Taken, file: Path) -> list[Cell]:
    with file.open("rb") as lines:
        count = sum(1 for _ in lines)
    return [way, count, file.stat().st_size // 2**20, taken.seconds, int(count / taken.seconds), int(taken.peak_mb)]


def _source(place: Place) -> str:
    """The database with the memories; it is kept for the next runs."""

    def fill(url: str) -> None:
        shares = (corpus.Share("a", MEMORIES // 2), corpus.Share("b", MEMORIES // 2))
        corpus.fill(place.settings(url, "static"), shares)

    return place.kept(KEPT, fill)


def _command(place: Place, url: str, verb: str, file: Path) -> Taken:
    """``python -m service export`` or ``import``, with its progress bar on this terminal."""
    environment = os.environ | {"DATABASE_URL": url, "REVERIE_DATA_DIR": str(place.folder), "EMBEDDING_MODEL": "static"}
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "service", verb, str(file)], cwd=ROOT, env=environment)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _peak_mb(process.pid))
        time.sleep(0.02)
    if process.returncode:
        raise RuntimeError(f"{verb} ended with {process.returncode}")
    return Taken(time.monotonic() - started, peak)


def _over_http(place: Place, url: str, work: Callable[[httpx.Client], None]) -> Taken:
    port = free_port()
    environment = {"DATABASE_URL": url, "REVERIE_PORT": str(port), "EMBEDDING_MODEL": "static"}
    with place.process(port, "-m", "service", "serve", **environment) as pid:
        address = f"http://127.0.0.1:{port}"
        with httpx.Client(
            base_url=address, headers={"Authorization": f"Bearer {ADMIN_KEY}"}, timeout=TIMEOUT_S
        ) as http:
            started = time.monotonic()
            work(http)
            return Taken(time.monotonic() - started, _peak_mb(pid))


def _download(client: httpx.Client, file: Path) -> None:
    with client.stream("GET", "/v1/export") as response, file.open("wb") as out:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            out.write(chunk)


def _upload(client: httpx.Client, file: Path) -> None:
    with file.open("rb") as lines:
        done = client.post("/v1/import", content=iter(lambda: lines.read(2**18), b"")).raise_for_status().json()
    if done["records"]["memory"]["created"] != MEMORIES:
        raise RuntimeError(f"not all memories were imported: {done}")


def _peak_mb(pid: int) -> float:
    """The most memory a process has held so far; 0 once it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return max((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), default=0.0)
