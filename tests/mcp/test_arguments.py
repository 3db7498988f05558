"""Wrong, missing, hostile and huge arguments: an error that names the field, and nothing done."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live_api import Tenant
from tests.mcp_client import over_http

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("memory_save", {}, "content: is required"),
    ("memory_save", {"content": None}, "content: "),
    ("memory_save", {"content": ["a"]}, "content: "),
    ("memory_save", {"content": "x", "memory_type": "fact"}, "no argument memory_type. It has: content, type"),
    ("memory_save", {"content": "x", "importance": 7}, "importance: "),
    ("memory_save", {"content": "x", "importance": "high"}, "importance: "),
    ("memory_save", {"content": "x", "scope": "everybody"}, "scope: "),
    ("memory_save", {"content": "x", "metadata": "{not json"}, "metadata: "),
    ("memory_save", {"content": "x", "links": [{"relation": "about", "entity": "Ramesh"}]}, "links.0.entity: "),
    ("memory_save", {"content": "x" * 200_000}, "content"),
    ("memory_save", {"content": "nul \x00"}, "content"),
    ("memory_save", {"content": "x", "user": "u" * 300}, "user"),
    ("memory_save", {"content": "x", "occurred_at": "yesterday"}, "occurred_at"),
    ("memory_save", {"content": "x", "ctx": "mine"}, "no argument ctx"),
    ("memory_search", {"limit": 0}, "limit: "),
    ("memory_search", {"limit": 10_000}, "limit: "),
    ("memory_search", {"max_tokens": -1}, "max_tokens: "),
    ("memory_search", {"types": "fact"}, "types: "),
    ("memory_search", {"types": ["rumour"]}, "types"),
    ("memory_search", {"query": "x" * 100_000}, "query"),
    ("memory_search", {"since": "soon"}, "since"),
    ("memory_update", {"memory_id": "../../keys", "content": "x"}, "memory_id"),
    ("memory_forget", {"memory_id": "'; DROP TABLE memories; --"}, "memory_id"),
    ("memory_clear", {"older_than": -1}, "older_than: "),
    ("user_purge", {"user": "sam", "agreement": {"delete": True}}, "no argument agreement"),
    ("page_create", {"question": "x", "trigger": "hourly"}, "trigger"),
    ("page_create", {"question": "x", "max_tokens": 5}, "max_tokens: "),
    ("inbox_decide", {"proposal_id": "x", "action": "shred"}, "action: "),
    ("dream", {"wait_s": 100_000}, "wait_s: "),
    ("entity_graph", {"entity": "x", "depth": 9}, "depth: "),
    ("no_such_tool", {}, "no_such_tool"),
]


@pytest.mark.parametrize(("tool", "arguments", "named"), WRONG, ids=lambda value: str(value)[:40])
async def test_what_is_wrong_is_named(tenant: Tenant, tool: str, arguments: dict[str, Any], named: str) -> None:
    ada = await tenant.as_role("agent", "ada")
    async with over_http(tenant, ada.key) as client:
        refused = await client.call_tool(tool, arguments)
        assert refused.is_error
        (content,) = refused.content
        said = str(getattr(content, "text", ""))
        assert named in said
        assert "pydantic" not in said
        assert "Input should" not in said
        assert len(said) < 1_000
        assert (await tenant.get("/v1/memories"))["items"] == []


async def test_json_in_a_string_is_taken_as_what_it_is(tenant: Tenant) -> None:
    ada = await tenant.as_role("agent", "ada")
    async with over_http(tenant, ada.key) as client:
        text = {"content": "Ramesh does the numbers", "tags": '["numbers"]', "metadata": '{"quarter": "Q3"}'}
        saved = await client.call_tool("memory_save", text)
        memory = await ada.get(f"/v1/memories/{(saved.structured_content or {})['id']}")
        assert (memory["tags"], memory["metadata"]) == (["numbers"], {"quarter": "Q3"})
