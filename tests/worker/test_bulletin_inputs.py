"""A dream asks the model for its bulletin before it writes anything, and writes its memories once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.memory import bulletin
from service.memory.saving.remember import remember
from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.worker.dreaming import agent_id, contents, dream, model, say
from tests.worker.large_audience import ADMIN
from tests.worker.test_races import says_where


@pytest.fixture
async def server(api: Api) -> AsyncIterator[FakeOpenAI]:
    await load_litellm()
    with FakeOpenAI() as opened:
        opened.default_reply = says_where
        api.runtime.llm = model(opened)
        yield opened


async def latest_is_by_the_model(api: Api, *, of: set[str]) -> None:
    """The latest bulletin is the model's, made of exactly what the agent knows now: these, and all of its goals."""
    agent, llm = await agent_id(api.runtime), api.runtime.llm
    assert llm is not None
    async with api.runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        rows = await bulletin.inputs(connection, DEFAULT_WORKSPACE, agent, [], api.runtime.now())
        latest = await connection.value("bulletin_hash", workspace=DEFAULT_WORKSPACE, agent_id=agent, owners=[])
    assert {row.content for row in rows if row.type != "goal"} == of
    assert latest == bulletin.inputs_hash(rows, llm.model)


async def test_a_bulletin_is_made_of_what_will_be_known(api: Api, server: FakeOpenAI) -> None:
    """Weightier goals leave room for two more."""
    goals = [
        MemoryDraft(agent="a", type="goal", content=f"Reach peak {n}", importance=1, decay_exempt=True)
        for n in range(bulletin.INPUTS_MAX - 2)
    ]
    await api.put("/v1/settings", {"users": "shared"})
    await remember(api.runtime, ADMIN, goals)
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    await latest_is_by_the_model(api, of={"u1 lives in Oslo."})
    (oslo,) = (await api.get("/v1/memories", type="fact"))["items"]
    for content, more in (("Tea is hot", 0.02), ("Ice is cold", 0.01)):
        await api.save(content, importance=oslo["importance"] + more)
    await say(api, "I live in Oslo.", session="again")
    done = await dream(api.runtime)
    assert "reinforced" in {change["op"] for change in done["changes"]}
    await latest_is_by_the_model(api, of={"u1 lives in Oslo.", "Tea is hot"})
    await say(api, "I have moved to Bergen.", session="later")
    done = await dream(api.runtime)
    assert {"superseded", "created"} <= {change["op"] for change in done["changes"]}
    assert await contents(api, type="fact") == {"u1 lives in Bergen.", "Tea is hot", "Ice is cold"}
    await latest_is_by_the_model(api, of={"Tea is hot", "Ice is cold"})
    await api.delete(f"/v1/memories/{(await api.search('tea'))[0]['id']}")
    await say(api, "I have moved to Voss.", session="latest")
    await dream(api.runtime)
    await latest_is_by_the_model(api, of={"Ice is cold", "u1 lives in Voss."})


async def test_a_dream_writes_each_memory_once(api: Api, server: FakeOpenAI, database_url: str) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    connection = await asyncpg.connect(database_url)
    (place,) = [row["ctid"] for row in await connection.fetch("SELECT ctid FROM memories")]
    await connection.close()
    assert place == (0, 1), "an earlier version of the row was written, and rolled back"
