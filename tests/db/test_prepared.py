"""Statements are prepared once per connection, the largest too: planning a search costs more than the search."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from uuid import uuid4

from service.db.connectivity import ConnectionMode, detect_pooler
from service.db.pool import Connection
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.domain.types import MemoryType
from service.memory.saving.remember import remember
from service.memory.search.recall import recall
from service.settings import Settings
from service.startup import open_runtime
from tests.citus_cluster import Cluster
from tests.tuning import tuned

LONG = 15_360
"""In bytes, what asyncpg by itself keeps no longer statements than."""


async def test_a_save_is_planned_once(settings: Settings, citus: Cluster | None) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = tuned(settings, pool_size=1).model_copy(update={"embedding_model": "static"})
    async with open_runtime(one_connection, "test") as runtime:
        for text in ("The kettle is on the shelf", "The cup is in the sink", "The spoon is on the table"):
            await remember(runtime, admin, [MemoryDraft(agent="a", type="fact", content=text)])
        plans = await _plans(runtime.db.unscoped(), "INSERT INTO memories")
    if await detect_pooler(str(settings.database_url)) is ConnectionMode.POOLER_NO_PREPARED:
        assert plans == []
    else:
        assert plans == [(0, 3) if citus else (3, 0)]


async def test_a_search_is_planned_once(settings: Settings, citus: Cluster | None) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = tuned(settings, pool_size=1).model_copy(update={"embedding_model": "static"})
    async with open_runtime(one_connection, "test") as runtime:
        await remember(runtime, admin, [MemoryDraft(agent="a", type="fact", content="The kettle is on the shelf")])
        for text in ("kettle", "shelf", "the kettle on the shelf"):
            await recall(runtime, admin, SearchRequest(agent="a", query=f"{text} last week", types=[MemoryType.FACT]))
        plans = await _plans(runtime.db.search_connection(DEFAULT_WORKSPACE), "term_score AS")
    if await detect_pooler(str(settings.database_url)) is ConnectionMode.POOLER_NO_PREPARED:
        assert plans == []
    else:  # Citus finds the shard by the workspace
        assert plans == [(0, 3) if citus else (3, 0)]


async def test_a_statement_stays_prepared_however_long(settings: Settings) -> None:
    one_connection = tuned(settings, pool_size=1)
    async with open_runtime(one_connection, "test") as runtime:
        for word, ways in (("search", runtime.db.search_connection), ("save", runtime.db.transaction)):
            for _ in range(2):
                async with ways(DEFAULT_WORKSPACE) as connection:
                    await connection.raw.fetch(f"SELECT '{word * LONG}' WHERE $1", True)
            plans = await _plans(ways(DEFAULT_WORKSPACE), word * 3)
            if await detect_pooler(str(settings.database_url)) is not ConnectionMode.POOLER_NO_PREPARED:
                assert [sum(one) for one in plans] == [2]


async def test_each_kind_of_search_is_a_statement_of_its_own(settings: Settings) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = tuned(settings, pool_size=1).model_copy(update={"embedding_model": "static"})
    async with open_runtime(one_connection, "test") as runtime:
        await remember(runtime, admin, [MemoryDraft(agent="a", type="fact", content="The kettle is on the shelf")])
        kinds = ({"query": "kettle"}, {"query": "kettle last week"}, {"query": "kettle", "user": "u"})
        for asked in (kinds[0], *kinds, *kinds):
            await recall(runtime, admin, SearchRequest.model_validate({"agent": "a"} | asked))
        plans = await _plans(runtime.db.search_connection(DEFAULT_WORKSPACE), "term_score AS")
    if await detect_pooler(str(settings.database_url)) is not ConnectionMode.POOLER_NO_PREPARED:
        assert sorted(map(sum, plans)) == [2, 2, 3]


async def _plans(on: AbstractAsyncContextManager[Connection], part: str) -> list[tuple[int, int]]:
    """How often each prepared statement with this ``part`` was run by its kept plan, and how often by a new one."""
    async with on as connection:
        rows = await connection.raw.fetch(
            """SELECT generic_plans, custom_plans FROM pg_prepared_statements
            WHERE statement LIKE '%' || $1 || '%'""",
            part,
        )
    return [tuple(row) for row in rows]
