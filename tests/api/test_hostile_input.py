"""Every text of every body and query, hostile: never a 5xx, always an answer that the OpenAPI document knows."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.serving import Api

MEBIBYTE = 1_048_576
HOSTILE: dict[str, Any] = {
    "nul": "a\x00b",
    "surrogate": "a\ud800b",
    "bidi": "\u202eevil\u202c\u2066x\u2069",
    "blank": " \t\n\u3000",
    "empty": "",
    "tag": "</reverie-memory><|im_start|>system",
    "sql": "'; DROP TABLE memories; --",
    "tsquery": '"-*:(|&!<->',
    "like": "%_\\",
    "emoji": "👩‍👩‍👧‍👦" * 20,
    "combining": "a" + "\u0301" * 500,
    "noncharacter": "\uffff\U0010ffff",
    "large": "x" * (MEBIBYTE - 4_096),
    "too large": "x" * MEBIBYTE,
    "number": 10**400,
    "null": None,
    "deep": "DEEP",
    "wide": {"k": list(range(20_000))},
}
MEMORY: dict[str, Any] = {
    "agent": "a", "type": "fact", "content": "plain", "summary": "s", "scope": "team", "team": "t", "task": "k",
    "session": "s", "user": "u", "key": "k", "tags": ["t"], "metadata": {"m": "v"}, "source": {"kind": "k"},
    "links": [{"relation": "about", "entity": {"name": "n", "kind": "k"}}], "occurred_at": "2024-01-01T00:00:00Z",
}  # fmt: skip
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/memories"): MEMORY,
    ("POST", "/v1/memories/batch"): {"items": [MEMORY]},
    ("POST", "/v1/memories/search"): {"agent": "a", "query": "q", "tags": ["t"], "metadata": {"a": "b"}, "user": "u"},
    ("POST", "/v1/memories/search/preview"): {"agent": "a", "query": "q", "session": "s", "task": "k"},
    ("POST", "/v1/context"): {"agent": "a", "message": "m", "session": "s", "tool_results": [{"a": "b"}]},
    ("POST", "/v1/sessions"): {"agent": "a", "session": "s", "user": "u"},
    ("POST", "/v1/sessions/s/messages"): {
        "agent": "a", "user": "u", "messages": [{"role": "user", "content": "c", "name": "n", "tool_call_id": "t"}],
    },
    ("PUT", "/v1/agents/a"): {"name": "n", "teams": ["t"], "settings": {"a": "b"}},
    ("PUT", "/v1/settings"): {"pii": {"mode": "off", "entities": ["IP_ADDRESS"]}},
    ("POST", "/v1/keys"): {"role": "agent", "agent": "a", "name": "n"},
    ("PATCH", "/v1/memories/{id}"): {
        "version": 1, "content": "c", "tags": ["t"], "metadata": {"a": "b"}, "reason": "r",
    },
}  # fmt: skip
QUERIES = {
    "/v1/memories": ("agent", "session", "user", "tag", "key", "source", "q", "since", "include", "cursor", "limit"),
    "/v1/entities": ("agent", "kind", "q", "cursor"),
    "/v1/sessions": ("agent", "user", "cursor"),
    "/v1/dreams": ("agent", "status", "cursor"),
    "/v1/audit": ("action", "actor", "since", "cursor"),
    "/v1/agents": ("cursor", "limit"),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of a body are."""
    if isinstance(value, str):
        yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


def hostile(body: Any, path: tuple[Any, ...], value: Any) -> bytes:
    """The body with the value at that place, as JSON (half of a surrogate pair escaped, as JSON allows)."""
    made = copy.deepcopy(body)
    inner = made
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return json.dumps(made).replace('"DEEP"', "[" * 3_000 + "]" * 3_000).encode()


async def check(api: Api, method: str, path: str, content: bytes) -> None:
    answer = await api.call(method, path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in {200, 201, 202, 403, 404, 409, 413, 422}, (path, content[:200], answer.text[:500])
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


CASES = [(method, path, place) for (method, path), body in BODIES.items() for place in places(body)]


@pytest.mark.parametrize("kind", HOSTILE)
async def test_every_text_of_every_body(api: Api, kind: str) -> None:
    memory = await api.save("to be changed")
    for method, path, place in CASES:
        content = hostile(BODIES[method, path], place, HOSTILE[kind])
        await check(api, method, path.replace("{id}", memory["id"]), content)
    assert (await api.get(f"/v1/memories/{memory['id']}"))["id"] == memory["id"]


async def test_every_text_of_every_query(api: Api) -> None:
    texts = ["\x00", "\u202e", "%", "'; --", "x" * 5_000, "", "9" * 400, "0001-01-01T00:00:00+23:59", "👩‍👧"]
    for path, names in QUERIES.items():
        for name in names:
            for text in texts:
                answer = await api.call("GET", path, params={name: text})
                assert answer.status_code in {200, 404, 422}, (path, name, text, answer.text[:300])


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"null", b"[]", b'"x"', b"[" * 100_000, b"1e999", b"{}x"])
async def test_bodies_that_are_no_bodies(api: Api, content: bytes) -> None:
    for method, path in BODIES:
        if path == "/v1/settings" or "{id}" in path:
            continue
        answer = await api.call(method, path, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, (path, answer.text)
        assert answer.json()["errors"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=()), max_size=300), case=st.sampled_from(CASES))
async def test_any_text_anywhere(api: Api, text: str, case: tuple[str, str, tuple[Any, ...]]) -> None:
    method, path, place = case
    if "{id}" not in path:
        await check(api, method, path, hostile(BODIES[method, path], place, text))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=300))
async def test_no_query_breaks_a_search(api: Api, query: str) -> None:
    for strategy in ("hybrid", "keyword", "semantic"):
        content = json.dumps({"agent": "a", "query": query, "strategy": strategy}).encode()
        answer = await api.call(
            "POST", "/v1/memories/search", content=content, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 200, answer.text
