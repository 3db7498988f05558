"""Bring a database to the newest schema, as the role that owns it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import asyncpg

from service.db.connectivity import CONNECT_S, check_connection, normalize_dsn
from service.db.pool import APP_ROLE
from service.db.queries import SQL_DIR
from service.db.rehash import rehash_owned
from service.db.schema_version import newer_than_release, schema_mismatch
from service.errors import SchemaMismatch, Unavailable
from service.resources import resource

if TYPE_CHECKING:
    from alembic.config import Config

CREATE_ROLE = f"""DO $$ BEGIN
    CREATE ROLE {APP_ROLE} LOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL; END $$"""
JOIN_ROLE = (
    f"DO $$ BEGIN GRANT {APP_ROLE} TO CURRENT_USER; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$"
)
"""Every transaction of the service takes on this role, which owns nothing and bypasses nothing. An owner that may make
no roles goes on without it, unless somebody has made it and granted it to the owner: row-level security holds for the
owner as well."""
BEFORE_INITIAL = (
    "The database's schema is at {}, from before the initial migration of this release: export it with the release "
    "that made it (`reverie export`), and import that into an empty database (`reverie import`)."
)

_FORCE_ROW_SECURITY = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    END LOOP;
END
$$"""

IS_CITUS = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"


def migration_url(url: str | None) -> str:
    """Return the SQLAlchemy form of a Postgres URL; DATABASE_URL when none is given. Raises Unavailable without
    either."""
    url = url or os.environ.get("DATABASE_URL")
    if not url:
        raise Unavailable("DATABASE_URL is not set, and no embedded Postgres was started")
    return normalize_dsn(url).replace("postgresql://", "postgresql+asyncpg://", 1)


def migrate(url: str) -> None:
    """Upgrade the database to the newest schema. Blocks; run it off the event loop.

    Raises Unavailable when the database cannot be reached or is too old, SchemaMismatch when it is at a revision that
    this release does not know; migrations are serialised by an advisory lock.
    Where the database has the Citus extension, the schema is then spread over the cluster (docs/citus.md).
    """
    from alembic import command

    config = alembic_config(url)
    asyncio.run(check_connection(url))
    asyncio.run(_take_over(url, config))
    command.upgrade(config, "head")
    asyncio.run(_create_extension_citus(url))


async def migrate_if_needed(url: str) -> None:
    """Bring a database of another schema than this release's to the newest, as ``migrate``; leave every other as it
    is."""
    await check_connection(url)
    connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        mismatch = await schema_mismatch(connection)
    finally:
        await connection.close()
    if mismatch:
        await asyncio.to_thread(migrate, url)


async def _take_over(url: str, config: Config) -> None:
    """Bring a database of an earlier form of the initial migration to its present form, and rewrite its revision.

    Raises SchemaMismatch for a revision that is neither known nor taken over.
    """
    from alembic.script import ScriptDirectory

    scripts = list(ScriptDirectory.from_config(config).walk_revisions())
    initial, known = scripts[-1], [script.revision for script in scripts]
    connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        if not await connection.fetchval("SELECT to_regclass('alembic_version') IS NOT NULL"):
            return
        found = await connection.fetchval("SELECT version_num FROM alembic_version")
        if found is None or found in known:
            return
        if found not in initial.module.takes_over:
            raise SchemaMismatch(newer_than_release(found) if found > max(known) else BEFORE_INITIAL.format(found))
        async with connection.transaction():
            for revision, statements in initial.module.TAKE_OVER.items():
                for statement in statements if found <= revision else ():
                    await connection.execute(statement)
            await rehash_owned(connection)
            await connection.execute(_FORCE_ROW_SECURITY)
            await connection.execute("UPDATE alembic_version SET version_num = $1", initial.revision)
    finally:
        await connection.close()


def alembic_config(url: str) -> Config:
    """Return what alembic's commands take, for the database of this URL."""
    from alembic.config import Config

    config = Config(str(resource("alembic.ini")))
    config.attributes["url"] = url
    return config


async def _create_extension_citus(url: str) -> None:
    """Distribute what is not distributed yet, on the coordinator of a Citus cluster; nothing on any other Postgres."""
    connection = await asyncpg.connect(normalize_dsn(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        if await connection.fetchval(IS_CITUS):
            await connection.execute((SQL_DIR / "citus.sql").read_text(encoding="utf-8"))
    finally:
        await connection.close()
