"""Models that answer in every style there is, or break one entry in three: nothing is lost that can be read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

import pytest

from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api
from tests.llm.answer_styles import ANY, ENTRIES, NO_ANSWERS
from tests.worker.dreaming import (
    asked_for,
    contents,
    dream,
    fact,
    model,
    note_everything,
    notes,
    noting_model,
    say,
    turns_of,
)
from tests.worker.test_llm_faults import due

Json = dict[str, Any]
Style = Callable[[Json], str]


@pytest.fixture
async def server(api: Api) -> AsyncIterator[FakeOpenAI]:
    async with noting_model(api) as opened:
        yield opened


def in_style(style: Style) -> Callable[[Json], str]:
    return lambda body: style(json.loads(note_everything(body)))


async def test_a_preview_reads_every_style(api: Api, server: FakeOpenAI) -> None:
    said = {"agent": "a", "messages": [{"role": "user", "content": said} for said in ("I live in Oslo.", "I run.")]}
    for name, style in (ANY | ENTRIES).items():
        server.default_reply = in_style(style)
        found = await api.post("/v1/extract", said)
        assert found["degraded"] is None, name
        noted = {one["content"] for one in found["candidates"]}
        assert noted == {"user said: I live in Oslo.", "user said: I run."}, name
        assert found["rejected"] == sum(found["left_out"].values()) == (2 if "broken" in name else 0), name


async def test_a_model_that_errs_in_every_third_answer_loses_nothing(api: Api, server: FakeOpenAI) -> None:
    answers = count(1)
    broken = [*NO_ANSWERS.values()]

    def erring(body: Json) -> str:
        if asked_for(body) != "Notes":
            return note_everything(body)
        number = next(answers)
        if number % 3 == 0:
            return broken[number // 3 % len(broken)]
        return ENTRIES["one more that is broken"](json.loads(note_everything(body)))

    server.default_reply = erring
    for session in range(4):
        await say(api, *(f"I have read book number {n} of {session}." for n in range(100)), session=f"s{session}")
    while (await due(api))[0]:
        await dream(api.runtime)
    dreams = (await api.get("/v1/dreams", limit=200))["items"]
    # Where a chunk meets three broken answers in a row, its dream fails and the next one reads it.
    assert {one["status"] for one in dreams} <= {"succeeded", "failed"}
    made = await contents_of_all(api)
    assert made == {f"u1 said: I have read book number {n} of {session}." for n in range(100) for session in range(4)}
    of_dreams = [body for body in server.requests("chat") if asked_for(body)]  # not the summaries of the window
    assert sum(one["report"]["llm"]["calls"] for one in dreams) == len(of_dreams)
    assert sum(one["report"].get("rejected", 0) for one in dreams) > 0


async def contents_of_all(api: Api) -> set[str]:
    found: set[str] = set()
    cursor: str | None = None
    while True:
        page = await api.get("/v1/memories", agent="a", limit=200, **({"cursor": cursor} if cursor else {}))
        found |= {memory["content"] for memory in page["items"] if memory["type"] == "fact"}
        cursor = page["next_cursor"]
        if cursor is None:
            return found


async def test_what_was_lost_alone_is_asked_for_again(api: Api, server: FakeOpenAI) -> None:
    await say(api, "I live in Oslo.", "I run.")
    broken = fact("", 2) | {"content": {"said": "I run"}}
    server.say(
        notes([fact("u1 lives in Oslo.", 1), broken]), notes([fact("u1 runs.", 2), fact("u1 lives in Oslo.", 1)])
    )
    done = await dream(api.runtime)
    assert await contents(api) == {"u1 lives in Oslo.", "u1 runs."}
    first, second = (body for body in server.requests("chat") if asked_for(body) == "Notes")
    assert second["messages"][:-2] == first["messages"]
    assert "entry 2: content" in second["messages"][-1]["content"]
    assert done["report"]["left_out"] == {}


async def test_an_answer_that_does_not_fit_is_asked_for_in_halves(api: Api, server: FakeOpenAI) -> None:
    def short(body: Json) -> str:
        if asked_for(body) == "Notes" and len(turns_of(body)) > 2:
            return note_everything(body)[:70]
        return note_everything(body)

    server.default_reply = short
    await say(api, *(f"I own boat number {n}." for n in range(7)))
    assert (await dream(api.runtime))["status"] == "succeeded"
    assert await contents(api) == {f"u1 said: I own boat number {n}." for n in range(7)}


async def test_nothing_but_rejects_fails_with_the_reason_or_the_rules_stand_in(api: Api, server: FakeOpenAI) -> None:
    def without_evidence(body: Json) -> str:
        return notes([{"type": "fact", "content": "Ann is well."}]) if asked_for(body) == "Notes" else "{}"

    server.default_reply = without_evidence
    await say(api, "I live in Oslo.", "I work at Acme.")
    failed = await dream(api.runtime)
    assert failed["status"] == "failed"
    assert "evidence: is required" in failed["error"]
    assert await due(api) == (2, 2)
    await api.put("/v1/settings", {"llm": {"extract": {"rules_stand_in": True}}})
    done = await dream(api.runtime)
    assert (done["status"], done["report"]["read_by_rules"]) == ("succeeded", 2)
    assert await contents(api) == {"u1 lives in Oslo.", "u1 works at Acme."}
    assert (await due(api))[0] == 0


async def test_what_was_read_and_left_is_told_by_reason(api: Api, server: FakeOpenAI) -> None:
    await api.put("/v1/agents/a", {"settings": {"dream": {"ignore_types": ["event"]}}})
    await say(api, "I live in Oslo.")
    unseen = [fact("Ann is well.", 7), fact("Ann is ill.", 8)]
    server.say(notes([fact("u1 lives in Oslo.", 1), *unseen, fact("u1 was there.", 1, type="event")]))
    report = (await dream(api.runtime))["report"]
    assert report["left_out"] == {
        "it cites a message that was not shown": 2,
        "the type event is not kept": 1,
    }
    assert (report["rejected"], report["ignored"]) == (2, 1)


async def test_models_that_take_no_schema_are_given_a_tool(api: Api, server: FakeOpenAI) -> None:
    api.runtime.llm = model(server, timeout_s=60)
    api.runtime.llm._endpoints[0].json_schema = None
    api.runtime.llm._endpoints[0].model = "openai/gpt-3.5-turbo"
    server.say({"name": "answer", "arguments": {"memories": [fact("u1 is well.", 1)]}})
    found = await api.post("/v1/extract", {"agent": "a", "text": "I am well."})
    assert [one["content"] for one in found["candidates"]] == ["u1 is well."]
    (body,) = server.requests("chat")
    assert body["tools"][0]["function"]["parameters"]["properties"].keys() == {"memories"}
    assert "JSON schema" not in body["messages"][0]["content"]
