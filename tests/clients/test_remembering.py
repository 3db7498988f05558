"""``remember`` over the real packages: what the model is sent, what is kept, and calls that go on whatever fails."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import litellm
import pytest
from openai import AsyncOpenAI, OpenAI

from reverie import Reverie as InProcess
from reverie_client import Reverie, remember
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Tenant

QUESTION = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What shall I drink?"}]
TOOL = {"type": "function", "function": {"name": "order", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def model() -> Iterator[FakeModels]:
    with FakeModels() as server:
        yield server


@pytest.fixture
async def reverie(static_tenant: Tenant) -> Reverie:
    client = Reverie(str(static_tenant.http.base_url), static_tenant.key, agent="ada")
    await asyncio.to_thread(client.save_memory, "preference", "Sam likes green tea", user="sam")
    return client


def kept(reverie: Reverie, session: str) -> list[tuple[str, Any]]:
    return [(one.role, one.content) for one in reverie.list_messages(session)]


def chat(client: Any, **fields: Any) -> str:
    answer = client.chat.completions.create(model="m", messages=QUESTION, **fields)
    if not fields.get("stream"):
        return str(answer.choices[0].message.content)
    return "".join(part.choices[0].delta.content or "" for part in answer if part.choices)


def through_litellm(client: Any, **fields: Any) -> str:
    answer = client.completion(model="openai/m", messages=QUESTION, **fields)
    if not fields.get("stream"):
        return str(answer.choices[0].message.content)
    return "".join(part.choices[0].delta.content or "" for part in answer)


def responses(client: Any, **fields: Any) -> str:
    given = {"model": "m", "instructions": "Be brief.", "input": "What shall I drink?"}
    answer = client.responses.create(**given, **fields)
    if not fields.get("stream"):
        return str(answer.output_text)
    return "".join(event.delta for event in answer if event.type == "response.output_text.delta")


@pytest.mark.first_tier
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("ask", [chat, through_litellm, responses])
async def test_a_call_recalls_before_and_keeps_after(
    reverie: Reverie, model: FakeModels, ask: Callable[..., str], stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    model.say("Green tea.")
    plain: Any = litellm if ask is through_litellm else OpenAI()

    def work() -> str:
        client = remember(plain, user="sam", session="monday", reverie=reverie)
        return ask(client, stream=True) if stream else ask(client)

    assert await asyncio.to_thread(work) == "Green tea."
    sent = json.dumps(model.requests("responses" if ask is responses else "chat")[-1])
    assert sent.index("Be brief.") < sent.index("Sam likes green tea")
    said = await asyncio.to_thread(kept, reverie, "monday")
    assert said == [("user", "What shall I drink?"), ("assistant", "Green tea.")]


class Messages:
    """What Anthropic's client sends and gives, whose package is tried in ``tests/integrations``."""

    def __init__(self, base_url: str) -> None:
        self.messages = self
        self._url = f"{base_url}/messages"

    def with_options(self) -> Messages:
        return Messages(self._url.removesuffix("/messages"))

    def create(self, **fields: Any) -> Any:
        answer = httpx.post(self._url, json=fields).raise_for_status()
        lines = (line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: "))
        return map(json.loads, lines) if fields.get("stream") else answer.json()


async def test_messages_recall_in_their_system_and_keep_what_tools_said(reverie: Reverie, model: FakeModels) -> None:
    model.say("Green tea.", {"name": "order", "arguments": {"tea": "green"}}, "On its way.")
    asked = QUESTION[1:]
    done = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "order", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ordered"}]},
    ]

    def work() -> None:
        client = remember(Messages(model.base_url), user="sam", session="s", reverie=reverie)
        client.messages.create(model="m", max_tokens=9, system="Be brief.", messages=asked)
        list(client.messages.create(model="m", max_tokens=9, messages=asked, stream=True))
        client.messages.create(model="m", max_tokens=9, messages=[*asked, *done])

    await asyncio.to_thread(work)
    first, *_ = model.requests("messages")
    assert first["system"][0]["text"] == "Be brief."
    assert "Sam likes green tea" in first["system"][1]["text"]
    said = await asyncio.to_thread(kept, reverie, "s")
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant", "tool", "assistant"]
    assert json.loads(said[3][1]["tool_calls"][0]["function"]["arguments"]) == {"tea": "green"}
    assert [said[1][1], *(text for _, text in said[4:])] == ["Green tea.", "ordered", "On its way."]


async def test_an_awaited_client_is_awaited_and_its_stream_may_be_left_early(
    reverie: Reverie, model: FakeModels
) -> None:
    client = remember(AsyncOpenAI(api_key="any", base_url=model.base_url), user="sam", session="s", reverie=reverie)
    assert isinstance(client, AsyncOpenAI)
    model.say("Green tea.", "Black tea, this time.")
    answer = await client.chat.completions.create(model="m", messages=QUESTION)  # type: ignore[arg-type]
    assert answer.choices[0].message.content == "Green tea."
    async with await client.chat.completions.create(model="m", messages=QUESTION, stream=True) as stream:  # type: ignore[arg-type]
        async for part in stream:
            if part.choices and part.choices[0].delta.content:
                break
    said = await asyncio.to_thread(kept, reverie, "s")
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant"]
    assert "Black tea, this time.".startswith(said[-1][1])


async def test_each_step_of_a_tool_loop_keeps_what_is_new_in_it(reverie: Reverie, model: FakeModels) -> None:
    model.say({"name": "order", "arguments": {"tea": "green"}}, "It is on its way.")

    def work() -> None:
        plain = OpenAI(api_key="any", base_url=model.base_url)
        client: Any = remember(plain, user="sam", session="s", reverie=reverie)
        first = client.chat.completions.create(model="m", messages=QUESTION, tools=[TOOL]).choices[0].message
        done = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "ordered"}
        client.chat.completions.create(model="m", messages=[*QUESTION, first, done], tools=[TOOL])

    await asyncio.to_thread(work)
    user, called, tool, answer = await asyncio.to_thread(kept, reverie, "s")
    assert (user, tool, answer) == (
        ("user", "What shall I drink?"),
        ("tool", "ordered"),
        ("assistant", "It is on its way."),
    )
    assert json.loads(called[1]["tool_calls"][0]["function"]["arguments"]) == {"tea": "green"}


def test_a_memory_that_fails_or_hangs_costs_its_deadline_and_a_line(
    model: FakeModels, caplog: pytest.LogCaptureFixture
) -> None:
    released = threading.Event()

    def hang(request: httpx.Request) -> httpx.Response:
        released.wait()
        return httpx.Response(503)

    plain = OpenAI(api_key="any", base_url=model.base_url)
    hanging = Reverie(http=httpx.Client(base_url="http://reverie", transport=httpx.MockTransport(hang)))
    absent = Reverie("http://127.0.0.1:9", "key", retries=0)
    with caplog.at_level(logging.WARNING):
        for reverie, deadline_s in ((absent, 60.0), (hanging, 0.01)):
            model.say("Water.")
            assert chat(remember(plain, "ada", user="sam", reverie=reverie, deadline_s=deadline_s)) == "Water."
    released.set()
    said = [record.getMessage() for record in caplog.records if record.name.startswith("reverie_client")]
    assert len([one for one in said if one.startswith("Nothing is")]) == 4


def test_what_it_cannot_read_goes_on_as_it_is(model: FakeModels, caplog: pytest.LogCaptureFixture) -> None:
    client: Any = remember(OpenAI(api_key="any", base_url=model.base_url), "ada", reverie=Reverie("http://127.0.0.1:9"))
    model.say("Water.")
    with caplog.at_level(logging.WARNING):
        client.chat.completions.create(model="m", messages=[{"content": "no role"}])
    assert "cannot read" in caplog.text
    with pytest.raises(TypeError, match="dict"):
        remember({})


async def test_it_works_on_reverie_in_process(database_url: str, model: FakeModels) -> None:
    model.say("Green tea.")

    def work() -> list[tuple[str, Any]]:
        with InProcess.local(database_url=database_url, agent="ada", dreams=False) as reverie:
            plain = OpenAI(api_key="any", base_url=model.base_url)
            chat(remember(plain, user="sam", session="s", reverie=reverie))
            return kept(reverie, "s")

    assert await asyncio.to_thread(work) == [("user", "What shall I drink?"), ("assistant", "Green tea.")]
