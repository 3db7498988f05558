"""Every way in, under every treatment of secrets: nothing of a secret is in the database but where it is ``off``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.live_api import Api, Json
from tests.mcp_client import over_http
from tests.pg_dump import dump
from tests.privacy.secret_corpus import TOKENS

Way = Callable[[Api, str], Awaitable[httpx.Response]]

KINDS = ("github_token", "groq_key", "slack_token", "huggingface_token", "aws_access_key_id")
MODES = ("off", "redact", "quarantine", "reject")
MEMORY = {"agent": "a", "type": "fact"}


def _post(path: str, body: Callable[[str], Any]) -> Way:
    async def send(api: Api, secret: str) -> httpx.Response:
        return await api.call("POST", path, json=body(secret))

    return send


async def _patch(api: Api, secret: str) -> httpx.Response:
    memory = await api.save(f"the lamp of {uuid4()}")
    return await api.call("PATCH", f"/v1/memories/{memory['id']}", json={"version": 1, "content": f"now {secret}"})


async def _bulk(api: Api, secret: str) -> httpx.Response:
    memory = await api.save(f"the gate of {uuid4()}")
    return await api.call(
        "POST", "/v1/memories/bulk", json={"ids": [memory["id"]], "action": "add_tags", "tags": [f"bot {secret}"]}
    )


async def _import(api: Api, secret: str) -> httpx.Response:
    lines = [
        {"record": "memory", "id": str(uuid4()), "content": f"it is {secret}", "metadata": {"a": [secret]}} | MEMORY,
        {"record": "memory", "id": str(uuid4()), "content": "it is blue", "source": {"from": {secret: 1}}} | MEMORY,
    ]
    return await api.call("POST", "/v1/import", content="\n".join(map(json.dumps, lines)))


async def _searched(api: Api, secret: str) -> httpx.Response:
    memory = await api.save(f"the door of {uuid4()}")
    body = {"agent": "a", "name": f"Find {secret}", "query": secret, "options": {"metadata": {"x": [secret]}}}
    return await api.call("POST", "/v1/searches", json=body | {"expected": [memory["id"]]})


async def _agent_settings(api: Api, secret: str) -> httpx.Response:
    return await api.call("PUT", "/v1/agents/a", json={"settings": {"instructions": f"Use {secret}."}})


async def _workspace_settings(api: Api, secret: str) -> httpx.Response:
    return await api.call("PUT", "/v1/settings", json={"instructions": f"Call with {secret}"})


def _nested(secret: str) -> str:
    return json.dumps({"arguments": json.dumps({"body": json.dumps([{"deep": {"er": [f"x {secret} y"]}}])})})


def _said(content: Callable[[str], Any], role: str = "user") -> Way:
    return _post(
        "/v1/sessions/s/messages", lambda s: {"agent": "a", "messages": [{"role": role, "content": content(s)}]}
    )


WAYS: dict[str, Way] = {
    "memory": _post("/v1/memories", lambda s: MEMORY | {"content": f"the bot has {s}"}),
    "memory, summary": _post("/v1/memories", lambda s: MEMORY | {"content": "x" * 30, "summary": f"the bot has {s}"}),
    "memory, key": _post("/v1/memories", lambda s: MEMORY | {"content": "a lamp", "key": f"of {s}"}),
    "memory, JSON in a string": _post(
        "/v1/memories", lambda s: MEMORY | {"content": "a call", "source": {"tool": _nested(s)}}
    ),
    "memory, link": _post(
        "/v1/memories",
        lambda s: MEMORY | {"content": "a bot", "links": [{"relation": "about", "entity": {"name": f"bot {s}"}}]},
    ),
    "batch": _post("/v1/memories/batch", lambda s: {"items": [MEMORY | {"content": f"{n} has {s}"} for n in range(2)]}),
    "change": _patch,
    "bulk": _bulk,
    "document": _post(
        "/v1/documents", lambda s: {"agent": "a", "title": "Notes", "text": "The gate squeaks.\n\n" * 300 + f"key: {s}"}
    ),
    "document, title": _post("/v1/documents", lambda s: {"agent": "a", "title": f"About {s}", "text": "A lamp."}),
    "document, metadata": _post(
        "/v1/documents", lambda s: {"agent": "a", "title": "b", "text": "A gate.", "metadata": {"h": [{"x": s}]}}
    ),
    "import": _import,
    "message": _said(lambda s: f"here you go {s} thx"),
    "message, parts": _said(lambda s: [{"type": "text", "text": f"it is {s}"}]),
    "message, tool call": _said(lambda s: [{"type": "tool_use", "name": "login", "input": {"auth": [s]}}], "assistant"),
    "message, tool result": _said(lambda s: {"stdout": _nested(s)}, "tool"),
    "message, name": _post(
        "/v1/sessions/s/messages",
        lambda s: {"agent": "a", "messages": [{"role": "user", "content": "hi", "name": f"bot {s}"}]},
    ),
    "page": _post("/v1/pages", lambda s: {"agent": "a", "question": f"Who uses {s}?", "scope": {}}),
    "saved search": _searched,
    "agent's settings": _agent_settings,
    "workspace's settings": _workspace_settings,
    "key's name": _post("/v1/keys", lambda s: {"role": "reader", "name": f"for {s}"}),
}


def _secret(name: str) -> str:
    random = Random(f"ways {name}")
    return TOKENS[random.choice(KINDS)](random)


@pytest.mark.first_tier
@pytest.mark.parametrize("mode", MODES)
async def test_no_way_in_keeps_a_secret_unless_it_may(api: Api, database_url: str, mode: str) -> None:
    await api.put("/v1/settings", {"secrets": {"mode": mode}})
    secrets = {name: _secret(f"{mode} {name}") for name in WAYS}
    for name, way in WAYS.items():
        answer = await way(api, secrets[name])
        assert answer.status_code == 422 if mode == "reject" else answer.is_success, (name, answer.text)
        assert (secrets[name] in answer.text) <= (mode == "off"), name
    written = dump(database_url)
    kept = {name for name, secret in secrets.items() if secret in written}
    assert kept == (set(WAYS) if mode == "off" else set())


@pytest.mark.parametrize("mode", MODES)
async def test_no_tool_of_mcp_keeps_a_secret_unless_it_may(static_api: Api, database_url: str, mode: str) -> None:
    await static_api.put("/v1/settings", {"secrets": {"mode": mode}})
    known = await static_api.save("the gate squeaks")
    calls: dict[str, Callable[[str], Json]] = {
        "memory_save": lambda s: {"content": f"the bot has {s}", "type": "fact"},
        "memory_update": lambda s: {"memory_id": known["id"], "content": f"now it is {s}"},
        "page_create": lambda s: {"question": f"Who uses {s}?"},
    }
    secrets = {tool: _secret(f"{mode} {tool}") for tool in calls}
    async with over_http(static_api, static_api.key, "a") as client:
        for tool, arguments in calls.items():
            result = await client.call_tool(tool, arguments(secrets[tool]))
            assert result.is_error == (mode == "reject"), result.content
            assert (secrets[tool] in str(result.content)) <= (mode == "off")
    written = dump(database_url)
    assert [tool for tool, secret in secrets.items() if (secret in written) != (mode == "off")] == []
