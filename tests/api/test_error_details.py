"""What is said of a request that cannot be answered: the detail alone tells what to do."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from tests.live_api import Tenant

JSON = {"content-type": "application/json"}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


async def refused(api: Tenant, method: str, path: str, **options: Any) -> tuple[int, str]:
    answer = await api.call(method, path, **options)
    return answer.status_code, answer.json()["detail"]


async def test_a_field_is_named_with_its_reason(api: Tenant) -> None:
    status, detail = await refused(api, "POST", "/v1/memories", json={"type": "fact", "scope": "all", "content": ""})
    assert status == 422
    assert "scope: must be 'agent'" in detail
    assert "content: " in detail


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/v1/memories", {"type": "fact"}, "content: is required"),
        ("/v1/memories", {"type": "fact", "content": 7}, "content: must be a string"),
        ("/v1/memories", {"type": "fact", "content": "x", "importance": 2}, "importance: must be at most 1"),
        ("/v1/memories", {"type": "fact", "content": "x", "occurred_at": "soon"}, "occurred_at: must be "),
        ("/v1/memories", {"type": "fact", "content": "x", "mood": 1}, "mood: is not known here"),
        ("/v1/memories", {"type": "fact", "content": "x", "tags": "sea"}, "tags: must be a list"),
        ("/v1/memories/search", {"queries": ["x"] * 6}, "queries: must have at most 5 items, not 6"),
        ("/v1/memories/search", {"limit": "many"}, "limit: must be an integer"),
        ("/v1/memories/batch", {"items": [7]}, "items.0: must be an object"),
        ("/v1/memories/x/restore", {}, "memory_id: must be a UUID"),
        ("/v1/memories/search", {"include": []}, "include: must not be empty"),
        (
            "/v1/sessions/s/messages",
            {"messages": [{"role": "user", "content": "\x00"}]},
            "messages.0.content: must not contain a NUL character",
        ),
    ],
)
async def test_a_reason_is_in_the_words_of_the_api(api: Tenant, path: str, body: dict[str, Any], told: str) -> None:
    status, detail = await refused(api, "POST", path, json=body)
    assert (status, told in detail) == (422, True), detail
    assert "nput" not in detail


async def test_a_line_of_an_import_is_refused_in_the_words_of_the_api(api: Tenant) -> None:
    for line, told in (
        ({"agent": "a", "type": "fact", "content": "x", "importance": 7}, "importance: must be at most 1"),
        ({"agent": "a", "type": "fact"}, "content: is required"),
        (
            {"agent": "a", "type": "fact", "content": "x", "changed_by": "x" * 301},
            "changed_by: must have at most 300 char",
        ),
        (
            {
                "record": "message",
                "id": str(UUID(int=7)),
                "agent": "a",
                "session": "s",
                "role": "user",
                "content": "\x00",
            },
            "line 1: content: must not contain a NUL character",
        ),
        ({"record": "settings", "settings": {"colour": "red"}}, "settings.colour: is not known here"),
    ):
        answer = await api.call("POST", "/v1/import", content=json.dumps({"record": "memory", **line}).encode())
        assert (answer.status_code, told in answer.json()["detail"]) == (422, True), answer.text


async def test_a_parameter_in_a_body_that_is_not_read_is_refused(api: Tenant) -> None:
    turns = {"agent": "ada", "messages": [{"role": "user", "content": "Hello"}]}
    await api.post("/v1/sessions/monday/messages", turns)
    status, detail = await refused(api, "POST", "/v1/sessions/monday/compact", json={"agent": "ada"})
    assert (status, detail) == (422, "agent: belongs into the address here, as in ?agent=…")
    assert (await api.call("POST", "/v1/sessions/monday/compact", json={}, params={"agent": "ada"})).is_success


async def test_a_word_of_a_path_is_no_id(api: Tenant) -> None:
    for path in ("/v1/memories/search", "/v1/memories/batch"):
        status, detail = await refused(api, "GET", path)
        assert (status, detail) == (405, "GET is not allowed here; POST is.")


async def test_broken_json_is_called_so(api: Tenant) -> None:
    for content in (b'{"type": "fact",', b"{]"):
        status, detail = await refused(api, "POST", "/v1/memories", content=content, headers=JSON)
        assert status == 422
        assert detail.startswith("body, character ")
        assert "malformed JSON" in detail
    status, detail = await refused(api, "POST", "/v1/memories", content=b"\xff", headers=JSON)
    assert (status, detail[:21]) == (422, "body: malformed JSON:")


@pytest.mark.parametrize(("given", "told"), [("", "the request has none"), ("text/plain", "not text/plain")])
async def test_a_content_type_that_is_missing_or_wrong_is_named(api: Tenant, given: str, told: str) -> None:
    content = json.dumps({"type": "fact", "content": "Tea"}).encode()
    headers = {"content-type": given} if given else {}
    status, detail = await refused(api, "POST", "/v1/memories", content=content, headers=headers)
    assert status == 422
    assert detail.startswith("body: Content-Type must be application/json")
    assert told in detail


async def test_a_misspelt_parameter_is_refused(api: Tenant) -> None:
    status, detail = await refused(api, "GET", "/v1/memories", params={"agnet": "a"})
    assert status == 422
    assert detail.startswith("agnet: is no parameter of this path; the parameters are about, agent, ")
    for path, told in (("/v1/whoami", "the parameters are user"), ("/v1/engine", "there is none")):
        wrong = await refused(api, "GET", path, params={"x": "1"})
        assert wrong == (422, f"x: is no parameter of this path; {told}")


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/export"])
async def test_a_misspelt_include_is_refused(api: Tenant, path: str) -> None:
    status, detail = await refused(api, "GET", path, params={"include": "deleted,expried"})
    assert status == 422
    assert detail.startswith("include: expried: may only be deleted, ")


async def test_all_methods_of_a_path_are_allowed(api: Tenant) -> None:
    answer = await api.call("PUT", "/v1/memories")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, POST"
    assert answer.json()["detail"] == "PUT is not allowed here; GET, POST is."


async def test_health_answers_head_and_the_root_says_where_things_are(api: Tenant) -> None:
    for path in ("/healthz", "/readyz"):
        answer = await api.call("HEAD", path)
        assert (answer.status_code, answer.content) == (200, b"")
    assert (await api.get("/"))["docs"] == "/docs"
