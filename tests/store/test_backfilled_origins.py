"""Memories from before origins were stored get theirs from what they cite."""

from __future__ import annotations

import asyncio
import json

import asyncpg
from alembic import command

from service.db.migrate import alembic_config
from tests.databases import downgrade_to
from tests.live_api import Api
from tests.worker.dreaming import dream, say


async def test_origins_are_derived_from_messages_hearsay_and_imports(api: Api, database_url: str) -> None:
    await say(api, "I live in Oslo.", user="ann")
    await say(api, "The gate is green.", user="ann", name="bo")
    await dream(api.engine)
    await api.save("Ann lives in Hell.", user="ann", hearsay_by="mallory")
    await api.save("Bun the hare snores.")
    await api.call("POST", "/v1/import", content='{"agent": "a", "type": "fact", "content": "Kit the fox snores."}')
    await api.put("/v1/settings", {"origins": {"tool": "hold"}, "window": {"idle_s": 60}})
    connection = await asyncpg.connect(database_url)
    rows = "SELECT content, origin FROM memories WHERE source ->> 'kind' IS DISTINCT FROM 'insight' ORDER BY id"
    try:
        before = await connection.fetch(rows)
        await asyncio.to_thread(downgrade_to, database_url, "0055")
        assert json.loads(await connection.fetchval("SELECT value FROM settings")) == {"window": {"idle_s": 60}}
        await asyncio.to_thread(command.upgrade, alembic_config(database_url), "0056")
        after = await connection.fetch(rows.replace("origin", "m.origin").replace("FROM memories", "FROM memories m"))
    finally:
        await connection.close()
    given = {row["content"]: row["origin"] for row in before}
    expected = given | {"Ann lives in Hell.": "other_user"}
    assert {row["content"]: row["origin"] for row in after} == expected
    assert set(expected.values()) == {"own_user", "other_user", "imported", "api"}
