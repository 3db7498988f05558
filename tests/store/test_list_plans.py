"""A list by key reads what has that key, however much there is (rows W4, W9)."""

from __future__ import annotations

import json
from dataclasses import asdict
from uuid import uuid4

from service.db.queries import query
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import Principal
from service.memory.engine import Engine
from service.memory.lifecycle import ListFilter
from service.memory.remember import remember
from service.store import agents

MEMORIES = 3_000
READ_MAX = 10


async def test_a_key_is_looked_up(engine: Engine) -> None:
    admin = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)
    for start in range(0, MEMORIES, 500):
        await remember(
            engine,
            admin,
            [MemoryDraft(agent="a", type="fact", content=f"{n}", key=f"k{n}") for n in range(start, start + 500)],
        )
    statement = query("list_memories")
    async with engine.db.transaction(DEFAULT_WORKSPACE) as connection:
        reader = await agents.reader(connection, DEFAULT_WORKSPACE, "a")
        assert reader is not None
        values = asdict(ListFilter(key="k7", with_superseded=True)) | {
            "workspace": DEFAULT_WORKSPACE, "agent_id": reader.agent_id, "audiences": reader.audiences,
            "before_at": None, "before_id": None, "limit": 201, "now": engine.now(),
        }  # fmt: skip
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}"
        plan = json.loads(await connection.raw.fetchval(explain, *statement.arguments(values)))

    def read(node: dict[str, object]) -> list[float]:
        passed = float(node["Actual Rows"]) + float(node.get("Rows Removed by Filter", 0))  # type: ignore[arg-type]
        return [passed, *(one for child in node.get("Plans", []) for one in read(child))]  # type: ignore[attr-defined]

    assert "ix_memories_key" in json.dumps(plan)
    assert max(read(plan[0]["Plan"])) <= READ_MAX
