"""Statements are prepared once per connection, the largest too: planning a search costs more than the search."""

from __future__ import annotations

from uuid import uuid4

from service.db.queries import query
from service.db.reaching import Way, way_to
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.domain.search import SearchRequest
from service.memory.engine import Engine
from service.memory.recall import recall
from service.memory.remember import remember
from service.runtime import open_runtime
from service.settings import Settings
from tests.cluster import Cluster


async def test_a_save_is_planned_once(settings: Settings, citus: Cluster | None) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = settings.model_copy(update={"pool_size": 1, "embedding_model": "static"})
    async with open_runtime(one_connection, "test") as engine:
        for text in ("The kettle is on the shelf", "The cup is in the sink", "The spoon is on the table"):
            await remember(engine, admin, [MemoryDraft(agent="a", type="fact", content=text)])
        plans = await _plans(engine, "insert_memories")
    if await way_to(str(settings.database_url)) is Way.FORGETFUL_POOLER:
        assert plans == []
    else:
        assert plans == [(0, 3) if citus else (3, 0)]


async def test_a_search_is_planned_once_however_long_its_statement(settings: Settings, citus: Cluster | None) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    one_connection = settings.model_copy(update={"pool_size": 1, "embedding_model": "static"})
    async with open_runtime(one_connection, "test") as engine:
        await remember(engine, admin, [MemoryDraft(agent="a", type="fact", content="The kettle is on the shelf")])
        for text in ("kettle", "shelf", "the kettle on the shelf"):
            await recall(engine, admin, SearchRequest(agent="a", query=text))
        plans = await _plans(engine, "hybrid_search")
    if await way_to(str(settings.database_url)) is Way.FORGETFUL_POOLER:
        assert plans == []
    else:  # Citus finds the shard by the workspace
        assert plans == [(0, 3) if citus else (3, 0)]


async def _plans(engine: Engine, name: str) -> list[tuple[int, int]]:
    """How often a statement was run by its kept plan, and how often by a new one; nothing where it is not prepared."""
    async with engine.db.unscoped() as connection:
        rows = await connection.raw.fetch(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", query(name).sql
        )
    return [tuple(row) for row in rows]
