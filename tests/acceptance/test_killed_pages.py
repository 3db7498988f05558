"""kill -9 of a worker between a dream and the pages it gives reason for: each is written once, and none is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator

import asyncpg
import pytest

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.killable import dreaming, expire_leases
from tests.live_api import Api, Json
from tests.worker.dreaming import asked_for, note_everything, say


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = cite_the_first
        yield opened


def cite_the_first(body: Json) -> str:
    if asked_for(body) == "WrittenPage":
        return json.dumps({"sentences": [{"text": "It was said.", "memories": [1]}]})
    return note_everything(body)


async def claims_end(settings: Settings) -> None:
    """The time passes after which what a dead worker had claimed is free to take."""
    await expire_leases(str(settings.database_url))
    connection = await asyncpg.connect(str(settings.database_url))
    await connection.execute("UPDATE pages SET claimed_until = now() WHERE claimed_until IS NOT NULL")
    await connection.close()


@pytest.mark.parametrize("step", ["written", "committed", "page:writing", "page:written"])
async def test_a_page_is_written_once(api: Api, settings: Settings, server: FakeOpenAI, step: str) -> None:
    page = await api.post("/v1/pages", {"agent": "a", "question": "Where does u1 live?"})
    await say(api, "I live in Oslo.")
    async with dreaming(settings, server.base_url, {step: 1}) as worker:
        assert await worker.wait_for_step() == step
        await worker.kill()
    await claims_end(settings)
    async with dreaming(settings, server.base_url) as worker:
        assert await worker.wait_for_step() is None
    versions = (await api.get(f"/v1/pages/{page['id']}/versions"))["items"]
    assert [one["version"] for one in versions] == [2, 1]
    assert [one["text"] for one in versions[0]["sentences"]] == ["It was said."]
    (dream,) = [one for one in (await api.get("/v1/dreams"))["items"] if one["status"] == "succeeded"]
    assert versions[0]["dream_id"] == dream["id"]
    assert (await api.get(f"/v1/pages/{page['id']}"))["due_at"] is None
