"""What only a Citus cluster can show: what is where, and that a workspace's statements stay in its shard."""

from __future__ import annotations

import asyncio
import re
from uuid import UUID, uuid4

import asyncpg
import pytest

from service.db.migrate import migrate
from service.db.pool import Connection
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.errors import Unavailable
from service.memory.search.recall import recall
from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from tests.captured_queries import queries_sent_by
from tests.citus_cluster import Cluster
from tests.live_api import Api
from tests.rendered import refused_statements
from tests.schema_snapshot import SHARED_TABLES, table_names


@pytest.fixture(autouse=True)
def on_citus(citus: Cluster | None) -> None:
    if citus is None:
        pytest.skip("no Citus cluster (set CITUS_URL)")


async def tasks_of(connection: Connection, statement: str) -> list[int]:
    """How many shards each step of a statement goes to."""
    plan = "\n".join(row[0] for row in await connection.raw.fetch(f"EXPLAIN (COSTS off) {statement}"))
    return [int(count) for count in re.findall(r"Task Count: (\d+)", plan)]


async def test_statements_of_a_workspace_run_and_stay_in_its_shard(runtime: Runtime, database_url: str) -> None:
    astray = {}

    async def look(connection: Connection, name: str, statement: str) -> None:
        tasks = await tasks_of(connection, statement)
        if not set(tasks) <= {1}:
            astray[name] = tasks

    assert await refused_statements(runtime.db, database_url, look=look) == {}
    assert not astray


async def test_a_search_goes_to_one_shard(static_api: Api) -> None:
    for number in range(5):
        await static_api.save(f"The lighthouse keeps lamp {number}")
    runtime = static_api.runtime
    searched = queries_sent_by(runtime.db)
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    found = await recall(runtime, admin, SearchRequest(agent="a", query="lighthouse lamp"))
    assert len(found.results) == 5
    (asked,) = searched
    query = asked.statement
    async with runtime.db.search_connection(DEFAULT_WORKSPACE) as connection:
        rows = await connection.raw.fetch(
            f"EXPLAIN (ANALYZE, COSTS off, TIMING off) {query.sql}", *query.arguments(asked.values)
        )
    plan = "\n".join(row[0] for row in rows)
    assert re.findall(r"Task Count: (\d+)", plan) == ["1"], plan
    assert "Subplan" not in plan.split("Task Count")[0], plan
    assert len(set(re.findall(r"\b(?:search_index|search_terms)_(\d+)", plan))) == 2, plan


async def test_tenant_tables_lie_together_and_the_schedule_apart(runtime: Runtime) -> None:
    async with runtime.db.unscoped() as connection:
        rows = await connection.raw.fetch("SELECT table_name::text, citus_table_type, colocation_id FROM citus_tables")
    kinds = {row["table_name"]: row["citus_table_type"] for row in rows}
    tenant = table_names() - SHARED_TABLES | {"reindex_requests", "field_backfills"}
    assert {table for table, kind in kinds.items() if kind == "distributed"} == tenant
    assert {table for table, kind in kinds.items() if kind == "reference"} == {
        "workspaces", "embedding_models", "embedding_state",
    }  # fmt: skip
    assert len({row["colocation_id"] for row in rows if row["citus_table_type"] == "distributed"}) == 1
    assert kinds["dream_schedule"] == "local"


async def test_no_policy_is_a_restrictive_one(runtime: Runtime) -> None:
    """Citus makes it a permissive one on the shards, and rows are seen that either of two policies shows."""
    async with runtime.db.unscoped() as connection:
        rows = await connection.raw.fetch("SELECT polrelid::regclass::text FROM pg_policy WHERE NOT polpermissive")
    assert rows == []


async def test_row_level_security_holds_on_the_nodes(static_api: Api) -> None:
    await static_api.save("The lighthouse keeps its lamp")
    for workspace, seen in ((DEFAULT_WORKSPACE, 1), (UUID(int=7), 0)):
        async with static_api.runtime.db.transaction(workspace) as connection:
            assert await connection.raw.fetchval("SELECT count(*) FROM memories") == seen
            assert (
                await connection.raw.fetchval(
                    "SELECT count(*) FROM memories WHERE workspace_id = $1", DEFAULT_WORKSPACE
                )
                == seen
            )


def test_migrating_again_leaves_no_table_behind_that_is_not_spread(database_url: str) -> None:
    migrate(database_url)

    async def loose() -> list[str]:
        connection = await asyncpg.connect(database_url)
        try:
            rows = await connection.fetch(
                "SELECT c.relname FROM pg_class c"
                " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'"
                " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
                " AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)"
            )
            return [row["relname"] for row in rows]
        finally:
            await connection.close()

    assert asyncio.run(loose()) == []


async def test_a_replica_is_refused(settings: Settings) -> None:
    replicated = settings.model_copy(update={"database_replica_url": str(settings.database_url)})
    with pytest.raises(Unavailable, match="DATABASE_REPLICA_URL"):
        async with open_runtime(replicated, "test", with_replica=True):
            pass
