"""Bring a database to the newest schema, as the role that owns it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import asyncpg

from service.db.connectivity import CONNECT_S, check_connection, normalize_dsn
from service.db.queries import SQL_DIR
from service.db.schema_version import code_revision
from service.errors import SchemaMismatch, Unavailable
from service.shipped import shipped

if TYPE_CHECKING:
    from alembic.config import Config

IS_CITUS = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"


def migration_url(url: str | None) -> str:
    """The SQLAlchemy form of a Postgres URL; DATABASE_URL when none is given. Raises Unavailable without either."""
    url = url or os.environ.get("DATABASE_URL")
    if not url:
        raise Unavailable("DATABASE_URL is not set, and no embedded Postgres was started")
    return normalize_dsn(url).replace("postgresql://", "postgresql+asyncpg://", 1)


def migrate(url: str, revision: str = "head") -> None:
    """Upgrade (or downgrade, for an older ``revision``) the database. Blocks; run it off the event loop.

    Raises Unavailable when the database cannot be reached or is too old, SchemaMismatch when it is at a revision that
    this release does not know, or is to go to one; migrations are serialised by an advisory lock.
    Where the database has the Citus extension, the newest schema is then spread over the cluster (docs/citus.md).
    """
    from alembic import command
    from alembic.util import CommandError

    config = alembic_config(url)
    asyncio.run(check_connection(url))
    try:
        if revision == "head" or not revision.startswith("-"):
            command.upgrade(config, revision)
        else:
            command.downgrade(config, revision)
    except CommandError as error:
        raise SchemaMismatch(
            f"This release knows migrations up to {code_revision()}, and not the one that the database's schema is at, "
            f"or is to go to: {error}."
        ) from None
    if revision == "head":
        asyncio.run(_create_extension_citus(url))


def alembic_config(url: str) -> Config:
    """What alembic's commands take, for the database of this URL."""
    from alembic.config import Config

    config = Config(str(shipped("alembic.ini")))
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
