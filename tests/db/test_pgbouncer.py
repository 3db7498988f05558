"""Behind pgbouncer in transaction mode (row O2): everything works with clients taking turns on two connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.db.reaching import behind_pooler
from service.settings import Settings
from tests import bouncer
from tests.bouncer import Bouncer
from tests.serving import serving
from tests.worker.dreaming import contents, dream, say


@pytest.fixture
def through(server_url: str, settings: Settings, database_url: str, tmp_path: Path) -> Iterator[Settings]:
    if not bouncer.installed():
        pytest.skip("pgbouncer is not installed")
    running = Bouncer(server_url, tmp_path / "bouncer", server_connections=2)
    running.start()
    yield settings.model_copy(update={"database_url": running.url(database_url), "embedding_model": "static"})
    running.stop()


async def test_a_pooler_is_noticed(through: Settings, database_url: str) -> None:
    assert through.database_url is not None
    assert await behind_pooler(through.database_url)
    assert not await behind_pooler(database_url)


async def test_two_processes_worth_of_clients_share_two_connections(through: Settings) -> None:
    async with serving(through) as one, serving(through) as other:
        saved = await asyncio.gather(
            *((one if n % 2 else other).save(f"Note {n} about the harbour") for n in range(40))
        )
        assert len({memory["id"] for memory in saved}) == 40
        found = await asyncio.gather(*((one if n % 2 else other).search("harbour", limit=40) for n in range(20)))
        assert all(len(memories) == 40 for memories in found)
        await say(one, "I live in Oslo.")
        assert (await dream(other.engine))["status"] == "succeeded"
        assert any("Oslo" in content for content in await contents(one))
        exports = await asyncio.gather(*(api.call("GET", "/v1/export") for api in (one, other) * 4))
        assert all(json.loads(answer.text.splitlines()[-1]) for answer in exports)
        assert (await one.post("/v1/verify"))["working"] is True
        assert (await other.get("/v1/engine"))["database"]["status"] == "ok"
