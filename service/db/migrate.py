"""Bring a database to the newest schema, as the role that owns it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from service.db.queries import SQL_DIR
from service.db.reaching import CONNECT_S, checked, reach
from service.errors import Unavailable

if TYPE_CHECKING:
    from alembic.config import Config

ROOT = Path(__file__).resolve().parents[2]
IS_CITUS = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"


def migration_url(url: str | None) -> str:
    """The SQLAlchemy form of a Postgres URL; DATABASE_URL when none is given. Raises Unavailable without either."""
    url = url or os.environ.get("DATABASE_URL")
    if not url:
        raise Unavailable("DATABASE_URL is not set, and no embedded Postgres was started")
    return checked(url).replace("postgresql://", "postgresql+asyncpg://", 1)


def migrate(url: str, revision: str = "head") -> None:
    """Upgrade (or downgrade, for an older ``revision``) the database. Blocks; run it off the event loop.

    Raises Unavailable when the database cannot be reached or is too old; migrations are serialised by an advisory lock.
    Where the database has the Citus extension, the newest schema is then spread over the cluster (docs/citus.md).
    """
    from alembic import command

    config = alembic_config(url)
    asyncio.run(reach(url))
    if revision == "head" or not revision.startswith("-"):
        command.upgrade(config, revision)
    else:
        command.downgrade(config, revision)
    if revision == "head":
        asyncio.run(_spread(url))


def alembic_config(url: str) -> Config:
    """What alembic's commands take, for the database of this URL."""
    from alembic.config import Config

    config = Config(str(ROOT / "alembic.ini"))
    config.attributes["url"] = url
    return config


async def _spread(url: str) -> None:
    """Distribute what is not distributed yet, on the coordinator of a Citus cluster; nothing on any other Postgres."""
    connection = await asyncpg.connect(checked(url), timeout=CONNECT_S, statement_cache_size=0)
    try:
        if await connection.fetchval(IS_CITUS):
            await connection.execute((SQL_DIR / "citus.sql").read_text(encoding="utf-8"))
    finally:
        await connection.close()
