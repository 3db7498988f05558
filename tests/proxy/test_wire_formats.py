"""Responses and messages through the proxy: what chat completions do with memory, in formats of their own."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from service.domain.prompt_fence import CLOSE, OPEN
from service.settings import Settings
from tests.fakes.wire_formats import (
    FakeModels,
    event,
    message_content,
    message_events,
    response_events,
    response_output,
)
from tests.live_api import Api, Json, serving
from tests.pg_dump import dump
from tests.proxy.wire_clients import MESSAGES, RESPONSES, WIRES, Wire, events
from tests.tables import table
from tests.tuning import tuned
from tests.waiting import until
from worker.app import run_once

KNOWN = {"X-Reverie-Session": "s", "X-Reverie-Agent": "iris"}

pytestmark = pytest.mark.parametrize("wire", WIRES, ids=repr)


async def history(api: Api, session: str = "s", agent: str = "iris") -> list[tuple[str, Any]]:
    found = await api.get(f"/v1/sessions/{session}/messages", agent=agent)
    return [(one["role"], one["content"]) for one in found["items"]]


async def ask(api: Api, wire: Wire, said: Any, **more: Any) -> httpx.Response:
    return await api.call("POST", wire.path, json=wire.ask(said) | more, headers=KNOWN)


async def captured(api: Api) -> list[tuple[str, Any]]:
    """The history of the session, once it is written."""

    async def kept() -> list[tuple[str, Any]]:
        there = await api.status("GET", "/v1/sessions/s", params={"agent": "iris"}) == 200
        return await history(api) if there else []

    return await until(kept, "nothing is kept")


async def used(api: Api) -> tuple[int, int]:
    """Tokens that the proxy has used, once some are recorded: usage is written behind."""
    return await until(lambda: recorded(api), "nothing is recorded")


async def recorded(api: Api) -> tuple[int, int] | None:
    """Tokens that the proxy has used, as recorded now; None while there are none."""
    await api.runtime.budget.flush()
    total = (await api.get("/v1/usage"))["items"]
    rows = [row for row in total if row["purpose"] == "proxy"]
    found = sum(row["prompt_tokens"] for row in rows), sum(row["completion_tokens"] for row in rows)
    return found if any(found) else None


async def test_the_second_conversation_knows_what_the_first_said(
    wired: Api, models: FakeModels, in_front: Settings, wire: Wire
) -> None:
    iris = await wired.as_role("agent", "iris")
    models.say("Nice to meet you.")
    first = await iris.call("POST", wire.path, json=wire.ask("My name is Ada and I live in Bergen."))
    assert wire.text(first.json()) == "Nice to meet you."
    await run_once(in_front)
    models.say(lambda body: json.dumps(body[wire.system]))
    second = await iris.call("POST", wire.path, json=wire.ask("Where do I live?"))
    assert "Bergen" in wire.text(second.json())


async def test_with_memory_off_bytes_pass_both_ways(wired: Api, models: FakeModels, wire: Wire) -> None:
    await wired.save("Likes tea", type="identity", agent="default")
    content = json.dumps(wire.ask("tea") | {"temperature": 1.0, "metadata": {"é": [1, None]}}, indent=1).encode()
    answer = await wired.call("POST", wire.path, content=content, headers={"X-Reverie-No-Memory": "1"})
    assert models.raw(wire.name) == [content]
    assert models.sent_bytes == [answer.content]
    assert answer.headers["x-reverie-memory"] == "off"
    assert (await wired.get("/v1/sessions"))["items"] == []


async def test_a_stream_passes_byte_for_byte_and_is_kept_and_counted(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    models.say("It is a fine day in Bergen.")
    answer = await ask(wired, wire, "How is the weather?", stream=True)
    assert answer.content == models.sent_bytes[-1]
    assert events(answer.content)[-1]["type"] == wire.last_event
    assert answer.headers["x-reverie-memory"] in ("on", "degraded")
    assert await history(wired) == [("user", "How is the weather?"), ("assistant", "It is a fine day in Bergen.")]
    assert await used(wired) == wire.usage


async def test_what_a_model_answers_at_once_is_counted(wired: Api, models: FakeModels, wire: Wire) -> None:
    answer = await ask(wired, wire, "hi")
    assert answer.content == models.sent_bytes[-1]
    assert await used(wired) == wire.usage


@pytest.mark.parametrize("stream", [False, True])
async def test_a_tool_is_called_and_its_result_is_kept(
    wired: Api, models: FakeModels, wire: Wire, stream: bool
) -> None:
    models.say({"name": "add", "arguments": {"a": 2, "b": "two words"}})
    first = await ask(wired, wire, "sum?", stream=stream)
    assert first.content == models.sent_bytes[-1]
    models.say("It is 4.")
    if wire is RESPONSES:
        called = response_output({"name": "add", "arguments": {"a": 2}})
        result = {"type": "function_call_output", "call_id": "call_1", "output": "4"}
        said: list[Json] = [{"role": "user", "content": "sum?"}, *called, result]
        again = {"model": "m", "input": said}
    else:
        called = message_content({"name": "add", "arguments": {"a": 2}})
        results = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "4"}]}]
        said = [
            {"role": "user", "content": "sum?"}, {"role": "assistant", "content": called},
            {"role": "user", "content": results},
        ]  # fmt: skip
        again = {"model": "claude-x", "max_tokens": 9, "messages": said}
    await wired.call("POST", wire.path, json=again | {"stream": stream}, headers=KNOWN)
    kept = await history(wired)
    assert [role for role, _ in kept] == ["user", "assistant", "tool", "assistant"]
    function = kept[1][1]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("add", {"a": 2, "b": "two words"})
    assert (kept[2][1], kept[3][1]) == ("4", "It is 4.")
    sent = models.requests(wire.name)[-1]
    assert sent["input" if wire is RESPONSES else "messages"] == said


async def test_a_failing_memory_never_fails_the_answer_and_says_so(wired: Api, models: FakeModels, wire: Wire) -> None:
    await wired.save("Likes tea", agent="iris")
    async with wired.runtime.db.unscoped() as connection:
        await connection.raw.execute("ALTER TABLE bulletins RENAME TO gone")
        await connection.raw.execute("ALTER TABLE messages RENAME TO gone_too")
    answer = await ask(wired, wire, "hi")
    assert answer.content == models.sent_bytes[-1]
    assert answer.headers["x-reverie-memory"] == "failed"
    assert "recall" in answer.headers["x-reverie-memory-detail"]
    streamed = await ask(wired, wire, "hi", stream=True)
    assert streamed.content == models.sent_bytes[-1]


async def test_refusals_of_the_model_pass_and_nothing_is_kept(wired: Api, models: FakeModels, wire: Wire) -> None:
    with table() as row:
        for status in [400, 401, 429, 500, 529]:
            with row(status):
                models.fail(status=status)
                answer = await ask(wired, wire, "hi", stream=status == 529)
                assert answer.status_code == status
                assert answer.json()["error"]["message"] == "made to fail by the test"
                if wire is MESSAGES:
                    assert answer.content == models.sent_bytes[-1]
                    assert (answer.headers["request-id"], answer.headers["retry-after"]) == ("req_fake", "7")
                assert (await wired.get("/v1/sessions"))["items"] == []
                assert await recorded(wired) is None


def whole(wire: Wire, text: str) -> list[bytes]:
    if wire is RESPONSES:
        return list(response_events(response_output(text)))
    return list(message_events(message_content(text)))


async def test_a_stream_that_breaks_off_ends_with_an_error_and_leaves_what_it_said(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    said = whole(wire, "one two three")
    first = next(at for at, one in enumerate(said) if b"two" in one)
    models.stream_next(*said[: first + 1], cut=True)
    answer = await ask(wired, wire, "count", stream=True)
    assert answer.content.startswith(models.sent_bytes[-1])
    last = events(answer.content)[-1]
    assert last["type"] == "error"
    assert "broke off" in (last["message"] if wire is RESPONSES else last["error"]["message"])
    assert await captured(wired) == [("user", "count"), ("assistant", "one two ")]
    prompt, completion = await used(wired)
    assert prompt > 0
    assert completion > 0


async def test_a_model_that_fails_in_its_stream_before_it_speaks_leaves_nothing(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    if wire is RESPONSES:
        failed = event({"type": "response.failed", "sequence_number": 2, "response": {"status": "failed"}})
    else:
        failed = event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    models.stream_next(whole(wire, "x")[0], failed)
    answer = await ask(wired, wire, "hi", stream=True)
    assert answer.content == models.sent_bytes[-1]
    await ask(wired, wire, "hi", stream=True)
    assert await history(wired) == [("user", "hi"), ("assistant", "ok")]


async def test_a_client_that_leaves_early_leaves_what_it_heard(wired: Api, models: FakeModels, wire: Wire) -> None:
    models.say("one two " + "word " * 5_000)
    body = wire.ask("count") | {"stream": True}
    headers = KNOWN | {"Authorization": f"Bearer {wired.key}"}
    async with wired.http.stream("POST", wire.path, json=body, headers=headers) as answer:
        async for part in answer.aiter_bytes():
            if wire.text_event.encode() in part:
                break
    kept = await captured(wired)
    assert kept[0] == ("user", "count")
    assert kept[1][1].startswith("one ")


async def test_a_request_sent_twice_with_one_key_is_answered_and_kept_once(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    headers = KNOWN | {"Idempotency-Key": "again"}
    first, second = [
        await wired.call("POST", wire.path, json=wire.ask("hi"), headers=headers) for _ in range(2)
    ]  # fmt: skip
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"
    assert models.calls[wire.name] == 1
    assert await history(wired) == [("user", "hi"), ("assistant", "ok")]


async def test_conversations_without_a_name_go_on_in_one_session(wired: Api, models: FakeModels, wire: Wire) -> None:
    field = "input" if wire is RESPONSES else "messages"
    said: list[Json] = [{"role": "user", "content": "one"}]
    names = set()
    for answer, reply in (("two", "three"), ("four", "five")):
        models.say(answer)
        got = await wired.call("POST", wire.path, json=wire.ask("") | {field: said})
        names.add(got.headers["x-reverie-session"])
        said = [*said, {"role": "assistant", "content": answer}, {"role": "user", "content": reply}]
    (session,) = names
    assert [text for _, text in await history(wired, session, "default")] == ["one", "two", "three", "four"]


async def test_names_are_masked(wired: Api, models: FakeModels, database_url: str, wire: Wire) -> None:
    await wired.put("/v1/settings", {"pii": {"mode": "redact"}})
    who = "bob@secret.example"
    named = {"user": who} if wire is RESPONSES else {"metadata": {"user_id": who}}
    await ask(wired, wire, f"I am {who}", **named)
    (stored, _) = (await wired.get("/v1/sessions/s/messages", agent="iris"))["items"]
    assert stored["user"] is not None
    assert "@secret.example" not in dump(database_url)
    await wired.put("/v1/settings", {"pii": {"mode": "reject"}})
    answer = await ask(wired, wire, "hi", **named)
    assert answer.status_code == 200
    assert answer.headers["x-reverie-memory"] == "failed"


async def test_an_image_passes_and_is_not_kept(wired: Api, models: FakeModels, wire: Wire) -> None:
    data = "A" * 3_000_000
    if wire is RESPONSES:
        image: Json = {"type": "input_image", "image_url": f"data:image/png;base64,{data}"}
        said = [{"role": "user", "content": [{"type": "input_text", "text": "What is it?"}, image]}]
        answer = await ask(wired, wire, said)
        assert models.requests(wire.name)[0]["input"] == said
    else:
        source = {"type": "base64", "media_type": "image/png", "data": data}
        image = {"type": "image", "source": source}
        parts = [{"type": "text", "text": "What is it?", "cache_control": {"type": "ephemeral"}}, image]
        answer = await ask(wired, wire, parts)
        assert models.requests(wire.name)[0]["messages"][0]["content"] == parts
    assert answer.status_code == 200
    ((_, content), _) = await history(wired)
    assert content[0]["text"] == "What is it?"
    assert "(not kept)" in json.dumps(content[1])
    assert "cache_control" not in json.dumps(content)


async def test_the_block_is_added_and_nothing_else_changes(wired: Api, models: FakeModels, wire: Wire) -> None:
    await wired.save("The assistant is called Iris", type="identity", agent="iris")
    sent = wire.ask("Who?") | {wire.system: "Be brief.", "temperature": 0.25, "tools": []}
    answer = await wired.call("POST", wire.path, json=sent, headers=KNOWN | {"X-Reverie-Max-Tokens": "200"})
    assert 0 < int(answer.headers["x-reverie-memory-tokens"]) <= 200
    (got,) = models.requests(wire.name)
    assert {**got, wire.system: "Be brief."} == sent
    assert got[wire.system].startswith(f"Be brief.\n\n{OPEN}")
    assert got[wire.system].endswith(CLOSE)


async def test_an_answer_that_is_too_large_is_cut_off(in_front: Settings, models: FakeModels, wire: Wire) -> None:
    async with serving(tuned(in_front, proxy_answer_bytes_max=2_000)) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["m", "claude*"]}})
        models.say("word " * 2_000, "word " * 2_000)
        at_once = await ask(api, wire, "hi")
        assert at_once.status_code == 502
        assert "bytes" in at_once.json()["error"]["message"]
        streamed = await ask(api, wire, "hi", stream=True)
        assert events(streamed.content)[-1]["type"] == "error"


async def test_a_provider_of_another_protocol_answers_too(settings: Settings, models: FakeModels, wire: Wire) -> None:
    provider = "together_ai" if wire is RESPONSES else "openai"
    behind = {"llm_model": f"{provider}/some", "llm_api_base": models.base_url, "llm_api_key": "the-models-key"}
    async with serving(settings.model_copy(update=behind)) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["*"]}})
        answer = await ask(api, wire, "hi", model="some")
        assert wire.text(answer.json()) == "ok"
        streamed = events((await ask(api, wire, "again", model="some", stream=True)).content)
        assert wire.text_event in [one["type"] for one in streamed]
        assert streamed[-1]["type"] == wire.last_event
        assert models.requests("chat")[0]["model"] == "some"
        assert (await ask(api, wire, "hi", tools=[{"type": "mcp", "server_url": "http://x"}])).status_code == 400
        models.fail(status=429)
        assert (await ask(api, wire, "hi")).status_code == 429
        assert [text for _, text in await history(api)] == ["hi", "ok", "again", "ok"]
        smuggled = {"api_base": "http://example.invalid", "extra_headers": {"x": "y"}}
        assert (await ask(api, wire, "hi", **smuggled)).status_code == 200
