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

HOT = "Sam likes hot drinks that wake one up."
STEPS = (
    "reconciled", "reflect:asking", "reflect:kept", "reflected", "applying", "written", "committed", "page:writing",
    "page:written",
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = cite_the_first
        yield opened


def cite_the_first(body: Json) -> str:
    if asked_for(body) == "Reflections":
        return json.dumps({"insights": [{"kind": "preference", "content": HOT, "memories": [1, 2, 3]}]})
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
    page = await api.post("/v1/pages", {"agent": "a", "question": "Where does u1 live?", "scope": {"user": "u1"}})
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


async def test_insights_and_pages_of_a_dream_killed_at_every_step(
    api: Api, settings: Settings, server: FakeOpenAI
) -> None:
    await api.put("/v1/agents/a", {"settings": {"dream": {"reflect": "model"}}})
    page = await api.post(
        "/v1/pages", {"agent": "a", "question": "Which drinks does Sam like?", "scope": {"user": "Sam"}}
    )
    for drink in ("tea", "coffee", "mate"):
        await api.save(f"Sam likes {drink}.", type="preference", user="Sam")
    for step in STEPS:
        async with dreaming(settings, server.base_url, {step: 1}) as worker:
            assert await worker.wait_for_step() == step
            await worker.kill()
        await claims_end(settings)
    async with dreaming(settings, server.base_url) as worker:
        assert await worker.wait_for_step() is None
    (insight,) = (await api.get("/v1/memories", type="insight"))["items"]
    assert (insight["content"], insight["metadata"]["supports"]) == (HOT, 3)
    assert [asked_for(body) for body in server.requests("chat")].count("Reflections") == 1
    path = f"/v1/pages/{page['id']}/versions"
    assert [one["version"] for one in (await api.get(path))["items"]] == [2, 1]
    (dream,) = [one for one in (await api.get("/v1/dreams"))["items"] if one["status"] == "succeeded"]
    await api.post(f"/v1/dreams/{dream['id']}/undo")
    assert (await api.get("/v1/memories", type="insight"))["items"] == []
    assert [one["version"] for one in (await api.get(path))["items"]] == [1]
