"""What a benchmark ran on: printed above every table, for a number without its machine says nothing."""

from __future__ import annotations

import asyncio
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import asyncpg

from tests.bench.environment import ROOT, Place


def describe(place: Place) -> str:
    """Processor, memory, versions, commit and date, in three lines."""
    postgres, vector, settings = asyncio.run(_postgres(place.server_url))
    load = os.getloadavg()[0]
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory_gib():.0f} GiB, {platform.system()} {platform.release()}, "
        f"load before the run {load:.1f}\n"
        f"Postgres {postgres}, pgvector {vector} ({settings}); Python {platform.python_version()}, "
        f"asyncpg {version('asyncpg')}, uvicorn {version('uvicorn')}\n"
        f"commit {_commit()}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    )


async def _postgres(url: str) -> tuple[str, str, str]:
    connection = await asyncpg.connect(url)
    try:
        vector = await connection.fetchval("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
        names = ("shared_buffers", "synchronous_commit", "fsync")
        shown = [f"{name} {await connection.fetchval('SELECT current_setting($1)', name)}" for name in names]
        return await connection.fetchval("SHOW server_version"), vector, ", ".join(shown)
    finally:
        await connection.close()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    changed = " with uncommitted changes" if git("status", "--porcelain") else ""
    return (git("rev-parse", "--short", "HEAD") or "unknown") + changed
