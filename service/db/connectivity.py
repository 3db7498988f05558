"""Whether a database URL can be used, said clearly and without its password; and what the database behind it is."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import asyncpg

from service.db.schema_version import schema_mismatch
from service.errors import Unavailable

POSTGRES_MIN = 160_000
PGVECTOR_MIN = (0, 8)
CONNECT_S = 10.0
STARTING_S, ABSENT_S, RETRY_S = 60.0, 10.0, 0.2
SCHEMES = ("postgres", "postgresql")


def redacted_dsn(url: str) -> str:
    """Host, port and database of a URL, never user or password."""
    try:
        parts = urlsplit(url)
        asked = parse_qs(parts.query)
        host = (asked.get("host") or [parts.hostname or "the local socket"])[0]
        port = (asked.get("port") or [str(parts.port or 5432)])[0]
        return f"{host}:{port}{parts.path or ''}"
    except ValueError:
        return "a URL that cannot be read"


def normalize_dsn(url: str) -> str:
    """Return the URL with a plain scheme. Raises Unavailable for what is no Postgres URL."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.split("+")[0] not in SCHEMES:
        raise Unavailable("DATABASE_URL must begin with postgresql://")
    return f"postgresql://{rest}"


def unreachable(url: str, error: BaseException) -> Unavailable:
    """Return why the database cannot be used, in one line that holds nothing of the URL but host, port and database."""
    said = _reason(error)
    return Unavailable(f"DATABASE_URL: cannot use {redacted_dsn(url)}: {said}")


def _reason(error: BaseException) -> str:
    if isinstance(error, asyncpg.PostgresError):
        return re.sub(r"\s+", " ", str(error.args[0] if error.args else type(error).__name__))
    if isinstance(error, TimeoutError):
        return f"no answer within {CONNECT_S:g} s"
    if isinstance(error, OSError):
        return error.strerror or "connection refused"
    return f"the URL cannot be read ({type(error).__name__})"


CONNECTION_ERRORS = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError, TimeoutError)
"""What connecting to a wrong, unreachable or unwilling database raises."""


async def wait_for(url: str, say: Callable[[str], object]) -> None:
    """Return once Postgres accepts connections; ``say`` gets one line if that takes a wait.

    A server that is starting up or recovering has ``STARTING_S``, one that cannot be reached ``ABSENT_S``: it may be
    about to. Raises Unavailable when that is over, and at once for whatever time does not cure.
    """
    started_at, reported = time.monotonic(), False
    while True:
        try:
            await (await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)).close()
            return
        except CONNECTION_ERRORS as error:
            patience_s = _timeout_s(error)
            if time.monotonic() - started_at >= patience_s:
                raise unreachable(url, error) from None
            reason = _reason(error)
        if not reported:
            say(f"Waiting up to {patience_s:g} s for the database at {redacted_dsn(url)}: {reason}")
            reported = True
        await asyncio.sleep(RETRY_S)


def _timeout_s(error: BaseException) -> float:
    """Return how long a failure to connect may still pass by itself."""
    if isinstance(error, asyncpg.CannotConnectNowError):
        return STARTING_S
    absent = isinstance(error, OSError) and not isinstance(error, socket.gaierror | PermissionError)
    return ABSENT_S if absent or isinstance(error, asyncpg.PostgresConnectionError) else 0.0


async def check_connection(url: str) -> None:
    """Connect once. Raises Unavailable when that fails, or when Postgres or pgvector are too old."""
    try:
        connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    except CONNECTION_ERRORS as error:
        raise unreachable(url, error) from None
    try:
        number = int(await connection.fetchval("SHOW server_version_num"))
        vector = await connection.fetchval(
            "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'),"
            " (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))"
        )
    finally:
        await connection.close()
    if number < POSTGRES_MIN:
        raise Unavailable(f"DATABASE_URL: {redacted_dsn(url)} is Postgres {number // 10_000}; 16 or newer is needed.")
    if vector is None or tuple(map(int, vector.split(".")[:2])) < PGVECTOR_MIN:
        raise Unavailable(f"DATABASE_URL: {redacted_dsn(url)} has pgvector {vector or 'not at all'}; 0.8 is needed.")


class ConnectionMode(Enum):
    """What lies between this process and Postgres."""

    DIRECT = "direct"
    POOLER = "a pooler that keeps prepared statements"
    """pgbouncer from 1.21 on with ``max_prepared_statements``, say: only notifications get lost."""
    POOLER_NO_PREPARED = "a pooler that keeps no prepared statements"


async def detect_pooler(url: str) -> ConnectionMode:
    """Return how Postgres is reached: a pooler in transaction mode tells clients process ids of its own.

    One that keeps prepared statements gives them names of its own as well. Raises what connecting raises.
    """
    connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        async with connection.transaction():
            if await connection.fetchval("SELECT pg_backend_pid()") == connection.get_server_pid():
                return ConnectionMode.DIRECT
            name = f"reverie_{uuid4().hex}"
            probe = await connection.prepare("SELECT count(*) FROM pg_prepared_statements WHERE name = $1", name=name)
            if not await probe.fetchval(name):
                return ConnectionMode.POOLER
            await connection.execute(f"DEALLOCATE {name}")
            return ConnectionMode.POOLER_NO_PREPARED
    finally:
        await connection.close()


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
