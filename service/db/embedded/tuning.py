"""Settings of the embedded Postgres that depend on the machine: ``reverie.conf``."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from service.db.embedded.folder import write

_CONFIGURATION = """
# written by Reverie at every start
shared_buffers = '{shared_buffers_mb}MB'
work_mem = '16MB'
maintenance_work_mem = '128MB'
max_connections = 200
max_wal_size = '2GB'
random_page_cost = 1.1
jit = off
"""
_INCLUDE = "include_if_exists = 'reverie.conf'"

SHARE_OF_MEMORY = 16
"""Postgres keeps pages in this part of the machine's memory, within ``SHARED_BUFFERS_MB``: fetching them from the
system's own cache costs a search among 200,000 memories an eighth more (docs/benchmarks.md)."""
SHARED_BUFFERS_MB = (128, 2_048)
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def configure(extra: str) -> None:
    """Write the settings into the data folder, which is the working directory; ``extra`` is added to them."""
    write("reverie.conf", _CONFIGURATION.format(shared_buffers_mb=shared_buffers_mb(memory_mb())) + extra)
    main = Path("postgresql.conf")
    text = main.read_text(encoding="utf-8")
    if _INCLUDE not in text:
        write(main.name, f"{text}\n{_INCLUDE}\n")


def shared_buffers_mb(memory: int) -> int:
    """Return what Postgres may keep in memory of its own where there is so much of it, MiB."""
    least, most = SHARED_BUFFERS_MB
    return max(least, min(most, memory // SHARE_OF_MEMORY))


def memory_mb(cgroup_limit: Path = CGROUP_LIMIT) -> int:
    """Return the memory of this machine, or of the container whose bound that file holds, in MiB; 0 where the system
    does not say."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a bound ("max")
        memory = min(memory, int(cgroup_limit.read_text()))
    return memory // 2**20
