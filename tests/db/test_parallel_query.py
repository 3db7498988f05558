"""No statement starts parallel workers: for one of a few milliseconds that costs more than the statement."""

from __future__ import annotations

import asyncpg
import pytest

from service.db.connectivity import ConnectionMode, detect_pooler
from service.domain.ids import DEFAULT_WORKSPACE
from service.settings import Settings
from service.startup import open_runtime
from tests.citus_cluster import Cluster

COUNT = "EXPLAIN SELECT count(*) FROM search_index"


async def test_no_statement_starts_parallel_workers(settings: Settings, citus: Cluster | None) -> None:
    assert settings.database_url is not None
    if citus or await detect_pooler(settings.database_url) is not ConnectionMode.DIRECT:
        pytest.skip("a pooler keeps connections from before the setting of this test; Citus explains otherwise")
    connection = await asyncpg.connect(settings.database_url)
    try:
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"ALTER DATABASE {name} SET debug_parallel_query = on")
    finally:
        await connection.close()
    connection = await asyncpg.connect(settings.database_url)
    try:
        assert "Gather" in _plan(await connection.fetch(COUNT))
    finally:
        await connection.close()
    async with open_runtime(settings, "test") as runtime:
        db = runtime.db
        for way in (
            db.search_connection, db.search_transaction, db.autocommit, db.transaction, db.generic_plan_transaction,
            db.snapshot,
        ):  # fmt: skip
            async with way(DEFAULT_WORKSPACE) as opened:
                assert "Gather" not in _plan(await opened.raw.fetch(COUNT)), way.__name__


def _plan(rows: list[asyncpg.Record]) -> str:
    return "\n".join(row[0] for row in rows)
