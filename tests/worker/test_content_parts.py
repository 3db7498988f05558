"""Messages in OpenAI's list form are read like strings: by rules, by a model, in windows, contexts and searches."""

from __future__ import annotations

from typing import Any

import pytest

from service.provider import load_litellm
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Tenant
from tests.worker.dreaming import asked_for, contents, dream, model, note_everything, turns_of
from worker.maintenance.upkeep import compact_next

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}


@pytest.fixture
def api(tenant: Tenant) -> Tenant:
    """A workspace of a server that other tests share."""
    return tenant


def parts(*texts: str) -> list[Any]:
    return [*({"type": "text", "text": text} for text in texts), IMAGE]


async def say(api: Api | Tenant, *said: Any) -> None:
    messages = [{"role": "user", "content": content} for content in said]
    await api.post("/v1/sessions/s/messages", {"agent": "a", "user": "ann", "messages": messages})


async def test_the_rules_learn_as_much_from_parts_as_from_strings(api: Tenant) -> None:
    await say(api, parts("I live in Bergen."), parts("I love Go.", "My sister is called Mia."), parts(), "I hate Java.")
    await dream(api)
    learnt = await contents(api)
    said = ("I live in Bergen.", "I love Go.\nMy sister is called Mia.", "I hate Java.")
    messages = [{"role": "user", "content": each} for each in said]
    await api.post("/v1/sessions/s/messages", {"agent": "b", "user": "ann", "messages": messages})
    await dream(api, "b")
    page = await api.get("/v1/memories", agent="b", limit=200)
    assert learnt == {memory["content"] for memory in page["items"]}
    assert any("Bergen" in content for content in learnt)


async def test_a_model_reads_the_words_of_parts(api: Tenant) -> None:
    await load_litellm()
    with FakeOpenAI() as server:
        server.default_reply = note_everything
        await say(api, parts("I live in Bergen."), parts(), {"reading": 7})
        with api.lending(llm=model(server)):
            await dream(api)
        (read,) = [turns_of(body) for body in server.requests("chat") if asked_for(body) == "Notes"]
    assert [turn["said"] for turn in read] == ["I live in Bergen.", '{"reading":7}']


async def test_windows_contexts_and_searches_show_the_words_of_parts(own_api: Api) -> None:
    api = own_api
    await say(api, parts("The harbour in Bergen is deep."), "hello")
    asked = {"agent": "a", "session": "s", "user": "ann", "message": "hello", "max_tokens": 2000}
    context = await api.post("/v1/context", asked)
    (window,) = [section["text"] for section in context["sections"] if section["name"] == "window"]
    assert "user: The harbour in Bergen is deep." in window
    assert "image_url" not in window
    found = await api.post("/v1/memories/search", {"agent": "a", "query": "harbour", "include": ["messages"]})
    assert found["results"][0]["message"]["seq"] == 1
    await say(api, *(f"Turn {n} about the garden." for n in range(20)))
    while await compact_next(api.runtime):
        pass
    summary = (await api.get("/v1/sessions/s/window", agent="a"))["summary"]["content"]
    assert "ann: The harbour in Bergen is deep." in summary
    assert "image_url" not in summary
