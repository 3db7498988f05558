"""The official client against the proxy, the proxy against an OpenAI-compatible server, all over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest

from service.domain.prompt_fence import CLOSE, OPEN
from service.embedding.tokens import count_tokens
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, serving
from tests.pg_dump import dump
from tests.tables import table
from tests.waiting import until
from worker.app import run_once

CHAT = "/v1/chat/completions"


@pytest.fixture
def model() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(key="the-models-key") as server:
        yield server


@pytest.fixture
def proxied(settings: Settings, model: FakeOpenAI) -> Settings:
    return settings.model_copy(update={"llm_api_base": model.base_url, "llm_api_key": "the-models-key"})


@pytest.fixture
async def api(proxied: Settings) -> AsyncIterator[Api]:
    async with serving(proxied) as opened:
        await opened.put("/v1/settings", {"proxy": {"enabled": True, "models": ["m", "gemma*"]}})
        yield opened


def client(api: Api, key: str | None = None, **headers: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key or api.key, base_url=f"{api.http.base_url}/v1", default_headers=headers, max_retries=0
    )


def user(text: Any) -> list[Any]:
    return [{"role": "user", "content": text}]


async def history(api: Api, session: str, agent: str) -> list[tuple[str, Any]]:
    found = await api.get(f"/v1/sessions/{session}/messages", agent=agent)
    return [(one["role"], one["content"]) for one in found["items"]]


async def test_the_second_conversation_knows_what_the_first_said(
    api: Api, model: FakeOpenAI, proxied: Settings
) -> None:
    iris = client(api, (await api.as_role("agent", "iris")).key)
    model.say("Nice to meet you.")
    first = await iris.chat.completions.create(
        model="m", messages=user("My name is Ada and I live in Bergen."), user="u1"
    )
    assert first.choices[0].message.content == "Nice to meet you."
    await run_once(proxied)
    model.say(lambda body: json.dumps(body["messages"]))
    second = await iris.chat.completions.create(model="m", messages=user("Where do I live?"), user="u1")
    assert "Bergen" in str(second.choices[0].message.content)


async def test_what_is_older_than_the_setting_allows_reaches_no_model(api: Api, model: FakeOpenAI) -> None:
    await api.save("Likes jasmine tea", type="identity", agent="default")
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute("UPDATE memories SET created_at = created_at - interval '91 days'")
        await connection.raw.execute("UPDATE search_index SET created_at = created_at - interval '91 days'")
    for days, knows in ((92, True), (90, False)):
        await api.put("/v1/settings", {"retrieval": {"days_max": days}})
        await client(api).chat.completions.create(model="m", messages=user("Which tea?"))
        assert ("jasmine" in json.dumps(model.requests("chat")[-1])) is knows


async def test_streaming(api: Api, model: FakeOpenAI) -> None:
    chat = client(api, **{"X-Reverie-Session": "s", "X-Reverie-Agent": "iris"})
    model.say("It is a fine day in Bergen.")
    stream = await chat.chat.completions.create(
        model="m", messages=user("How is the weather?"), stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "It is a fine day in Bergen."
    assert chunks[-1].usage is not None
    assert await history(api, "s", "iris") == [("user", "How is the weather?"), ("assistant", text)]


async def test_turns_of_a_conversation_are_kept_once(api: Api, model: FakeOpenAI) -> None:
    chat = client(api)
    messages = [{"role": "system", "content": "Be brief."}, *user("one")]
    names = set()
    for answer, reply in (("two", "three"), ("four", "five")):
        model.say(answer)
        raw = await chat.chat.completions.with_raw_response.create(model="m", messages=messages)
        names.add(raw.headers["x-reverie-session"])
        messages = [*messages, {"role": "assistant", "content": answer}, *user(reply)]
    (session,) = names
    assert [text for _, text in await history(api, session, "default")] == ["one", "two", "three", "four"]


BODIES = [
    b'{ "model":"m",  "messages":[{"role":"user","content":"\\u0041 tea"}], '
    b'"temperature": 1.0, "seed": 12345678901234567890 }',
    b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "tea"}, '
    b'{"type": "image_url", "image_url": {"url": "data:;base64,AA=="}}]}],"model":"m","tools":[]}',
]


async def test_with_memory_off_the_model_gets_the_clients_bytes(api: Api, model: FakeOpenAI) -> None:
    await api.save("Likes tea", type="identity", agent="default")
    with table() as row:
        for content in BODIES:
            for off in ("1", "true", "yes", "TRUE"):
                with row(content, off):
                    answer = await api.call("POST", CHAT, content=content, headers={"X-Reverie-No-Memory": off})
                    assert answer.status_code == 200
                    assert answer.headers["x-reverie-memory"] == "off"
                    assert answer.headers["x-reverie-memory-tokens"] == "0"
                    assert model.raw("chat")[-1] == content
                    assert (await api.get("/v1/sessions"))["items"] == []


@pytest.mark.parametrize(
    ("headers", "name", "at"),
    [
        ({}, "m", 1),
        ({"X-Reverie-Placement": "system"}, "m", 1),
        ({"X-Reverie-Placement": "user"}, "m", 3),
        ({}, "gemma-3", 3),
    ],
)
async def test_with_memory_on_one_block_is_added_in_its_place(
    api: Api, model: FakeOpenAI, headers: dict[str, str], name: str, at: int
) -> None:
    await api.save("The assistant is called Iris", type="identity", agent="default")
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    sent = {
        "model": name,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": [{"type": "text", "text": "Who?"}, image]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "4"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}],
        "temperature": 0.25,
        "seed": 7,
    }  # fmt: skip
    answer = await api.call("POST", CHAT, json=sent, headers=headers | {"X-Reverie-Max-Tokens": "200"})
    assert answer.headers["x-reverie-memory"] in ("on", "degraded")
    (got,) = model.requests("chat")
    block = got["messages"].pop(at)
    assert got == sent
    assert block["role"] == ("user" if at == 3 else "system")
    assert block["content"].startswith(OPEN)
    assert block["content"].endswith(CLOSE)
    assert count_tokens(block["content"]) == int(answer.headers["x-reverie-memory-tokens"]) <= 200


async def test_a_tool_call_comes_back_and_its_turns_are_kept(api: Api, model: FakeOpenAI) -> None:
    chat = client(api, **{"X-Reverie-Session": "s"})
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    completion = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    model.fail(body=completion | {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": said}]})
    first = await chat.chat.completions.create(model="m", messages=user("sum?"))
    assert first.choices[0].message.tool_calls is not None
    model.say("It is 4.")
    result = {"role": "tool", "tool_call_id": "c1", "content": "4"}
    await chat.chat.completions.create(model="m", messages=[*user("sum?"), said, result])
    roles = [role for role, _ in await history(api, "s", "default")]
    assert roles == ["user", "assistant", "tool", "assistant"]


async def test_a_failing_memory_never_fails_the_answer_and_says_so(api: Api, model: FakeOpenAI) -> None:
    await api.save("Likes tea", agent="default")
    async with api.runtime.db.unscoped() as connection:
        await connection.raw.execute("ALTER TABLE bulletins RENAME TO gone")
        await connection.raw.execute("ALTER TABLE messages RENAME TO gone_too")
    answer = await api.call("POST", CHAT, json={"model": "m", "messages": user("hi")})
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "ok"
    assert answer.headers["x-reverie-memory"] == "failed"
    assert "recall" in answer.headers["x-reverie-memory-detail"]
    stream = await client(api).chat.completions.create(model="m", messages=user("hi"), stream=True)
    assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == "ok"


async def test_a_slow_memory_is_not_waited_for(api: Api, model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"proxy": {"recall_timeout_ms": 50}})
    locked = asyncio.Event()
    done = asyncio.Event()

    async def lock() -> None:
        async with api.runtime.db.unscoped() as connection, connection.raw.transaction():
            await connection.raw.execute("LOCK TABLE bulletins, sessions IN ACCESS EXCLUSIVE MODE")
            locked.set()
            await done.wait()

    holder = asyncio.create_task(lock())
    await locked.wait()
    try:
        answer = await api.call("POST", CHAT, json={"model": "m", "messages": user("hi")})
    finally:
        done.set()
        await holder
    assert answer.status_code == 200
    assert answer.headers["x-reverie-memory"] == "failed"
    assert "timed out" in answer.headers["x-reverie-memory-detail"]
    session = answer.headers["x-reverie-session"]

    async def kept() -> list[tuple[str, Any]]:
        there = await api.status("GET", f"/v1/sessions/{session}", params={"agent": "default"}) == 200
        return await history(api, session, "default") if there else []

    assert await until(kept, "the turn is lost") == [("user", "hi"), ("assistant", "ok")]


async def test_the_models_refusals_are_passed_on(api: Api, model: FakeOpenAI) -> None:
    model.fail(status=429)
    with pytest.raises(openai.RateLimitError, match="made to fail by the test"):
        await client(api).chat.completions.create(model="m", messages=user("hi"))
    model.fail(status=400)
    with pytest.raises(openai.BadRequestError):
        await client(api).chat.completions.create(model="m", messages=user("hi"), stream=True)
    assert (await api.get("/v1/sessions"))["items"] == []


async def test_a_client_that_leaves_early_leaves_what_it_heard(api: Api, model: FakeOpenAI) -> None:
    model.say("one two " + "word " * 5_000)
    chat = client(api, **{"X-Reverie-Session": "s"})
    stream = await chat.chat.completions.create(model="m", messages=user("count"), stream=True)
    await anext(stream)
    await stream.close()

    async def heard() -> list[tuple[str, Any]]:
        there = await api.status("GET", "/v1/sessions/s", params={"agent": "default"}) == 200
        return await history(api, "s", "default") if there else []

    kept = await until(heard, "nothing is kept")
    assert kept[0] == ("user", "count")
    assert kept[1][1].startswith("one ")


async def test_a_proxy_that_is_off_is_not_there_and_calls_nothing(api: Api, model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"proxy": {"enabled": False}})
    body = {"model": "m", "messages": user("hi")}
    with table() as row:
        for role in ("admin", "agent", "reader"):
            caller = await api.as_role(role, "iris" if role == "agent" else None)
            for headers in ({}, {"X-Reverie-No-Memory": "1"}, {"X-Reverie-Agent": "iris"}):
                with row(role, headers):
                    answer = await caller.call("POST", CHAT, json=body, headers=headers)
                    assert answer.status_code == 404
                    assert "proxy.enabled" in answer.json()["detail"]
    assert model.calls["chat"] == 0


async def test_a_reader_may_not_spend(api: Api, model: FakeOpenAI) -> None:
    reader = await api.as_role("reader")
    for headers in ({}, {"X-Reverie-No-Memory": "1"}):
        answer = await reader.call("POST", CHAT, json={"model": "m", "messages": user("hi")}, headers=headers)
        assert answer.status_code == 403
        assert "reader" in answer.json()["detail"]
    assert model.calls["chat"] == 0


async def test_a_key_is_needed_and_headers_are_checked(api: Api, model: FakeOpenAI) -> None:
    with pytest.raises(openai.AuthenticationError):
        await client(api, "wrong").chat.completions.create(model="m", messages=user("hi"))
    body = {"model": "m", "messages": user("hi")}
    for headers in (
        {"X-Reverie-Placement": "soup"},
        {"X-Reverie-Max-Tokens": "-1"},
        {"X-Reverie-No-Memory": "perhaps"},
    ):
        assert await api.status("POST", CHAT, json=body, headers=headers) == 422
    assert model.calls["chat"] == 0


async def test_a_request_larger_than_others_may_be_goes_through(api: Api, model: FakeOpenAI) -> None:
    image = [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3_000_000}}]
    await client(api, **{"X-Reverie-Session": "s"}).chat.completions.create(model="m", messages=user(image))
    assert model.requests("chat")[0]["messages"][-1]["content"] == image
    assert await history(api, "s", "default") == [
        ("user", [{"type": "image_url", "image_url": {"url": "(not kept)"}}]),
        ("assistant", "ok"),
    ]


async def test_without_a_model_the_proxy_says_so(settings: Settings) -> None:
    async with serving(settings) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True}})
        answer = await api.call("POST", CHAT, json={"model": "m", "messages": user("hi")})
        assert answer.status_code == 503
        assert "LLM_MODEL" in answer.json()["detail"]


async def test_a_provider_behind_litellm_answers_too(settings: Settings, model: FakeOpenAI) -> None:
    behind = {"llm_model": "together_ai/some", "llm_api_base": model.base_url, "llm_api_key": "the-models-key"}
    async with serving(settings.model_copy(update=behind)) as api:
        await api.put("/v1/settings", {"proxy": {"enabled": True, "models": ["together_ai/*", "m"]}})
        chat = client(api, **{"X-Reverie-Session": "s"})
        answer = await chat.chat.completions.create(model="other", messages=user("hi"))
        assert answer.choices[0].message.content == "ok"
        stream = await chat.chat.completions.create(model="some", messages=user("again"), stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]) == "ok"
        assert model.requests("chat")[0]["model"] == "other"
        smuggled = {"model": "m", "messages": user("hi"), "api_base": "http://example.invalid"}
        assert await api.status("POST", CHAT, json=smuggled | {"top_k": 3}) == 400
        assert await api.status("POST", CHAT, json=smuggled, headers={"X-Reverie-Session": "other"}) == 200
        assert "api_base" not in model.requests("chat")[-1]
        assert [text for _, text in await history(api, "s", "default")] == ["hi", "ok", "again", "ok"]


async def test_names_are_masked_and_stay_different(api: Api, model: FakeOpenAI, database_url: str) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "redact"}})
    names = {who: f"{who}@secret.example" for who in ("bob", "amy")}
    for who, name in names.items():
        headers = {"X-Reverie-Agent": name, "X-Reverie-Session": name, "X-Reverie-Task": name}
        said = [{"role": "user", "content": f"I am {who}", "name": name}]
        model.say("Hello")
        answer = await client(api, **headers).chat.completions.with_raw_response.create(
            model="m", messages=said, user=name
        )
        assert answer.headers["x-reverie-memory"] == "degraded"  # it goes without an embedder
    for who, name in names.items():
        stored = (await api.get(f"/v1/sessions/{name}/messages", agent=name))["items"]
        assert [message["content"] for message in stored] == [f"I am {who}", "Hello"]
        assert stored[0]["user"] == stored[0]["name"] != name
    assert "@secret.example" not in dump(database_url)


async def test_where_personal_data_is_refused_the_model_answers_without_memory(api: Api, model: FakeOpenAI) -> None:
    await api.put("/v1/settings", {"pii": {"mode": "reject"}})
    model.say("Hello")
    chat = client(api, **{"X-Reverie-User": "bob@secret.example", "X-Reverie-Agent": "iris"})
    answer = await chat.chat.completions.with_raw_response.create(model="m", messages=user("Hi"))
    assert answer.headers["x-reverie-memory"] == "failed"
    assert (await api.get("/v1/sessions"))["items"] == []
