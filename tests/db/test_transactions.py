"""What a transaction is told, and that one that nobody goes on with does not keep others from its rows."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from service.db.pool import Database
from service.domain.ids import DEFAULT_WORKSPACE
from service.errors import Unavailable
from service.runtime import Runtime
from service.settings import Settings

SPECIAL = ('"', "\\", "$$", "$1", "'", "{a,b}", "NULL", " a ", "é\n")
"""Names that mean something in SQL or in an array."""
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


@pytest.mark.parametrize(
    ("viewer", "users"), [("everybody", []), ("nobody", None), (SPECIAL, list(SPECIAL))], ids=["all", "none", "users"]
)
async def test_the_viewer_is_told_as_it_is(runtime: Runtime, viewer: Any, users: list[str] | None) -> None:
    async with runtime.db.transaction(DEFAULT_WORKSPACE, viewer=viewer) as connection:
        assert await connection.raw.fetchval("SELECT reverie_viewer_v1()") == users
        await connection.view_as("nobody")
        assert await connection.raw.fetchval("SELECT reverie_viewer_v1()") is None
