"""An earlier release reads what was saved under types of a workspace's own as the built-in ones that they are like."""

from __future__ import annotations

import asyncio
import json

import asyncpg

from tests.databases import downgrade_to
from tests.live_api import Api


async def test_own_types_become_the_ones_that_they_are_like(api: Api, database_url: str) -> None:
    types = {"invoice": {"like": "event"}, "receipt": {"like": "event"}}
    await api.put("/v1/settings", {"memory_types": types, "dream": {"types": ["invoice"]}, "window": {"idle_s": 60}})
    for type_ in ("invoice", "receipt", "event"):
        await api.post("/v1/memories", {"agent": "a", "type": type_, "content": "Acme billed the harbour"})
    await asyncio.to_thread(downgrade_to, database_url, "0043")
    connection = await asyncpg.connect(database_url)
    try:
        both = "SELECT m.type, i.type AS searched FROM memories m JOIN search_index i USING (id)"
        found = await connection.fetch(both)
        assert [(row["type"], row["searched"]) for row in found] == [("event", "event")] * 3
        settings = json.loads(await connection.fetchval("SELECT value FROM settings"))
        assert settings == {"dream": {}, "window": {"idle_s": 60}}
    finally:
        await connection.close()
