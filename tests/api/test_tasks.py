"""Tasks with declared members: who may read and write them, by every way in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Caller, SharedServer, Tenant, serving
from tests.transfer.exports import exported, ndjson, records

WORDS = "the kettle of the launch"
MEMBERS = ["a", "b"]
OUTSIDER = "c"


async def contents(api: Caller, agent: str, **asked: Any) -> list[str]:
    """What a search of the task finds."""
    return [memory["content"] for memory in await api.search(WORDS, agent=agent, **({"task": "t"} | asked))]


@pytest.fixture
async def shared_task(static_tenant: Tenant) -> Tenant:
    """A workspace with a memory in a task whose members are ``a`` and ``b``."""
    for agent in (*MEMBERS, OUTSIDER):
        await static_tenant.put(f"/v1/agents/{agent}", {})
    await static_tenant.put("/v1/tasks/t", {"members": MEMBERS})
    await static_tenant.save(WORDS, agent="a", scope="task", task="t")
    return static_tenant


@pytest.fixture
async def elsewhere(shared_static_server: SharedServer) -> AsyncIterator[Tenant]:
    """Another workspace of the same database."""
    async with shared_static_server.tenant() as opened:
        yield opened


@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "semantic", "recent"])
async def test_members_alone_find_what_is_in_a_task(shared_task: Tenant, strategy: str) -> None:
    for agent in MEMBERS:
        assert await contents(shared_task, agent, strategy=strategy) == [WORDS]
        assert await contents(await shared_task.as_role("agent", agent), agent, strategy=strategy) == [WORDS]
    for _ in range(2):  # the second time its reader is cached
        assert await contents(shared_task, OUTSIDER, strategy=strategy) == []
        assert await contents(await shared_task.as_role("agent", OUTSIDER), OUTSIDER, strategy=strategy) == []
        assert await contents(await shared_task.as_role("reader"), OUTSIDER, strategy=strategy) == []


async def test_an_outsiders_own_memories_are_found_as_in_a_task_nobody_has_heard_of(shared_task: Tenant) -> None:
    await shared_task.save("the kettle of an outsider", agent=OUTSIDER)
    body = {"agent": OUTSIDER, "query": WORDS}
    barred = await shared_task.post("/v1/memories/search", body | {"task": "t"})
    unheard_of = await shared_task.post("/v1/memories/search", body | {"task": "unheard of"})
    assert barred == unheard_of
    context = {"agent": OUTSIDER, "message": WORDS}
    told = [await shared_task.post("/v1/context", context | {"task": task}) for task in ("t", "unheard of")]
    assert told[0] == told[1]
    assert "the kettle of an outsider" in str(told[0])


async def test_a_context_has_it_for_members_alone(shared_task: Tenant) -> None:
    for agent in (*MEMBERS, OUTSIDER):
        told = await shared_task.post("/v1/context", {"agent": agent, "message": WORDS, "task": "t"})
        assert (WORDS in str(told["sections"])) is (agent in MEMBERS)
        asked = await shared_task.post("/v1/ask", {"agent": agent, "question": WORDS, "task": "t"})
        assert (WORDS in str(asked)) is (agent in MEMBERS)
        preview = {"agent": agent, "query": WORDS, "task": "t"}
        seen = await shared_task.post("/v1/memories/search/preview", preview)
        assert (WORDS in str(seen)) is (agent in MEMBERS)


async def test_the_proxy_tells_members_alone(settings: Settings) -> None:
    with FakeOpenAI() as model:
        model.default_reply = lambda body: json.dumps(body["messages"])
        on = settings.model_copy(update={"llm_api_base": model.base_url, "embedding_model": "static"})
        async with serving(on) as api:
            await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["m"]}})
            await api.put("/v1/tasks/t", {"members": MEMBERS})
            await api.save(WORDS, agent="a", scope="task", task="t")
            for agent in (*MEMBERS, OUTSIDER):
                headers = {"X-Reverie-Agent": agent, "X-Reverie-Task": "t"}
                body = {"model": "m", "messages": [{"role": "user", "content": "Which kettle?"}]}
                answer = await api.post("/v1/chat/completions", body, headers=headers)
                assert (WORDS in answer["choices"][0]["message"]["content"]) is (agent in MEMBERS)


async def test_nothing_else_shows_it_to_an_outsider(shared_task: Tenant) -> None:
    link = {"relation": "about", "entity": {"name": "Zephyr", "kind": "project"}}
    saved = await shared_task.save("Zephyr boils", agent="a", scope="task", task="t", links=[link])
    outsider = await shared_task.as_role("agent", OUTSIDER)
    for path in ("", "/history", "/sources"):
        assert await outsider.status("GET", f"/v1/memories/{saved['id']}{path}") == 404
    assert (await outsider.get("/v1/memories"))["items"] == []
    assert (await outsider.get("/v1/entities"))["items"] == []
    assert await outsider.status("GET", "/v1/entities/Zephyr/graph") == 404
    assert (await outsider.get("/v1/memories/stats"))["memories"] == 0
    export = json.dumps(await exported(outsider))
    assert "Zephyr" not in export
    assert WORDS not in export


WRITES = {
    "one": ("POST", "/v1/memories", {"type": "fact", "content": "x", "scope": "task", "task": "t"}, ["body", "task"]),
    "named beside its scope": ("POST", "/v1/memories", {"type": "fact", "content": "x", "task": "t"}, ["body", "task"]),
    "several": (
        "POST", "/v1/memories/batch",
        {"items": [{"type": "fact", "content": "y"}, {"type": "fact", "content": "x", "scope": "task", "task": "t"}]},
        ["body", "items", 1, "task"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("key", ["agent", "admin"])
@pytest.mark.parametrize("write", WRITES)
async def test_an_outsider_cannot_write_into_a_task(shared_task: Tenant, write: str, key: str) -> None:
    writer = shared_task if key == "admin" else await shared_task.as_role("agent", OUTSIDER)
    method, path, body, loc = WRITES[write]
    text = json.dumps(body).replace('"type"', f'"agent": "{OUTSIDER}", "type"')
    for _ in range(2):
        answer = await writer.call(method, path, json=json.loads(text))
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["loc"] == loc
    assert (await shared_task.get("/v1/memories", agent=OUTSIDER))["items"] == []


async def test_an_outsider_cannot_move_a_memory_into_a_task(shared_task: Tenant) -> None:
    memory = await shared_task.save("Mine", agent=OUTSIDER)
    outsider = await shared_task.as_role("agent", OUTSIDER)
    patch = {"version": 1, "scope": "task", "task": "t"}
    for caller in (outsider, shared_task):
        answer = await caller.call("PATCH", f"/v1/memories/{memory['id']}", json=patch)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"] == ["body", "task"]
    assert await contents(shared_task, "a") == [WORDS]


async def test_members_write_into_a_task(shared_task: Tenant) -> None:
    member = await shared_task.as_role("agent", "b")
    for content in ("the kettle whistles", "the kettle is hot"):
        body = {"type": "fact", "content": content, "scope": "task", "task": "t"}
        assert await member.status("POST", "/v1/memories", json=body) == 201
    assert set(await contents(shared_task, "a")) == {WORDS, "the kettle whistles", "the kettle is hot"}


async def test_a_task_without_members_is_open_to_whoever_names_it(static_tenant: Tenant) -> None:
    await static_tenant.save(WORDS, agent="a", scope="task", task="t")
    stranger = await static_tenant.as_role("agent", OUTSIDER)
    await stranger.post("/v1/memories", {"type": "fact", "content": "mine", "scope": "task", "task": "t"})
    assert WORDS in await contents(stranger, OUTSIDER)
    assert (await static_tenant.get("/v1/tasks"))["items"] == [{"task": "t", "members": None}]


async def test_who_joins_or_leaves_a_task_sees_it_at_once_in_every_process(settings: Settings) -> None:
    static = settings.model_copy(update={"embedding_model": "static"})
    async with AsyncExitStack() as stack:
        one, other = [await stack.enter_async_context(serving(static)) for _ in range(2)]
        await one.save(WORDS, agent="a", scope="task", task="t")
        for agent in ("a", OUTSIDER):
            await one.put(f"/v1/agents/{agent}", {})
        outsider = await one.as_role("agent", OUTSIDER)
        body = {"type": "fact", "scope": "task", "task": "t"}
        for turn, members in enumerate([None, ["a"], ["a", OUTSIDER], [], [OUTSIDER], ["b"], None]):
            may = members is None or OUTSIDER in members
            await one.put("/v1/tasks/t", {"members": members})
            for api in (one, other, one, other):
                assert (WORDS in await contents(api, OUTSIDER)) is may
                assert (WORDS in await contents(api, "a")) is (members is None or "a" in members)
            for n, api in enumerate((one, other)):
                said = body | {"content": f"Turn {turn} of {n}"}
                assert await replace(api, key=outsider.key).status("POST", "/v1/memories", json=said) == (
                    201 if may else 422
                )


async def test_searches_that_come_together_keep_readers_of_a_task_apart(shared_task: Tenant) -> None:
    async def several() -> list[list[str]]:
        return await asyncio.gather(*(contents(shared_task, agent) for agent in ("a", OUTSIDER, "b") * 8))

    for _ in range(3):
        found = await several()
        assert found == [[WORDS], [], [WORDS]] * 8
    await shared_task.put("/v1/tasks/t", {"members": [OUTSIDER]})
    assert await several() == [[], [WORDS], []] * 8


@pytest.mark.parametrize("role", ["agent", "reader"])
async def test_only_an_admin_declares_members(shared_task: Tenant, role: str) -> None:
    caller = await shared_task.as_role(role, "a" if role == "agent" else None)
    for members in ([OUTSIDER], None):
        assert await caller.status("PUT", "/v1/tasks/t", json={"members": members}) == 403
    assert (await shared_task.get("/v1/tasks/t"))["members"] == MEMBERS


async def test_tasks_are_told_to_whom_they_concern(shared_task: Tenant) -> None:
    await shared_task.save("x", agent="a", scope="task", task="open")
    await shared_task.put("/v1/tasks/alone", {"members": []})
    everything = [
        {"task": "alone", "members": []},
        {"task": "open", "members": None},
        {"task": "t", "members": MEMBERS},
    ]
    member, outsider = [await shared_task.as_role("agent", agent) for agent in ("a", OUTSIDER)]
    assert (await shared_task.get("/v1/tasks"))["items"] == everything
    assert (await (await shared_task.as_role("reader")).get("/v1/tasks"))["items"] == everything
    assert (await member.get("/v1/tasks"))["items"] == [everything[2]]
    assert (await outsider.get("/v1/tasks"))["items"] == []
    assert (await member.get("/v1/tasks/t")) == everything[2]
    for task in ("t", "open", "unheard of"):
        answer = await outsider.call("GET", f"/v1/tasks/{task}")
        assert (answer.status_code, answer.json()["detail"]) == (404, f"There is no task {task!r} here.")
    pages, cursor = [], None
    while True:
        page = await shared_task.get("/v1/tasks", limit=1, **({"cursor": cursor} if cursor else {}))
        pages += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == everything


async def test_a_declaration_is_repeatable_and_audited(shared_task: Tenant) -> None:
    for _ in range(2):
        assert await shared_task.put("/v1/tasks/t", {"members": ["b", "a", "b"]}) == {"task": "t", "members": MEMBERS}
    lines = (await shared_task.get("/v1/audit", action="task.changed"))["items"]
    assert [(line["target"], line["details"]) for line in lines] == [("t", {"members": MEMBERS})] * 3
    for body in ({}, {"members": "a"}, {"members": [""]}, {"members": ["a\x00"]}, {"members": ["n" * 201]}):
        assert await shared_task.status("PUT", "/v1/tasks/t", json=body) == 422
    assert await shared_task.put("/v1/tasks/a%2Fb", {"members": ["new"]}) == {"task": "a/b", "members": ["new"]}
    assert (await shared_task.get("/v1/agents/new"))["agent"] == "new"


async def test_a_task_of_the_same_name_in_another_workspace_is_another(shared_task: Tenant, elsewhere: Tenant) -> None:
    assert await elsewhere.status("GET", "/v1/tasks/t") == 404
    await elsewhere.put("/v1/tasks/t", {"members": [OUTSIDER]})
    assert await contents(elsewhere, OUTSIDER) == []
    assert await contents(shared_task, "a") == [WORDS]
    assert await contents(shared_task, OUTSIDER) == []


async def test_an_import_keeps_a_task_closed(shared_task: Tenant, elsewhere: Tenant) -> None:
    await shared_task.put("/v1/tasks/t", {"members": ["b"]})  # whose author has left
    lines = await exported(shared_task)
    assert records(lines, "task") == [{"record": "task", "task": "t", "members": ["b"]}]
    for made in (True, False):
        done = await elsewhere.post("/v1/import", content=ndjson(lines))
        assert done["records"]["task"]["created" if made else "unchanged"] == 1
    assert await contents(elsewhere, "b") == [WORDS]
    assert await contents(elsewhere, "a") == []
    assert await contents(elsewhere, OUTSIDER) == []
    await elsewhere.put("/v1/tasks/t", {"members": None})
    assert (await elsewhere.post("/v1/import", content=ndjson(lines)))["records"]["task"]["updated"] == 1
    assert await contents(elsewhere, OUTSIDER) == []


async def test_an_agents_own_export_names_its_tasks_without_the_other_members(shared_task: Tenant) -> None:
    await shared_task.put("/v1/tasks/other", {"members": ["b"]})
    own = await exported(await shared_task.as_role("agent", "a"))
    assert records(own, "task") == [{"record": "task", "task": "t", "members": ["a"]}]
    await shared_task.put("/v1/tasks/t", {"members": ["b"]})
    left = await exported(shared_task, agent="a")
    assert records(left, "task") == [{"record": "task", "task": "t", "members": []}]
    assert records(await exported(shared_task, agent=OUTSIDER), "task") == []
    resumed = await exported(shared_task, resume_from="task:other")
    assert [line["task"] for line in records(resumed, "task")] == ["other", "t"]


async def test_an_admin_may_still_change_what_an_agent_left_behind(shared_task: Tenant) -> None:
    memory = (await shared_task.get("/v1/memories", agent="a"))["items"][0]
    author = await shared_task.as_role("agent", "a")
    await shared_task.put("/v1/tasks/t", {"members": ["b"]})
    path = f"/v1/memories/{memory['id']}"
    assert await author.status("PATCH", path, json={"version": 1, "content": "Not any more"}) == 422
    assert (await shared_task.patch(path, {"version": 1, "content": "the kettle is cold"}))["version"] == 2
    assert await contents(shared_task, "b") == ["the kettle is cold"]
    assert (await author.get(path))["content"] == "the kettle is cold"
    await author.delete(path)
