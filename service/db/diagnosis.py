"""What a database is, for whoever looks why something does not work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import asyncpg

from service.db.connectivity import CONNECT_S, check_connection, normalize_dsn
from service.db.schema_version import schema_mismatch

FACTS = """
SELECT current_setting('server_version') AS version, pg_encoding_to_char(encoding) AS encoding, datcollate AS collation,
    clock_timestamp() AS clock,
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS pgvector
FROM pg_database WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """``mismatch`` says what is wrong with the schema, None when it is this release's."""

    version: str
    encoding: str
    collation: str
    clock_difference_s: float
    pgvector: str
    mismatch: str | None


async def database_facts(url: str) -> DatabaseFacts:
    """Look. Raises Unavailable for a database that cannot be used."""
    await check_connection(url)
    connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        row = dict(await connection.fetchrow(FACTS))
        difference_s = abs((datetime.now(UTC) - row.pop("clock")).total_seconds())
        return DatabaseFacts(**row, clock_difference_s=difference_s, mismatch=await schema_mismatch(connection))
    finally:
        await connection.close()
