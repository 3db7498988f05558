"""Bring a database to the newest schema, as the role that owns it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from service.db.reaching import checked, reach
from service.errors import Unavailable

ROOT = Path(__file__).resolve().parents[2]


def migration_url(url: str | None) -> str:
    """The SQLAlchemy form of a Postgres URL; DATABASE_URL when none is given. Raises Unavailable without either."""
    url = url or os.environ.get("DATABASE_URL")
    if not url:
        raise Unavailable("DATABASE_URL is not set, and no embedded Postgres was started")
    return checked(url).replace("postgresql://", "postgresql+asyncpg://", 1)


def migrate(url: str, revision: str = "head") -> None:
    """Upgrade (or downgrade, for an older ``revision``) the database. Blocks; run it off the event loop.

    Raises Unavailable when the database cannot be reached or is too old; migrations are serialised by an advisory lock.
    """
    from alembic import command
    from alembic.config import Config

    config = Config(str(ROOT / "alembic.ini"))
    config.attributes["url"] = url
    asyncio.run(reach(url))
    if revision == "head" or not revision.startswith("-"):
        command.upgrade(config, revision)
    else:
        command.downgrade(config, revision)
