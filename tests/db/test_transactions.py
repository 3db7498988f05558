"""A transaction that nobody goes on with does not keep others from its rows."""

from __future__ import annotations

import asyncpg
import pytest

from service.db.pool import Database
from service.domain.ids import DEFAULT_WORKSPACE
from service.errors import Unavailable
from service.settings import Settings

LOCK = "UPDATE workspaces SET name = name WHERE workspace_id = $1"


async def test_a_frozen_transaction_is_ended(settings: Settings) -> None:
    assert settings.database_url is not None
    database = await Database.open(settings.database_url, statement_timeout_s=0.2)
    other = await asyncpg.connect(settings.database_url)
    with pytest.raises(Unavailable):
        async with database.transaction(DEFAULT_WORKSPACE) as connection:
            await connection.raw.execute(LOCK, DEFAULT_WORKSPACE)
            assert await other.execute(LOCK, DEFAULT_WORKSPACE) == "UPDATE 1"
            await connection.raw.execute("SELECT 1")
    await other.close()
    await database.close()
