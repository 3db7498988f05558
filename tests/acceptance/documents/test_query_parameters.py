"""Lists are paged by a cursor; a page, an offset and every misspelt parameter are refused, not ignored."""

from __future__ import annotations

import pytest

from tests.api_document import DOCUMENT
from tests.live_api import Tenant

FOREIGN = (
    "/healthz", "/readyz", "/metrics", "/v1/chat/completions", "/v1/responses", "/v1/messages",
    "/v1/messages/count_tokens", "/v1/models",
)  # fmt: skip
"""Paths whose callers add parameters of their own: load balancers, scrapers, clients of OpenAI and Anthropic."""

OPERATIONS = [
    (method.upper(), path, {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"})
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if path not in FOREIGN
]
LISTS = [path for method, path, parameters in OPERATIONS if method == "GET" and "cursor" in parameters]


def address(path: str) -> str:
    """A path with something in each of its places."""
    return path.replace("{", "").replace("}", "")


@pytest.mark.parametrize("name", ["page", "offset"])
async def test_a_list_by_page_or_offset_says_to_use_the_cursor(tenant: Tenant, name: str) -> None:
    assert "/v1/memories" in LISTS
    for path in LISTS:
        refused = await tenant.call("GET", address(path), params={name: "2", "limit": "1"})
        assert refused.status_code == 422, path
        assert refused.json()["errors"][0]["loc"] == ["query", name]
        assert "use cursor" in refused.json()["detail"]


async def test_the_cursor_leads_through_the_list(tenant: Tenant) -> None:
    saved = {(await tenant.save(f"Valve {number} is open"))["id"] for number in range(5)}
    first = await tenant.get("/v1/memories", limit=3)
    second = await tenant.get("/v1/memories", limit=3, cursor=first["next_cursor"])
    assert {memory["id"] for memory in first["items"] + second["items"]} == saved
    assert second["next_cursor"] is None


async def test_a_misspelt_parameter_is_named_on_every_path(tenant: Tenant) -> None:
    assert len(OPERATIONS) > 60
    for method, path, parameters in OPERATIONS:
        refused = await tenant.call(method, address(path), params={"usr": "Priya"})
        assert refused.status_code == 422, (method, path)
        assert refused.json()["errors"][0]["loc"] == ["query", "usr"]
        assert all(name in refused.json()["detail"] for name in parameters), (method, path)


async def test_a_save_and_a_search_refuse_it_too(tenant: Tenant) -> None:
    body = {"agent": "a", "type": "fact", "content": "The Apollo budget is 50000"}
    for path, given in (("/v1/memories", body), ("/v1/memories/search", {"agent": "a", "query": "budget"})):
        refused = await tenant.call("POST", path, json=given, params={"dry_run": "true"})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["loc"] == ["query", "dry_run"]
    assert (await tenant.get("/v1/memories"))["items"] == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("/v1/memories", {"include": "delted"}),
        ("/v1/memories", {"include": "deleted,superceded"}),
        ("/v1/export", {"include": "superseded"}),
        ("/v1/dreams", {"status": "done"}),
    ],
)
async def test_a_misspelt_value_is_refused_with_what_it_may_be(
    tenant: Tenant, path: str, wrong: dict[str, str]
) -> None:
    refused = await tenant.call("GET", path, params=wrong)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["loc"][1] in wrong
    assert any(allowed in refused.json()["detail"] for allowed in ("deleted", "succeeded"))
