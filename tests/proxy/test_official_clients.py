"""The official clients of OpenAI and Anthropic, unchanged, against the proxy."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest

from tests.fakes.wire_formats import THOUGHT, FakeModels
from tests.live_api import Api

KNOWN = {"X-Reverie-Session": "s", "X-Reverie-Agent": "iris"}
ADD = {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}


async def roles(api: Api) -> list[str]:
    return [one["role"] for one in (await api.get("/v1/sessions/s/messages", agent="iris"))["items"]]


def openai_client(api: Api, key: str | None = None) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key or api.key, base_url=f"{api.http.base_url}/v1", default_headers=KNOWN, max_retries=0
    )


@pytest.fixture
def anthropic() -> Any:
    return pytest.importorskip("anthropic", reason="Anthropic's client is not installed (pip install anthropic)")


def anthropic_client(anthropic: Any, api: Api, key: str | None = None) -> Any:
    return anthropic.AsyncAnthropic(
        api_key=key or api.key, base_url=str(api.http.base_url), default_headers=KNOWN, max_retries=0
    )


async def test_openais_responses(wired: Api, models: FakeModels) -> None:
    client = openai_client(wired)
    models.say("Hello", "Hello again", {"name": "add", "arguments": {"a": 2}})
    answer = await client.responses.create(model="m", input="hi", instructions="Be brief.")
    assert answer.output_text == "Hello"
    assert answer.usage is not None
    stream = await client.responses.create(model="m", input="hi", stream=True)
    kinds = [one.type async for one in stream]
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    async with client.responses.stream(model="m", input="sum?", tools=[{"type": "function", **ADD}]) as running:
        final = await running.get_final_response()
    call = next(item for item in final.output if item.type == "function_call")
    assert json.loads(call.arguments) == {"a": 2}
    assert await roles(wired) == ["user", "assistant"] * 3


async def test_openais_client_says_what_is_wrong(wired: Api, models: FakeModels) -> None:
    with pytest.raises(openai.AuthenticationError) as refused:
        await openai_client(wired, "wrong").responses.create(model="m", input="hi")
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.PermissionDeniedError, match="gpt-x") as barred:
        await openai_client(wired).chat.completions.create(model="gpt-x", messages=[])
    assert barred.value.type == "permission_error"
    models.fail(status=429)
    with pytest.raises(openai.RateLimitError, match="made to fail"):
        await openai_client(wired).responses.create(model="m", input="hi")
    listed = [model.id async for model in openai_client(wired).models.list()]
    assert listed == ["m"]


async def test_anthropics_messages(wired: Api, models: FakeModels, anthropic: Any) -> None:
    client = anthropic_client(anthropic, wired)
    models.say("Hello", "Hello again", {"name": "add", "arguments": {"a": 2}})
    asked: dict[str, Any] = {"model": "claude-x", "max_tokens": 100}
    hi = [{"role": "user", "content": "hi"}]
    answer = await client.messages.create(**asked, messages=hi, system=[{"type": "text", "text": "Be brief."}])
    assert [block.type for block in answer.content] == ["thinking", "text"]
    assert (answer.content[0].thinking, answer.content[1].text) == (THOUGHT, "Hello")
    async with client.messages.stream(**asked, messages=hi) as stream:
        assert "".join([text async for text in stream.text_stream]) == "Hello again"
        final = await stream.get_final_message()
    assert final.usage.output_tokens == 5
    tools = [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}]
    called = await client.messages.create(**asked, messages=hi, tools=tools)
    assert called.stop_reason == "tool_use"
    assert await roles(wired) == ["user", "assistant"] * 3
    counted = await client.messages.count_tokens(model="claude-x", messages=hi)
    assert counted.input_tokens == 42
    models.listed = [{"type": "model", "id": "claude-x", "display_name": "X", "created_at": "2026-01-01T00:00:00Z"}]
    assert "claude-x" in [model.id async for model in client.models.list()]


async def test_anthropics_client_says_what_is_wrong(wired: Api, models: FakeModels, anthropic: Any) -> None:
    asked: dict[str, Any] = {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(anthropic.AuthenticationError):
        await anthropic_client(anthropic, wired, "wrong").messages.create(**asked)
    with pytest.raises(anthropic.PermissionDeniedError, match="gpt-x"):
        await anthropic_client(anthropic, wired).messages.create(**asked | {"model": "gpt-x"})
    models.fail(status=529)
    with pytest.raises(anthropic.APIStatusError, match="made to fail") as overloaded:
        await anthropic_client(anthropic, wired).messages.create(**asked)
    assert (overloaded.value.status_code, overloaded.value.request_id) == (529, "req_fake")
