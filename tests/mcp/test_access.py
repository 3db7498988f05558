"""Every tool with a reader's key, another agent's and another workspace's: what is not theirs stays out of reach."""

from __future__ import annotations

from typing import Any

import pytest

from service.mcp.tools import READS, TABLE
from tests.live_api import Json, SharedServer, Tenant
from tests.mcp_client import over_http, told

SECRET = "harbour"
TOOLS = {function.__name__: hints for function, (_, hints) in TABLE.items()}


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def prepared(api: Tenant) -> dict[str, Json]:
    """Of ben: something for every tool to reach for. The arguments of each tool that reach for it."""
    link = {"relation": "about", "entity": {"name": "Apollo", "kind": "project"}}
    memory = await api.save(
        f"Sam likes the {SECRET}", agent="ben", user="sam", type="preference", owners=[], links=[link]
    )
    gone = await api.save(f"An old {SECRET}", agent="ben")
    await api.delete(f"/v1/memories/{gone['id']}")
    page = await api.post("/v1/pages", {"agent": "ben", "question": f"Which {SECRET}?"})
    missing = "01890000-0000-7000-8000-00000000dead"
    return {
        "memory_search": {"query": SECRET}, "memory_context": {"message": SECRET, "user": "sam"},
        "memory_ask": {"question": f"What {SECRET} does Sam like?"}, "entity_graph": {"entity": "Apollo"},
        "user_profile": {"user": "sam"}, "memory_save": {"content": "A statement of a stranger"},
        "memory_update": {"memory_id": memory["id"], "content": "changed"},
        "memory_forget": {"memory_id": memory["id"]},
        "memory_restore": {"memory_id": gone["id"]}, "memory_clear": {"older_than": 0}, "user_purge": {"user": "sam"},
        "page_list": {}, "page_read": {"page_id": page["id"]}, "page_create": {"question": "Who?"}, "inbox_list": {},
        "inbox_decide": {"proposal_id": missing, "action": "accept"}, "dream": {"wait_s": 0},
        "search": {"query": SECRET}, "fetch": {"id": memory["id"]},
    }  # fmt: skip


async def held(api: Tenant) -> Any:
    """What is ben's, but for how often it was read, and the dreams there are."""
    memories = (await api.get("/v1/memories", agent="ben", include="deleted"))["items"]
    as_they_are = [(one["id"], one["content"], one["version"], one["deleted_at"]) for one in memories]
    return as_they_are, await api.get("/v1/pages", agent="ben"), await api.get("/v1/dreams")


@pytest.mark.parametrize("who", ["another agent", "another workspace"])
async def test_no_tool_reaches_what_is_not_the_caller_s(
    static_api: Tenant, shared_static_server: SharedServer, who: str
) -> None:
    calls = await prepared(static_api)
    assert set(calls) == set(TOOLS), "every tool is tried"
    before = (await held(static_api))[:2]
    key = (await static_api.as_role("agent", "ada")).key
    if who == "another workspace":
        async with shared_static_server.tenant() as elsewhere:
            key = (await elsewhere.as_role("agent", "ben")).key
    async with over_http(static_api, key, agent="ben") as client:
        for tool, arguments in calls.items():
            answer = await client.call_tool(tool, arguments)
            told_of = str(answer.content).replace(str(arguments), "")
            assert SECRET not in told_of or tool == "memory_context", (tool, answer.content)
            if tool in ("memory_update", "memory_forget", "memory_restore", "page_read", "inbox_decide", "fetch"):
                assert answer.is_error, tool
                assert "404" in told_of
    assert (await held(static_api))[:2] == before


async def test_a_reader_reads_and_changes_nothing(static_api: Tenant) -> None:
    calls = await prepared(static_api)
    before = await held(static_api)
    reader = await static_api.as_role("reader")
    async with over_http(static_api, reader.key, agent="ben") as client:
        for tool, hints in TOOLS.items():
            answer = await client.call_tool(tool, calls[tool])
            if hints == READS:
                assert not answer.is_error, (tool, answer.content)
            else:
                assert answer.is_error or tool == "memory_clear", tool
        first = await told(client, "memory_clear", older_than=0)
        agreed = await client.call_tool("memory_clear", {"older_than": 0, "confirmation": first["confirmation"]})
        assert (agreed.structured_content or {}).get("deleted", 0) == 0
    assert await held(static_api) == before


async def test_the_agent_is_named_in_the_address(static_api: Tenant) -> None:
    await prepared(static_api)
    ada = await static_api.as_role("agent", "ada")
    async with over_http(static_api, static_api.key, path="/mcp?agent=ben") as client:
        assert len((await told(client, "memory_search", query=SECRET))["memories"]) == 1
    async with over_http(static_api, static_api.key, agent="ada", path="/mcp?agent=ben") as client:
        assert (await told(client, "memory_search", query=SECRET))["memories"] == []
    async with over_http(static_api, ada.key, path="/mcp?agent=ben") as client:
        assert (await told(client, "memory_search", query=SECRET))["memories"] == []
    for named, why in (("", "agent"), ("%00", "agent"), ("x" * 201, "agent")):
        async with over_http(static_api, static_api.key, path=f"/mcp?agent={named}") as client:
            refused = await client.call_tool("memory_search", {"query": SECRET})
            assert refused.is_error
            assert why in str(refused.content)


async def test_without_an_agent_an_admin_key_clears_nothing(static_api: Tenant) -> None:
    await prepared(static_api)
    before = await held(static_api)
    async with over_http(static_api, static_api.key) as client:
        refused = await client.call_tool("memory_clear", {"older_than": 0})
        assert refused.is_error
        assert "Name the acting agent" in str(refused.content)
    assert await held(static_api) == before
