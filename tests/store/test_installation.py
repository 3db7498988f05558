"""Secrets of the installation: random, made once, the same for every process."""

from __future__ import annotations

import asyncio

import asyncpg

from service.runtime import Runtime
from service.settings import Settings
from service.startup import open_runtime
from service.store.installation import SECRET_BYTES, shared_secret
from tests.live_api import Api


async def _secret(runtime: Runtime, name: str) -> bytes:
    async with runtime.db.unscoped() as connection:
        return await shared_secret(connection, name)


async def test_all_processes_have_the_same_secret(runtime: Runtime, settings: Settings) -> None:
    async with open_runtime(settings, "second process") as other:
        made = await asyncio.gather(*(_secret(one, "s") for one in (runtime, other) * 4))
    assert len(set(made)) == 1
    assert len(made[0]) == SECRET_BYTES
    assert await _secret(runtime, "another") != made[0]


async def test_questions_of_mcp_are_sealed_with_one(api: Api, database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    kept = await connection.fetchval("SELECT value FROM secrets WHERE name = 'mcp'")
    await connection.close()
    assert await _secret(api.runtime, "mcp") == kept
