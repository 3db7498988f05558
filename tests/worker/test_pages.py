"""Pages are written after dreams that may concern them and by their crontabs, once; undone with the dream; purged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.memory.pages import write_due
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Json
from tests.pg_dump import dump
from tests.worker.dreaming import asked_for, dream, model, note_everything, say
from worker.maintenance.upkeep import write_pages


async def make(api: Api, question: str, **fields: Any) -> Json:
    return await api.post("/v1/pages", {"agent": "a", "question": question} | fields)


async def read(api: Api, page: Json) -> Json:
    return await api.get(f"/v1/pages/{page['id']}")


def texts(page: Json) -> list[str]:
    return [sentence["text"] for sentence in page["sentences"]]


async def test_a_dream_writes_the_pages_it_may_concern(api: Api) -> None:
    where = await make(api, "Where does u1 live?", scope={"user": "u1"})
    goals = await make(api, "Where does u1 live?", scope={"user": "u1", "types": ["goal"]})
    asked = await make(api, "Where does u1 live?", scope={"user": "u1"}, trigger="manual")
    await say(api, "I live in Oslo.")
    done = await dream(api.runtime)
    page = await read(api, where)
    assert (page["version"], page["dream_id"], page["due_at"], page["stale"]) == (2, str(done["id"]), None, False)
    assert any("Oslo" in text for text in texts(page))
    assert [(await read(api, one))["version"] for one in (goals, asked)] == [1, 1]
    await say(api, "I like tea.")
    await dream(api.runtime)
    assert (await read(api, where))["version"] in (2, 3)
    await dream(api.runtime)
    assert (await read(api, where))["due_at"] is None


@pytest.mark.first_tier
async def test_a_superseded_fact_is_never_shown_as_current(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    page = await make(api, "Where does u1 live?", scope={"user": "u1"}, trigger="manual")
    assert "Oslo" in str(texts(page))
    await say(api, "I moved to Bergen.")
    await dream(api.runtime)
    stale = await read(api, page)
    assert stale["stale"]
    assert "Oslo" not in str(texts(stale))
    (version,) = (await api.get(f"/v1/pages/{page['id']}/versions"))["items"]
    (was,) = [one for one in version["sentences"] if "Oslo" in one["text"]]
    assert not was["current"]
    assert "Bergen" in (await api.get(f"/v1/memories/{was['superseded_by'][0]}"))["content"]
    fresh = texts(await api.post(f"/v1/pages/{page['id']}"))
    assert "Bergen" in str(fresh)
    assert was["text"] not in fresh


async def test_undo_takes_the_versions_of_a_dream_back(api: Api) -> None:
    await say(api, "I live in Oslo.")
    await dream(api.runtime)
    page = await make(api, "Where does u1 live?", scope={"user": "u1"})
    await say(api, "I moved to Bergen.")
    done = await dream(api.runtime)
    assert (await read(api, page))["version"] == 2
    await api.post(f"/v1/dreams/{done['id']}/undo")
    assert await read(api, page) == page | {"due_at": (await read(api, page))["due_at"]}
    await write_pages(api.runtime)
    assert await read(api, page) == page, "nothing has changed, so nothing is written"


async def test_undo_before_the_page_is_written_leaves_no_version_of_the_dream(api: Api) -> None:
    """The dream has committed, its worker has died, and nobody has written its pages yet."""
    page = await make(api, "Where does u1 live?", scope={"user": "u1"})
    await say(api, "I live in Oslo.")
    with pytest.raises(asyncio.CancelledError):
        await dream(api.runtime, on_step=stop_at("committed"))
    assert (await read(api, page))["version"] == 1
    (done,) = (await api.get("/v1/dreams"))["items"]
    await api.post(f"/v1/dreams/{done['id']}/undo")
    await write_pages(api.runtime)
    assert await read(api, page) == page


def stop_at(step: str) -> Any:
    async def reached(name: str) -> None:
        if name == step:
            raise asyncio.CancelledError

    return reached


async def test_a_crontab_writes_a_page_when_it_fires(own_api: Api) -> None:
    api = own_api
    page = await make(api, "When is tea?", trigger="0 6 * * *")
    await api.save("Tea is at five")
    assert await write_pages(api.runtime) == 0
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=1)
    assert await write_pages(api.runtime) == 1
    written = await read(api, page)
    assert (written["version"], texts(written)) == (2, ["Tea is at five"])
    assert written["due_at"] > page["due_at"]
    assert await write_pages(api.runtime) == 0


@pytest.mark.first_tier
async def test_several_writers_write_a_page_once(own_api: Api) -> None:
    api = own_api
    page = await make(api, "When is tea?", trigger="0 6 * * *")
    await api.save("Tea is at five")
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=1)
    assert sum(await asyncio.gather(*(write_due(api.runtime, DEFAULT_WORKSPACE) for _ in range(5)))) == 1
    assert (await read(api, page))["version"] == 2


async def test_a_page_changed_while_it_is_written_keeps_the_change(own_api: Api) -> None:
    api = own_api
    page = await make(api, "When is tea?", trigger="0 6 * * *")
    await api.save("Tea is at five")
    await api.save("Coffee is at nine")
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=1)

    async def changed(step: str) -> None:
        if step == "page:writing" and (await read(api, page))["question"] == "When is tea?":
            await api.put(f"/v1/pages/{page['id']}", {"question": "When is coffee?", "trigger": "manual"})

    await write_due(api.runtime, DEFAULT_WORKSPACE, on_step=changed)
    assert texts(await read(api, page)) == ["Coffee is at nine"]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = cite_everything
        yield opened


def cite_everything(body: Json) -> str:
    """A page in the words of its first memory, and else what notes everything."""
    if asked_for(body) != "WrittenPage":
        return note_everything(body)
    first = body["messages"][-1]["content"].split("1. ", 1)[1].splitlines()[0]
    return json.dumps({"sentences": [{"text": f"It is said: {first}", "memories": [1]}]})


MARK = "zqxvkwjqzx"


async def test_a_purge_while_a_model_writes_leaves_nothing(own_api: Api, server: FakeOpenAI, database_url: str) -> None:
    api = own_api
    api.runtime.llm = model(server)
    page = await make(api, "When is tea?", trigger="0 6 * * *")
    await api.save(f"Tea is at five, {MARK}", user=f"u-{MARK}", owners=[])
    await api.save("Tea is green", user="u2", owners=[])
    now = api.runtime.now()
    api.runtime.now = lambda: now + timedelta(days=1)

    async def purged(step: str) -> None:
        if step == "page:writing" and MARK in dump(database_url):
            await api.post(f"/v1/users/u-{MARK}/purge")

    await write_due(api.runtime, DEFAULT_WORKSPACE, on_step=purged)
    assert MARK not in dump(database_url)
    assert "green" in str(texts(await read(api, page)))


async def test_a_purge_erases_sentences_of_every_version(api: Api, database_url: str) -> None:
    theirs = await api.save(f"Tea is at five, {MARK} says", user=f"u-{MARK}", owners=[])
    await api.save("Tea is green", user="u2", owners=[])
    page = await make(api, "What of tea?")
    await make(api, "What of tea?", scope={"user": f"u-{MARK}"})
    await make(api, f"What of u-{MARK}?")
    await api.patch(f"/v1/memories/{theirs['id']}", {"version": 1, "content": f"Tea is at six, {MARK} says"})
    await api.post(f"/v1/pages/{page['id']}")
    told = await api.get(f"/v1/users/u-{MARK}/export")
    assert {one["version"] for one in told["pages"] if one["page_id"] == page["id"]} == {1, 2}
    receipt = (await api.post(f"/v1/users/u-{MARK}/purge"))["receipt"]["counts"]
    assert (receipt["pages"], receipt["page_versions"]) == (2, 2)
    assert MARK not in dump(database_url)
    assert texts(await read(api, page)) == ["Tea is green"]
    versions = (await api.get(f"/v1/pages/{page['id']}/versions"))["items"]
    assert [[one["text"] for one in version["sentences"]] for version in versions] == [["Tea is green"]] * 2
