"""What an agent does with its tools: save with links and scope, mark a todo as done, clear, and forget a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_types import ElicitResult

from tests.live_api import Tenant
from tests.mcp_client import over_http, told


@asynccontextmanager
async def prime(tenant: Tenant) -> AsyncIterator[Client]:
    """The tools of the workspace's agent Prime, in the team core."""
    await tenant.put("/v1/agents/prime", {"teams": ["core"]})
    key = await tenant.as_role("agent", "prime")
    async with over_http(tenant, key.key) as client:
        yield client


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Why a call is refused."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content)


async def test_save_takes_what_the_api_takes(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        other = await told(client, "memory_save", content="Decided: ship v0.4 with Telegram only.", type="decision")
        fields = {
            "user": "ramesh", "scope": "team", "team": "core", "session": "q3", "metadata": {"quarter": "Q3"},
            "tags": ["numbers"], "importance": 0.9, "key": "ramesh-q3", "expires_at": "2999-05-01T00:00:00Z",
        }  # fmt: skip
        links = [
            {"relation": "about", "entity": {"name": "Ramesh", "kind": "person"}},
            {"relation": "supports", "memory_id": other["id"]},
        ]
        content = "Ping Ramesh about the Q3 numbers."
        saved = await told(client, "memory_save", content=content, type="todo", links=links, **fields)
        memory = await tenant.get(f"/v1/memories/{saved['id']}")
        assert {name: memory[name] for name in fields} == fields
        graph = await tenant.get("/v1/entities/Ramesh/graph", agent="prime")
        assert {one["id"] for one in graph["memories"]} >= {saved["id"]}
        again = await told(client, "memory_save", content="Ping Ramesh about Q4.", type="todo", **fields)
        assert again == {"id": saved["id"], "outcome": "updated"}


async def test_nothing_that_is_left_out_is_sent(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        left = {"scope": None, "tags": [], "links": [], "metadata": {}, "importance": 0}
        saved = await told(client, "memory_save", content="The kettle is on the third floor", **left)
        memory = await tenant.get(f"/v1/memories/{saved['id']}")
        assert (memory["user"], memory["scope"], memory["importance"]) == (None, "agent", 0)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"scope": "team"}, "team"),
        ({"scope": "team", "team": "sales"}, "team"),
        ({"links": [{"relation": "about"}]}, "memory_id"),
        ({"links": [{"relation": "likes", "entity": {"name": "Ramesh"}}]}, "relation"),
        ({"expires_at": "soon"}, "expires_at"),
    ],
)
async def test_a_save_that_is_wrong_says_what_is(tenant: Tenant, wrong: dict[str, Any], named: str) -> None:
    async with prime(tenant) as client:
        assert named in await refusal(client, "memory_save", content="Ping Ramesh about the Q3 numbers.", **wrong)
        assert (await tenant.get("/v1/memories"))["items"] == []


async def test_a_todo_lives_until_it_is_marked_done(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        saved = await told(client, "memory_save", content="Ping Ramesh about the Q3 numbers.", type="todo")
        (found,) = (await told(client, "memory_search", types=["todo"]))["memories"]
        assert (found["id"], found["status"]) == (saved["id"], "open")
        done = await told(client, "memory_update", memory_id=saved["id"], status="done", reason="I pinged Ramesh")
        assert done["status"] == "done"
        assert done["content"] == found["content"]
        history = (await tenant.get(f"/v1/memories/{saved['id']}/history"))["items"]
        assert [(one["status"], one["reason"]) for one in history][-1] == ("done", "I pinged Ramesh")
        fact = await told(client, "memory_save", content="Ramesh does the numbers")
        assert "status belongs to a todo" in await refusal(client, "memory_update", memory_id=fact["id"], status="done")


async def test_a_todo_is_marked_done_by_the_api(tenant: Tenant) -> None:
    todo = await tenant.save("Ping Ramesh about the Q3 numbers.", type="todo")
    assert todo["status"] == "open"
    done = await tenant.patch(f"/v1/memories/{todo['id']}", {"version": todo["version"], "status": "done"})
    assert done["status"] == "done"


async def test_an_update_touches_only_what_is_the_agent_s(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        mine = await told(client, "memory_save", content="The budget is 50000", tags=["money"], user="priya")
        fields = {"memory_id": mine["id"], "content": "The budget is 60000"}
        for user in ({}, {"user": "ramesh"}):
            assert "404" in await refusal(client, "memory_update", **fields, **user)
        changed = await told(client, "memory_update", **fields, user="priya")
        assert (changed["content"], changed["tags"], changed["user"]) == ("The budget is 60000", ["money"], "priya")
        theirs = await tenant.save("The budget is 10", agent="other")
        assert "404" in await refusal(client, "memory_update", memory_id=theirs["id"], content="The budget is 0")


async def test_search_without_a_query_is_the_newest_within_max_tokens(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        for number in range(4):
            await told(client, "memory_save", content=f"Valve number {number} has been replaced by the night shift")
        newest = await told(client, "memory_search", query="")
        assert [memory["content"].split()[2] for memory in newest["memories"]] == ["3", "2", "1", "0"]
        one = newest["tokens"] // 4
        some = await told(client, "memory_search", max_tokens=2 * one)
        assert [memory["content"].split()[2] for memory in some["memories"]] == ["3", "2"]
        assert some["tokens"] <= 2 * one
        none = await told(client, "memory_search", query="valve", max_tokens=0)
        assert none["memories"] == []


async def clear_and_agree(client: Client, **arguments: Any) -> int:
    """Clear, agreeing to what is asked."""
    first = await told(client, "memory_clear", **arguments)
    assert first["deleted"] == 0
    done = await told(client, "memory_clear", **arguments, confirmation=first["confirmation"])
    return int(done["deleted"])


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ({"type": "fact"}, {"old taste"}),
        ({"older_than": 30}, {"new fact"}),
        ({"type": "fact", "older_than": 30}, {"new fact", "old taste"}),
        ({"older_than": 0}, set()),
    ],
)
async def test_clear_takes_either_argument(tenant: Tenant, arguments: dict[str, Any], left: set[str]) -> None:
    async with prime(tenant) as client:
        old = {"agent": "prime", "created_at": "2020-01-01T00:00:00Z"}
        await tenant.save("old fact", **old)
        await tenant.save("old taste", type="preference", **old)
        await tenant.save("new fact", agent="prime")
        await tenant.save("another agent's", agent="other", created_at="2020-01-01T00:00:00Z")
        assert await clear_and_agree(client, **arguments) == 3 - len(left)
        kept = {memory["content"] for memory in (await tenant.get("/v1/memories"))["items"]}
        assert kept == left | {"another agent's"}


async def test_clear_needs_one_of_its_arguments(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        await tenant.save("kept", agent="prime")
        assert "type, older_than, or both" in await refusal(client, "memory_clear")
        assert len((await tenant.get("/v1/memories"))["items"]) == 1


async def test_a_person_is_forgotten_once_the_user_has_agreed(tenant: Tenant) -> None:
    async with prime(tenant) as client:
        await tenant.save(
            "Priya prefers bullet points over paragraphs.", agent="prime", type="preference", user="priya"
        )
        await tenant.post(
            "/v1/sessions/monday/messages",
            {"agent": "prime", "user": "priya", "messages": [{"role": "user", "content": "I usually commit first."}]},
        )
        await tenant.save("Ramesh does the numbers", agent="prime", user="ramesh")
        assert "403" in await refusal(client, "user_purge", user="priya")
        async with over_http(tenant, tenant.key) as admin:
            first = await told(admin, "user_purge", user="priya")
            assert first["ask_the_user"].startswith("Forget priya for good (1 memories, 1 messages, ")
            wrong = await told(admin, "user_purge", user="priya", confirmation="guessed")
            assert wrong["deleted"] == 0
            await tenant.save("Priya commits before pushing", agent="prime", user="priya")
            stale = await told(admin, "user_purge", user="priya", confirmation=first["confirmation"])
            assert stale["would_delete"] == first["would_delete"] + 1
            assert len((await tenant.get("/v1/memories", user="priya"))["items"]) == 2
            done = await told(admin, "user_purge", user="priya", confirmation=stale["confirmation"])
        assert done["purged"] == "priya"
        assert done["receipt"]["counts"]["memories"] == 2
        assert [memory["user"] for memory in (await tenant.get("/v1/memories"))["items"]] == ["ramesh"]


async def test_the_user_is_asked_where_the_client_can(tenant: Tenant) -> None:
    await tenant.save("Priya prefers bullet points over paragraphs.", agent="prime", user="priya")
    answers = iter([ElicitResult(action="decline"), ElicitResult(action="accept", content={"delete": True})])
    asked: list[str] = []

    async def ask(_: Any, parameters: Any) -> ElicitResult:
        asked.append(parameters.message)
        return next(answers)

    async with over_http(tenant, tenant.key, elicitation_callback=ask) as admin:
        assert await told(admin, "user_purge", user="priya") == {"deleted": 0, "declined": True}
        assert len((await tenant.get("/v1/memories"))["items"]) == 1
        assert (await told(admin, "user_purge", user="priya"))["purged"] == "priya"
    assert (await tenant.get("/v1/memories"))["items"] == []
    assert len(asked) == 2
