"""A transaction that nobody goes on with does not keep others from its rows."""

from __future__ import annotations

import asyncpg
import pytest

from service.db.pool import Database
from service.domain.ids import DEFAULT_WORKSPACE
from service.errors import Unavailable
from service.settings import Settings

LOCK = "UPDATE workspaces SET name = name WHERE workspace_id = $1"


async def test_a_frozen_transaction_is_ended(settings: Settings, database_url: str) -> None:
    assert settings.database_url is not None
    database = await Database.open(settings.database_url, statement_timeout_s=1)
    other = await asyncpg.connect(database_url)
    got: list[str] = []
    with pytest.raises(Unavailable):
        await freeze_until(database, other, got)
    assert got == ["UPDATE 1"]
    await other.close()
    await database.close()


async def freeze_until(database: Database, other: asyncpg.Connection, got: list[str]) -> None:
    """Hold a row without a word until another connection has ``got`` it, then go on."""
    async with database.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute(LOCK, DEFAULT_WORKSPACE)
        got.append(await other.execute(LOCK, DEFAULT_WORKSPACE))
        await connection.raw.execute("SELECT 1")
