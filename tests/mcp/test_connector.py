"""search and fetch, in the shape that ChatGPT's connectors and deep research read."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from mcp import Client

from tests.live_api import Tenant
from tests.mcp_client import over_http
from tests.tables import table


@pytest.fixture
def static_api(static_tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share, with the static embedder."""
    return static_tenant


async def answered(client: Client, tool: str, **arguments: str) -> Any:
    """What a tool answers: one text with JSON, and the same as structured content, by the schema of the tool."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (content,) = result.content
    assert content.type == "text"
    assert json.loads(content.text) == result.structured_content
    schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}
    jsonschema.validate(result.structured_content, schemas[tool] or False)
    return result.structured_content


async def test_what_search_finds_is_fetched_in_full(static_api: Tenant) -> None:
    api = await static_api.as_role("agent", "ada")
    long = "The harbour of Bergen is deep. " + "Ships of every flag call at it, in every month of the year. " * 5
    memory = await api.save(long.strip(), agent="ada", user="sam", owners=[], tags=["sea"])
    document = await api.post(
        "/v1/documents", {"agent": "ada", "title": "Harbour rules", "text": "Moor at pier three."}
    )
    async with over_http(static_api, api.key) as client:
        found = (await answered(client, "search", query="harbour of Bergen, pier"))["results"]
        assert all(set(one) == {"id", "title", "url"} for one in found)
        by_id = {one["id"]: one for one in found}
        assert set(by_id) == {f"memory:{memory['id']}", f"document:{document['id']}"}
        assert len(by_id[f"memory:{memory['id']}"]["title"]) <= 80
        assert by_id[f"document:{document['id']}"]["title"] == "Harbour rules"
        for one in found:
            fetched = await answered(client, "fetch", id=one["id"])
            assert set(fetched) == {"id", "title", "text", "url", "metadata"}
            assert {name: fetched[name] for name in ("id", "title", "url")} == one
            assert (await static_api.call("GET", one["url"])).is_success, "an address that is there"
        whole = await answered(client, "fetch", id=memory["id"])
        assert whole["text"] == memory["content"]
        assert whole["metadata"]["user"] == "sam"
        assert (await answered(client, "fetch", id=f"document:{document['id']}"))["text"] == "Moor at pier three."


async def test_each_takes_one_string(static_api: Tenant) -> None:
    api = await static_api.as_role("agent", "ada")
    async with over_http(static_api, api.key) as client:
        schemas = {one.name: one.input_schema for one in (await client.list_tools()).tools}
    for tool, argument in (("search", "query"), ("fetch", "id")):
        assert schemas[tool]["required"] == [argument]
        assert schemas[tool]["properties"][argument]["type"] == "string"
        assert list(schemas[tool]["properties"]) == [argument]


async def test_an_id_that_is_none_is_refused_by_name(static_api: Tenant) -> None:
    with table() as row:
        for id_ in ["", "nonsense", "page:01890000-0000-7000-8000-00000000dead", "memory:../../keys", "x" * 10_000]:
            with row(id_):
                api = await static_api.as_role("agent", "ada")
                async with over_http(static_api, api.key) as client:
                    refused = await client.call_tool("fetch", {"id": id_})
                    assert refused.is_error
                    assert "id: " in str(refused.content)


async def test_personal_data_is_masked_as_elsewhere(static_api: Tenant) -> None:
    await static_api.put("/v1/settings", {"pii": {"mode": "redact"}})
    api = await static_api.as_role("agent", "ada")
    async with over_http(static_api, api.key) as client:
        await client.call_tool("memory_save", {"content": "Write to sam@secret.example about the harbour"})
        (found,) = (await answered(client, "search", query="harbour"))["results"]
        fetched = await answered(client, "fetch", id=found["id"])
        assert "secret.example" not in json.dumps([found, fetched])
