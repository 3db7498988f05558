"""A release works on its own schema, and on a newer one only where that says so."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest
from alembic.script import ScriptDirectory

from service.db.migrate import alembic_config, migrate
from service.db.pool import Database
from service.db.schema_version import SchemaCheck, code_revision
from service.errors import SchemaMismatch
from tests.citus_cluster import execute
from tests.live_api import Api
from tests.processes import ROOT

OLDER, NEWER = "0041", "9999"
FORMER_0062 = """ALTER TABLE messages DROP COLUMN time_zone; ALTER TABLE proposals DROP COLUMN occurred_until;
ALTER TABLE memories DROP COLUMN occurred_until; ALTER TABLE search_index DROP COLUMN happened_until;
DROP FUNCTION reverie_precision_v1(timestamptz, timestamptz)"""
"""What makes of this schema that of 0062."""
FORMER_0061 = "ALTER TABLE messages DROP COLUMN searchable"
"""What makes of that the schema of 0061."""
FORMER_0060 = "ALTER TABLE memories RENAME COLUMN dream_analysis TO reading"
"""What makes of that the schema of 0060."""
FORMER = (Path(__file__).parent / "former_0059.sql").read_text()
"""What makes of that the schema of 0059."""
FORMER_ROWS = (Path(__file__).parent / "former_rows_0059.sql").read_text()
BEFORE_0059 = """ALTER TABLE api_keys ADD COLUMN granted_by uuid, DROP COLUMN makers, DROP COLUMN subject;
INSERT INTO api_keys (workspace_id, id, name, role, hash, granted_by)
SELECT workspace_id, gen_random_uuid(), 'made by another', 'reader', 'x', id FROM api_keys"""
"""What makes of that the schema of the revisions before it."""
SCRIPTS = ScriptDirectory.from_config(alembic_config("postgresql://nowhere"))


async def stamp(url: str, revision: str) -> None:
    """Have the schema say that it is at a revision."""
    await execute(url, f"UPDATE alembic_version SET version_num = '{revision}'")  # noqa: S608


async def serve_from(url: str, oldest: str) -> None:
    """Have the newer schema say which releases can work on it."""
    await execute(
        url,
        f"INSERT INTO schema_compatibility VALUES ('{NEWER}', '{oldest}')"  # noqa: S608
        " ON CONFLICT (revision) DO UPDATE SET serves_from = excluded.serves_from",
    )


def test_the_revision_of_the_code_is_the_last_migration() -> None:
    assert code_revision() == SCRIPTS.get_current_head()
    revisions = [script.revision for script in SCRIPTS.walk_revisions()]
    assert revisions == sorted(revisions, reverse=True)


async def test_an_older_schema_is_refused_with_what_to_do(service_url: str, database_url: str) -> None:
    await (await Database.open(service_url)).close()
    await stamp(database_url, OLDER)
    with pytest.raises(SchemaMismatch, match=f"at {OLDER}, .* needs {code_revision()}: run `reverie migrate`"):
        await Database.open(service_url)
    with pytest.raises(SchemaMismatch, match=f"at {OLDER}, from before .*`reverie export`.*`reverie import`"):
        await asyncio.to_thread(migrate, database_url)


async def take_over(database_url: str, former: str, *statements: str) -> None:
    """Make a database of an earlier revision, with these statements in it, one of this revision."""
    await execute(
        database_url, FORMER_0062, FORMER_0061, FORMER_0060, *([FORMER] if former < "0060" else []), *statements
    )
    await stamp(database_url, former)
    await asyncio.to_thread(migrate, database_url)


@pytest.mark.parametrize("former", ["0057", "0058"])
async def test_an_earlier_form_of_the_initial_migration_is_taken_over(
    own_api: Api, database_url: str, former: str
) -> None:
    saved = await own_api.save("Sam lives in Bergen.")
    await take_over(database_url, former, BEFORE_0059)
    db = await Database.open(database_url)
    async with db.unscoped() as connection:
        assert await connection.raw.fetchval("SELECT version_num FROM alembic_version") == code_revision()
    await db.close()
    assert await own_api.get(f"/v1/memories/{saved['id']}") == saved
    keys = {key["name"]: key for key in (await own_api.get("/v1/keys"))["items"]}
    assert keys["made by another"]["granted_by"] == keys["REVERIE_ADMIN_KEY"]["id"]


async def test_a_newer_schema_is_refused_unless_it_says_otherwise(service_url: str, database_url: str) -> None:
    await stamp(database_url, NEWER)
    with pytest.raises(SchemaMismatch, match=f"at {NEWER}, newer than this release"):
        await Database.open(service_url)
    await serve_from(database_url, "9998")
    with pytest.raises(SchemaMismatch, match="newer"):
        await Database.open(service_url)
    await serve_from(database_url, code_revision())
    await (await Database.open(service_url)).close()
    with pytest.raises(SchemaMismatch, match=f"at {NEWER}, newer than .* knows migrations up to {code_revision()}"):
        await asyncio.to_thread(migrate, database_url)


@pytest.mark.parametrize(
    "command",
    [
        ("service", "serve"),
        ("worker", "run"),
        ("worker", "once"),
        ("worker", "dream", "--agent", "a"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("newer", [False, True], ids=["older", "newer"])
async def test_no_process_starts_on_another_schema(
    service_url: str, database_url: str, tmp_path: Path, command: tuple[str, ...], newer: bool
) -> None:
    await stamp(database_url, NEWER if newer else OLDER)
    environment = os.environ | {
        "DATABASE_URL": service_url, "REVERIE_DATA_DIR": str(tmp_path), "REVERIE_PORT": "0", "EMBEDDING_MODEL": "none",
    }  # fmt: skip
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", *command],
        capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600,
    )  # fmt: skip
    assert done.returncode == 1
    assert ("newer than this release" if newer else "run `reverie migrate`") in done.stderr
    assert "Traceback" not in done.stderr


async def test_readiness_tells_of_a_schema_that_changed_under_the_process(api: Api, database_url: str) -> None:
    async def readiness() -> tuple[int, str, str]:
        answer = await api.http.get("/readyz")
        return answer.status_code, answer.json()["status"], answer.json()["detail"] or ""

    api.runtime.db.check_schema = SchemaCheck(recheck_s=0)
    assert await readiness() == (200, "ready", "")
    await stamp(database_url, NEWER)
    status, said, detail = await readiness()
    assert (status, said) == (503, "unavailable")
    assert "newer than this release" in detail
    await stamp(database_url, OLDER)
    status, said, detail = await readiness()
    assert (status, said) == (503, "unavailable")
    assert "run `reverie migrate`" in detail
    await stamp(database_url, code_revision())
    assert await readiness() == (200, "ready", "")


async def test_a_schema_that_fits_is_not_asked_for_each_time(service_url: str, database_url: str) -> None:
    db = await Database.open(service_url)
    await stamp(database_url, NEWER)
    async with db.unscoped() as connection:
        await db.check_schema(connection.raw)
        with pytest.raises(SchemaMismatch):
            await SchemaCheck()(connection.raw)
    await db.close()


async def test_a_login_that_owns_no_table_is_told_the_same(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("SET ROLE reverie_app")
        await SchemaCheck()(connection)
        await execute(database_url, "REVOKE SELECT ON alembic_version FROM reverie_app")
        with pytest.raises(SchemaMismatch, match=r"older, .* run `reverie migrate`"):
            await SchemaCheck()(connection)
    finally:
        await connection.close()
