"""The MCP tools, called by the SDK's own client over HTTP and over stdio."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from service.embedding.tokens import count_tokens
from tests.live_api import ADMIN_KEY, Api, SharedServer, Tenant
from tests.mcp_client import OVER_STDIO, Connect, over_http, over_stdio, told
from tests.pg_dump import dump

READING = {
    "memory_search", "memory_context", "memory_ask", "entity_graph", "user_profile", "page_list", "page_read",
    "inbox_list", "search", "fetch",
}  # fmt: skip
WRITING = {"memory_save", "memory_update", "memory_restore", "page_create", "inbox_decide", "dream"}
REMOVING = {"memory_forget", "memory_clear", "user_purge"}
TOOLS = READING | WRITING | REMOVING
USUAL = {
    "memory_search", "memory_context", "memory_save", "memory_update", "memory_forget", "memory_clear", "entity_graph",
    "search", "fetch",
}  # fmt: skip
DEFINITION_TOKENS_MAX = 3_000
both = pytest.mark.parametrize("connect", [over_http, OVER_STDIO], ids=["http", "stdio"])


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


@pytest.mark.first_tier
@both
async def test_every_tool_is_listed_described_and_called(static_api: Tenant, connect: Connect) -> None:
    agent = await static_api.as_role("agent", "ada")
    async with connect(static_api, agent.key, tools="all") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for tool in tools.values():
            assert tool.description
            hints = tool.annotations
            assert hints is not None
            assert tool.title
            assert hints.read_only_hint is (tool.name in READING)
            assert hints.destructive_hint is (tool.name in REMOVING)
            assert hints.open_world_hint is False
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"
            fields = tool.input_schema["properties"]
            assert not {"ctx", "agreement"} & set(fields)
            assert tool.input_schema["additionalProperties"] is False
            for name, field in fields.items():
                assert "description" in field or name in ("type", "types"), f"{tool.name}.{name}"
        saved = await told(client, "memory_save", content="Ana prefers green tea", type="preference", user="ana")
        assert saved["outcome"] == "created"
        again = await told(client, "memory_save", content="Ana prefers green tea", type="preference", user="ana")
        assert again == {"id": saved["id"], "outcome": "known already"}
        found = await told(client, "memory_search", query="what does Ana drink?", user="ana")
        assert found["memories"][0]["id"] == saved["id"]
        context = (await client.call_tool("memory_context", {"message": "tea?", "user": "ana"})).content[0]
        assert "green tea" in context.text  # type: ignore[union-attr]
        assert await told(client, "memory_forget", memory_id=saved["id"], user="ana") == {"deleted": saved["id"]}
        assert (await told(client, "memory_search", query="what does Ana drink?", user="ana"))["memories"] == []
        refused = await client.call_tool("memory_forget", {"memory_id": saved["id"], "user": "ana"})
        assert refused.is_error
        assert "404" in refused.content[0].text  # type: ignore[union-attr]
        bad = await client.call_tool("memory_save", {"content": "x", "type": "rumour"})
        assert bad.is_error


@pytest.mark.first_tier
@both
async def test_a_model_is_shown_nine_tools_in_few_tokens(static_api: Tenant, connect: Connect) -> None:
    agent = await static_api.as_role("agent", "ada")
    async with connect(static_api, agent.key) as client:
        listed = (await client.list_tools()).tools
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        unlisted = await client.call_tool("page_list", {})
    assert {tool.name for tool in listed} == USUAL
    assert prompts == {"recall", "remember", "about_user"}, "what review_inbox needs is not listed"
    assert not unlisted.is_error, "a client that knows a tool may call it"
    definitions = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed])
    assert count_tokens(definitions) <= DEFINITION_TOKENS_MAX


async def test_a_connection_names_the_tools_to_list(static_api: Tenant) -> None:
    for chosen, listed in (("all", TOOLS), ("search,fetch", {"search", "fetch"}), ("dream", {"dream"})):
        async with over_http(static_api, static_api.key, path=f"/mcp?tools={chosen}") as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == listed
            for tool in tools:
                assert "$ref" not in json.dumps(tool.input_schema)
                assert "anyOf" not in json.dumps(tool.input_schema)
    async with over_http(static_api, static_api.key, path="/mcp?tools=dream,memory_rename") as client:
        with pytest.raises(MCPError, match="there is no tool 'memory_rename'"):
            await client.list_tools()


async def test_a_search_takes_the_question_in_several_wordings(static_api: Tenant) -> None:
    ada = await static_api.as_role("agent", "ada")
    await static_api.save("The kettle is on the third floor", agent="ada")
    await static_api.save("Ramesh does the numbers", agent="ada")
    async with over_http(static_api, ada.key) as client:
        wordings = {"query": "kettle", "queries": ["Who is the accountant?", "Ramesh numbers"]}
        found = await told(client, "memory_search", **wordings, limit=2)
        assert {one["content"] for one in found["memories"]} == {
            "The kettle is on the third floor", "Ramesh does the numbers"
        }  # fmt: skip
        too_many = await client.call_tool("memory_search", {"query": "x", "queries": ["x"] * 6})
        assert "queries: " in str(too_many.content)


async def test_another_workspace_is_out_of_reach(static_api: Tenant, shared_static_server: SharedServer) -> None:
    link = {"relation": "about", "entity": {"name": "Apollo", "kind": "project"}}
    memory = await static_api.save("The launch of Apollo is in May", agent="ada", user="sam", links=[link])
    async with shared_static_server.tenant() as elsewhere:
        stranger = await elsewhere.as_role("agent", "ada")
    async with over_http(static_api, stranger.key) as client:
        assert (await told(client, "memory_search", query="launch"))["memories"] == []
        context = await client.call_tool("memory_context", {"message": "When is the launch?", "user": "sam"})
        assert "in May" not in str(context.content)  # today may be in May
        for tool, arguments in (("memory_forget", {"memory_id": memory["id"]}), ("entity_graph", {"entity": "Apollo"})):
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error
            assert "404" in refused.content[0].text  # type: ignore[union-attr]
        cleared = await told(client, "memory_clear", type="fact", older_than=0)
        assert cleared == {"deleted": 0}
    assert (await static_api.get(f"/v1/memories/{memory['id']}"))["content"] == memory["content"]


@pytest.mark.first_tier
async def test_the_owner_is_the_key_s(static_api: Tenant) -> None:
    await static_api.save("Ben's secret", agent="ben")
    ada = await static_api.as_role("agent", "ada")
    async with over_http(static_api, ada.key, agent="ben") as client:
        assert (await told(client, "memory_search", query="secret"))["memories"] == []
        saved = await told(client, "memory_save", content="whose am I?")
    assert (await static_api.get(f"/v1/memories/{saved['id']}"))["agent"] == "ada"
    async with over_http(static_api, static_api.key, agent="ben") as client:
        assert len((await told(client, "memory_search", query="secret"))["memories"]) == 1
    async with over_http(static_api, static_api.key) as client:
        nobody = await client.call_tool("memory_search", {"query": "secret"})
        assert nobody.is_error
        assert "agent" in nobody.content[0].text  # type: ignore[union-attr]


async def test_a_key_is_needed(static_api: Tenant) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
        response = await static_api.http.post("/mcp", json=hello, headers=headers)
        assert response.status_code == 401
        assert response.headers["content-type"] == "application/problem+json"


async def test_memory_switched_off_finds_and_keeps_nothing(static_api: Tenant) -> None:
    await static_api.save("Ada likes tea", agent="ada")
    headers = {"Authorization": f"Bearer {static_api.key}", "X-Reverie-Agent": "ada", "X-Reverie-No-Memory": "1"}
    async with httpx2.AsyncClient(headers=headers, timeout=600) as http:
        transport = streamable_http_client(f"{str(static_api.http.base_url).rstrip('/')}/mcp", http_client=http)
        async with Client(transport) as client:
            assert (await told(client, "memory_search", query="tea"))["memories"] == []


async def facts(api: Tenant) -> list[str]:
    """What is left of ada's facts."""
    return [memory["content"] for memory in (await api.get("/v1/memories", agent="ada", type="fact"))["items"]]


async def prepared(api: Tenant) -> Tenant:
    """Two old facts of ada's, one new, a preference, and a fact that another shared with her team."""
    for agent in ("ada", "ben"):
        await api.put(f"/v1/agents/{agent}", {"teams": ["blue"]})
    for content, made in (("old one", "2020-01-01T00:00:00Z"), ("old two", "2021-01-01T00:00:00Z"), ("new", None)):
        await api.save(content, agent="ada", **({"created_at": made} if made else {}))
    await api.save("old taste", agent="ada", type="preference", created_at="2020-01-01T00:00:00Z")
    await api.save("ben's", agent="ben", scope="team", team="blue", created_at="2020-01-01T00:00:00Z")
    return await api.as_role("agent", "ada")


@pytest.mark.parametrize(
    ("connect", "mode"),
    [(over_http, "auto"), (over_stdio, "auto"), (over_stdio, "legacy")],
    ids=["http", "stdio", "stdio-older-protocol"],
)
async def test_clearing_asks_the_user_where_the_client_can(static_api: Tenant, connect: Connect, mode: str) -> None:
    ada = await prepared(static_api)
    asked: list[str] = []
    answers = iter([ElicitResult(action="decline"), ElicitResult(action="accept", content={"delete": False}),
                    ElicitResult(action="accept", content={"delete": True})])  # fmt: skip

    async def ask(_: Any, parameters: Any) -> ElicitResult:
        asked.append(parameters.message)
        return next(answers)

    async with connect(static_api, ada.key, elicitation_callback=ask, mode=mode) as client:
        for _ in range(2):
            assert (await told(client, "memory_clear", type="fact", older_than=30))["deleted"] == 0
            assert sorted(await facts(static_api)) == ["ben's", "new", "old one", "old two"]
        assert (await told(client, "memory_clear", type="fact", older_than=30))["deleted"] == 2
    assert asked == ["Delete 2 memories of the kind fact older than 30 days?"] * 3
    assert sorted(await facts(static_api)) == ["ben's", "new"]


async def test_one_memory_is_asked_about_as_one(static_api: Tenant) -> None:
    ada = await static_api.as_role("agent", "ada")
    await static_api.save("old one", agent="ada", created_at="2020-01-01T00:00:00Z")
    asked: list[str] = []

    async def ask(_: Any, parameters: Any) -> ElicitResult:
        asked.append(parameters.message)
        return ElicitResult(action="decline")

    async with over_http(static_api, ada.key, elicitation_callback=ask) as client:
        await told(client, "memory_clear", older_than=1)
    assert asked == ["Delete 1 memory older than 1 day?"]


@pytest.mark.parametrize(
    ("connect", "mode"),
    [(over_http, "auto"), (over_http, "legacy")],
    ids=["http", "http-older-protocol"],
)
async def test_clearing_gives_a_token_where_the_client_cannot_ask(
    static_api: Tenant, connect: Connect, mode: str
) -> None:
    """A server that keeps no session cannot ask a client of the older protocol over HTTP either."""
    ada = await prepared(static_api)
    async with connect(static_api, ada.key, mode=mode) as client:
        first = await told(client, "memory_clear", type="fact", older_than=30)
        assert (first["deleted"], first["would_delete"]) == (0, 2)
        wrong = await told(client, "memory_clear", type="fact", older_than=30, confirmation="guessed")
        assert wrong["deleted"] == 0
        other = await told(client, "memory_clear", type="fact", older_than=0, confirmation=first["confirmation"])
        assert other["deleted"] == 0
        assert len(await facts(static_api)) == 4
        done = await told(client, "memory_clear", type="fact", older_than=30, confirmation=first["confirmation"])
        assert done == {"deleted": 2}
    assert sorted(await facts(static_api)) == ["ben's", "new"]


async def test_the_graph_of_an_entity(static_api: Tenant) -> None:
    ada = await static_api.as_role("agent", "ada")
    link = {"relation": "about", "entity": {"name": "Apollo", "kind": "project"}}
    await static_api.save("Apollo goes well", agent="ada", links=[link])
    async with over_http(static_api, ada.key) as client:
        graph = await told(client, "entity_graph", entity="Apollo")
    assert graph["entity"]["name"] == "Apollo"
    assert [memory["content"] for memory in graph["memories"]] == ["Apollo goes well"]


async def test_names_are_masked_and_stay_different(own_static_api: Api, database_url: str) -> None:
    await own_static_api.put("/v1/settings", {"pii": {"mode": "redact"}})
    async with over_http(own_static_api, ADMIN_KEY, "agent@secret.example") as client:
        for who in ("bob", "amy"):
            await told(client, "memory_save", content=f"{who} likes tea", user=f"{who}@secret.example", type="fact")
        for who in ("bob", "amy"):
            found = await told(client, "memory_search", query="tea", user=f"{who}@secret.example")
            assert [memory["content"] for memory in found["memories"]] == [f"{who} likes tea"]
    assert "@secret.example" not in dump(database_url)
