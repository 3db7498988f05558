"""Deletions while others write to what is to go, and hold all connections that are left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest

from service.settings import Settings
from tests.databases import wait_for_lock_waiter
from tests.live_api import Api, Json, serving
from tests.tuning import tuned
from tests.worker.dreaming import dream, say

Call = tuple[str, str, Json | None]

CONNECTIONS = 3
WRITES: tuple[Call, ...] = (
    ("POST", "/v1/documents", {"agent": "a", "title": "Letter", "text": "The roof leaks."}),
    ("POST", "/v1/sessions", {"agent": "a", "session": "new"}),
    ("PUT", "/v1/agents/a", {"teams": ["other"]}),
    ("POST", "/v1/agents/a/dream", None),
    ("POST", "/v1/agents/a/bulletin", None),
    ("PUT", "/v1/tasks/t", {"members": ["a"]}),
)
"""What would refer to an agent."""


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[Api]:
    async with serving(tuned(settings, pool_size=CONNECTIONS)) as opened:
        yield opened


async def test_a_deletion_needs_no_second_connection(api: Api, database_url: str) -> None:
    await say(api, "Hello")
    counted = (await api.call("DELETE", "/v1/sessions/s", params={"agent": "a", "dry_run": True})).json()
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    try:
        await holder.execute("BEGIN")
        async with asyncio.TaskGroup() as group:
            await holder.execute("SELECT FROM sessions FOR UPDATE")
            params = {"agent": "a", "token": counted["token"]}
            deleting = group.create_task(api.call("DELETE", "/v1/sessions/s", params=params))
            await wait_for_lock_waiter(watcher)
            turns = [group.create_task(say(api, f"And {n}")) for n in range(CONNECTIONS - 1)]
            await wait_for_lock_waiter(watcher, CONNECTIONS)
            await holder.execute("ROLLBACK")
    finally:
        await holder.close()
        await watcher.close()
    assert deleting.result().status_code == 200, deleting.result().text
    assert [len(turn.result()) for turn in turns] == [1] * len(turns)
    kept = await api.get("/v1/sessions/s/messages", agent="a")
    assert {one["content"] for one in kept["items"]} == {f"And {n}" for n in range(CONNECTIONS - 1)}


async def test_what_refers_to_an_agent_that_goes_is_not_written(api: Api, database_url: str) -> None:
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    answers = []
    try:
        for method, path, body in WRITES:
            await say(api, "Hello")
            counted = (await api.call("DELETE", "/v1/agents/a", params={"dry_run": True})).json()
            await holder.execute("BEGIN")
            async with asyncio.TaskGroup() as group:
                await holder.execute("SELECT FROM agents FOR UPDATE")
                group.create_task(api.call("DELETE", "/v1/agents/a", params={"token": counted["token"]}))
                await wait_for_lock_waiter(watcher)
                writing = group.create_task(api.call(method, path, json=body))
                await wait_for_lock_waiter(watcher, 2)
                await holder.execute("ROLLBACK")
            answers.append((path, writing.result().status_code, writing.result().json().get("detail")))
    finally:
        await holder.close()
        await watcher.close()
    assert answers == [(path, 409, "What this belongs to is being deleted; try again.") for _, path, _ in WRITES]
    assert (await api.get("/v1/agents"))["items"] == []


async def _page(api: Api) -> Call:
    await api.save("The roof leaks", agent="a")
    return "POST", "/v1/pages", {"agent": "a", "question": "What of the roof?", "scope": {}}


async def _existing_page(api: Api) -> Call:
    _, path, body = await _page(api)
    page = await api.post(path, body)
    return "DELETE", f"{path}/{page['id']}", None


async def _search(api: Api) -> Call:
    memory = await api.save("The roof leaks", agent="a")
    body = {"agent": "a", "name": "n", "query": "roof", "expected": [memory["id"]]}
    search = await api.post("/v1/searches", body)
    await api.post(f"/v1/searches/{search['id']}/run", {})
    return "DELETE", f"/v1/searches/{search['id']}", None


async def _dream(api: Api) -> Call:
    await say(api, "I live in Bergen", agent="a", user="ana")
    done = await dream(api.runtime, "a")
    return "POST", f"/v1/dreams/{done['id']}/undo", None


CHANGES: dict[str, Callable[[Api], Awaitable[Call]]] = {
    "add a page": _page, "remove a page": _existing_page, "remove a search": _search, "undo a dream": _dream,
}  # fmt: skip


async def test_what_an_agent_that_goes_has_can_be_changed_at_the_same_time(api: Api, database_url: str) -> None:
    """The deletion has taken the agent, and waits for one of its memories, when each of these begins."""
    answers = {}
    holder, watcher = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    try:
        for what, prepared in CHANGES.items():
            method, path, body = await prepared(api)
            counted = (await api.call("DELETE", "/v1/agents/a", params={"dry_run": True})).json()
            await holder.execute("BEGIN")
            async with asyncio.TaskGroup() as group:
                await holder.execute("SELECT FROM memories FOR SHARE")
                params = {"token": counted["token"]}
                deleting = group.create_task(api.call("DELETE", "/v1/agents/a", params=params))
                await wait_for_lock_waiter(watcher)
                changing = group.create_task(api.call(method, path, json=body))
                await wait_for_lock_waiter(watcher, 2)
                await holder.execute("ROLLBACK")
            answers[what] = (deleting.result().status_code, changing.result().status_code)
    finally:
        await holder.close()
        await watcher.close()
    assert answers == {what: (200, 409 if what == "add a page" else 404) for what in answers}
