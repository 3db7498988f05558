"""What the first start makes: the default workspace, and its first admin key."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from service.db.pool import Database
from service.domain.ids import DEFAULT_WORKSPACE, new_id
from service.domain.principal import KeyRole
from service.memory.engine import Engine
from service.memory.keys import add_key
from service.settings import Settings

DEFAULT_NAME = "default"


async def first_start(settings: Settings) -> str | None:
    """Make the default workspace and, when it has no admin key yet, one; its text, or None when one was there.

    The key is REVERIE_ADMIN_KEY if that is set (also beside older keys), else a new one, kept in
    ``<data folder>/admin-key`` with mode 600.
    """
    async with _database(settings) as db:
        engine = Engine(db)
        async with db.unscoped() as connection:
            await connection.run("add_workspace", workspace=DEFAULT_WORKSPACE, name=DEFAULT_NAME)
        if settings.admin_key:
            await add_key(engine, DEFAULT_WORKSPACE, "admin", None, "REVERIE_ADMIN_KEY", settings.admin_key)
            return None
        async with db.transaction(DEFAULT_WORKSPACE) as connection:
            present = await connection.value("live_admin_keys", workspace=DEFAULT_WORKSPACE)
        if present:
            return None
        _, key = await add_key(engine, DEFAULT_WORKSPACE, "admin", None, "first admin key")
    keep_key(settings.data_dir, key)
    return key


def keep_key(data_dir: Path, key: str) -> None:
    """Write the first admin key where only its owner reads it."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / "admin-key"
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(key + "\n")


async def key_in_workspace(
    settings: Settings, role: KeyRole, agent: str | None, name: str, workspace: str | None
) -> str:
    """A new key of a workspace given by name, made when there is none of that name."""
    async with _database(settings) as db:
        async with db.unscoped() as connection:
            wanted = workspace or DEFAULT_NAME
            fresh = DEFAULT_WORKSPACE if workspace is None else new_id()
            await connection.run("add_workspace", workspace=fresh, name=wanted)
            found = await connection.value("workspace_by_name", name=wanted)
        _, key = await add_key(Engine(db), found, role, agent, name)
    return key


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    assert settings.database_url is not None
    db = await Database.open(settings.database_url, size=1, application="reverie-setup")
    try:
        yield db
    finally:
        await db.close()
