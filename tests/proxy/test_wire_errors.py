"""Refusals of the proxy itself, as each format's clients read them; keys, headers, models and counts of tokens."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from service.concurrency.limit import Bounds, ConcurrencyLimit
from service.proxy.chat import completions
from service.settings import Settings
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, Json, serving
from tests.proxy.conftest import MODELS_KEY
from tests.proxy.wire_clients import CHAT, MESSAGES, RESPONSES, WIRES, Wire

ALL = pytest.mark.parametrize("wire", [CHAT, *WIRES], ids=repr)
OPENAI_KINDS = {401: "authentication_error", 403: "permission_error"}
ANTHROPIC_KINDS = OPENAI_KINDS | {404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error"}


def refused(wire: Wire, answer: httpx.Response, status: int, detail: str) -> Json:
    """The error of an answer, in the format's shape; problem details say the same."""
    assert answer.status_code == status, answer.text
    body: Json = answer.json()
    error: Json = body["error"]
    assert detail in error["message"] == body["detail"]
    assert int(answer.headers["content-length"]) == len(answer.content)
    if wire is MESSAGES:
        assert body["type"] == "error"
        assert body["request_id"] == answer.headers["x-request-id"]
        assert error["type"] == ANTHROPIC_KINDS.get(status, "invalid_request_error")
    else:
        assert error.keys() == {"message", "type", "param", "code"}
    return error


@ALL
async def test_every_refusal_has_the_shape_of_its_format(wired: Api, models: FakeModels, wire: Wire) -> None:
    body, path = wire.ask("hi"), wire.path

    async def ask(caller: Api = wired, content: Any = body, **headers: str) -> httpx.Response:
        return await caller.call("POST", path, json=content, headers=headers)

    error = refused(wire, await ask(Authorization="Bearer wrong"), 401, "key")
    assert error.get("code") in (None, "invalid_api_key")
    refused(wire, await ask(await wired.as_role("reader")), 403, "reader")
    refused(wire, await ask(content=body | {"model": "gpt-x"}), 403, "'gpt-x'")
    refused(wire, await ask(content=body | {"fallbacks": ["m"]}), 403, "fallbacks")
    refused(wire, await ask(content=body | {"tools": [{"type": "advisor", "model": "gpt-x"}]}), 403, "of a tool")
    error = refused(wire, await ask(content={"messages": []}), 422, "model")
    assert error.get("param", "model") == "model"
    refused(wire, await ask(**{"X-Reverie-Placement": "soup"}), 422, "Placement")
    refused(wire, await ask(**{"Idempotency-Key": "x" * 300}), 422, "ASCII")
    refused(wire, await wired.call("POST", path, content=b"{"), 422, "JSON")
    refused(wire, await wired.call("POST", path, content=b" " * 33_600_000), 413, "bytes")
    refused(wire, await wired.call("PUT", path), 405, "not allowed")
    await wired.put("/v1/settings", {"budget": {"day_tokens_max": 10}})
    budget = await ask()
    refused(wire, budget, 429, "budget")
    assert int(budget.headers["retry-after"]) > 0
    await wired.put("/v1/settings", {"proxy": {"enabled": False}})
    refused(wire, await ask(), 404, "proxy.enabled")
    assert models.calls.total() == 0


@ALL
async def test_more_requests_at_once_than_a_key_may_have_are_refused(wired: Api, wire: Wire) -> None:
    wired.runtime.parts[completions] = ConcurrencyLimit("requests", Bounds(0, 1, 1))
    answer = await wired.call("POST", wire.path, json=wire.ask("hi"))
    refused(wire, answer, 429, "open already")


@ALL
async def test_without_a_model_it_says_so(settings: Settings, wire: Wire) -> None:
    async with serving(settings) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["*"]}})
        answer = await api.call("POST", wire.path, json=wire.ask("hi"))
        assert answer.status_code == 503
        assert "LLM_MODEL" in answer.json()["error"]["message"]


async def test_problems_of_other_routes_stay_as_they_are(wired: Api) -> None:
    answer = await wired.call("GET", "/v1/memories/01890000-0000-7000-8000-00000000dead")
    assert answer.status_code == 404
    assert "error" not in answer.json()


async def test_a_background_response_is_refused(wired: Api, models: FakeModels) -> None:
    answer = await wired.call("POST", RESPONSES.path, json=RESPONSES.ask("hi") | {"background": True})
    refused(RESPONSES, answer, 422, "background")
    assert models.calls.total() == 0


async def test_anthropics_key_is_reveries_and_the_models_key_is_the_operators(wired: Api, models: FakeModels) -> None:
    agent = await wired.as_role("agent", "iris")
    headers = {
        "x-api-key": agent.key, "anthropic-version": "2024-01-01", "anthropic-beta": "a-2025,b-2025",
        "X-Reverie-Session": "s", "Idempotency-Key": "1",
    }  # fmt: skip
    for _ in range(2):
        answer = await wired.http.post(MESSAGES.path, json=MESSAGES.ask("hi"), headers=headers)
        assert answer.status_code == 200, answer.text
    (sent,) = models.headers
    assert sent["x-api-key"] == MODELS_KEY
    assert "authorization" not in sent
    assert (sent["anthropic-version"], sent["anthropic-beta"]) == ("2024-01-01", "a-2025,b-2025")
    assert agent.key not in str(sent)
    assert len((await wired.get("/v1/sessions/s/messages", agent="iris"))["items"]) == 2
    assert (await wired.http.post(MESSAGES.path, json={}, headers={"x-api-key": "wrong"})).status_code == 401
    assert (await wired.http.get("/v1/memories", headers={"x-api-key": wired.key})).status_code == 401


async def test_tokens_are_counted_by_the_models_server(wired: Api, models: FakeModels) -> None:
    body = MESSAGES.ask("How many?")
    answer = await wired.call("POST", "/v1/messages/count_tokens", json=body)
    assert answer.content == models.sent_bytes[-1]
    assert models.requests("count_tokens") == [body]
    refused(MESSAGES, await wired.call("POST", "/v1/messages/count_tokens", json=body | {"model": "x"}), 403, "'x'")
    reader = await wired.as_role("reader")
    refused(MESSAGES, await reader.call("POST", "/v1/messages/count_tokens", json=body), 403, "reader")
    elsewhere = await wired.call("POST", "/v1/messages/count_tokens", json=body | {"model": "m"})
    assert 2 <= elsewhere.json()["input_tokens"] <= 20
    assert (await wired.get("/v1/sessions"))["items"] == []


async def test_models_that_may_be_called_are_listed(wired: Api, models: FakeModels) -> None:
    models.listed = [
        {"id": "claude-x", "object": "model", "type": "model", "created": 7, "display_name": "Claude X"},
        {"id": "gpt-x", "object": "model", "created": 8},
    ]
    listed = await wired.get("/v1/models")
    assert listed["object"] == "list"
    assert [one["id"] for one in listed["data"]] == ["m", "claude-x"]
    assert [one["created"] for one in listed["data"]] == [0, 7]
    theirs = (await wired.call("GET", "/v1/models", headers={"anthropic-version": "2023-06-01"})).json()
    assert (theirs["first_id"], theirs["last_id"], theirs["has_more"]) == ("m", "claude-x", False)
    assert [one["display_name"] for one in theirs["data"]] == ["m", "Claude X"]
    models.fail(status=500, endpoint="models", times=None)
    assert [one["id"] for one in (await wired.get("/v1/models"))["data"]] == ["m"]
    assert (await (await wired.as_role("reader")).call("GET", "/v1/models")).status_code == 403
    await wired.put("/v1/settings", {"proxy": {"enabled": False}})
    off = await wired.call("GET", "/v1/models")
    assert (off.status_code, off.json()["error"]["code"]) == (404, None)


@ALL
async def test_a_key_of_the_callers_own_goes_to_the_model_where_that_is_allowed(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    headers = {"X-Reverie-Model-Key": "callers-own-key"}
    answer = await wired.call("POST", wire.path, json=wire.ask("hi"), headers=headers)
    refused(wire, answer, 403, "proxy.caller_keys")
    assert models.calls.total() == 0
    await wired.put("/v1/settings", {"proxy": {"caller_keys": True}})
    models.key = "callers-own-key"
    answer = await wired.call("POST", wire.path, json=wire.ask("hi"), headers=headers)
    assert wire.text(answer.json()) == "ok"
    assert (await wired.call("POST", wire.path, json=wire.ask("hi"))).status_code == 401
    bad = await wired.call("POST", wire.path, json=wire.ask("hi"), headers={"X-Reverie-Model-Key": "two words"})
    refused(wire, bad, 422, "X-Reverie-Model-Key")
    assert models.calls.total() == 2
