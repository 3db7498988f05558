"""Calls of language models, kept where a workspace wants it: what was asked and answered, masked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.model_calls import TEXT_CHARACTERS_MAX
from service.domain.spending import Payer, paid_by
from service.llm import Endpoint, LLMInvalidOutput, LLMRefused, LLMUnavailable, Reranker
from service.settings import Settings
from tests.fakes.openai_server import FakeOpenAI
from tests.live_api import Api, Json, serving
from tests.privacy.secret_corpus import TOKENS
from tests.worker.dreaming import dream, model, note_everything, say
from worker.maintenance.retention import apply_retention

KEEP = {"retention": {"model_calls_days": 7}}
SECRET = TOKENS["github_token"](Random(28))


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as opened:
        opened.default_reply = note_everything
        yield opened


@pytest.fixture
async def api(settings: Settings, server: FakeOpenAI) -> AsyncIterator[Api]:
    """A workspace that keeps its calls, with a model at the server."""
    async with serving(settings.model_copy(update={"embedding_model": "static"})) as opened:
        opened.runtime.llm = model(server, ledger=opened.runtime.budget, purpose="ask")
        await opened.put("/v1/settings", KEEP)
        await opened.put("/v1/agents/a", {})
        yield opened


async def kept(api: Api, **filters: Any) -> list[Json]:
    items: list[Json] = (await api.get("/v1/model-calls", **filters))["items"]
    return items


async def whole(api: Api, **filters: Any) -> Json:
    """The only call of these filters, with its texts."""
    (call,) = await kept(api, **filters)
    return await api.get(f"/v1/model-calls/{call['id']}")


async def ask(api: Api, text: str) -> str:
    """Put a text to the model as the agent a does."""
    with paid_by(Payer(DEFAULT_WORKSPACE, agent="a")):
        assert api.runtime.llm is not None
        return (await api.runtime.llm.complete([{"role": "user", "content": text}], tokens_max=50)).text


async def test_a_dreams_calls_are_found_by_dream_and_purpose(api: Api) -> None:
    await say(api, "I live in Ljubljana, in the house with the green door.")
    done = await dream(api.runtime)
    await say(api, "Sam moved to Bled.", agent="b")
    await dream(api.runtime, "b")
    calls = await kept(api, dream=done["id"])
    assert {call["agent"] for call in calls} == {"a"}
    assert len(calls) == done["report"]["llm"]["calls"]
    assert len(await kept(api, limit=200)) > len(calls)
    assert {call["agent"] for call in await kept(api, agent="b", limit=200)} == {"b"}
    call = await whole(api, dream=done["id"], purpose="extract")
    assert "the house with the green door" in call["input"]
    assert call["input"].startswith("system:\n")
    assert "Ljubljana" in call["output"]
    assert (call["outcome"], call["error"], call["attempt"], call["failover"]) == ("answered", None, 1, False)
    assert call["prompt_tokens"] > 0
    assert call["completion_tokens"] > 0
    assert call["key_id"] is None
    (listed,) = await kept(api, dream=done["id"], purpose="extract")
    assert listed["input"] == call["input"][:200]
    assert listed["input_chars"] == len(call["input"])


async def test_pages_and_spans_lead_through_all_calls(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "ok"
    for number in range(5):
        await ask(api, f"Question {number}")
    first = await api.get("/v1/model-calls", limit=3)
    second = await api.get("/v1/model-calls", limit=3, cursor=first["next_cursor"])
    inputs = [call["input"] for call in first["items"] + second["items"]]
    assert inputs == [f"user:\nQuestion {number}" for number in (4, 3, 2, 1, 0)]
    assert second["next_cursor"] is None
    third = first["items"][1]["at"]
    assert [call["input"][-1] for call in await kept(api, since=third)] == ["4", "3"]
    assert [call["input"][-1] for call in await kept(api, until=third)] == ["2", "1", "0"]


async def test_nothing_is_kept_until_a_workspace_wants_it(api: Api) -> None:
    await api.put("/v1/settings", {"retention": {"model_calls_days": None}})
    await say(api, "I live in Ljubljana.")
    await dream(api.runtime)
    assert await kept(api) == []
    for days in (0, 91, "x"):
        assert await api.status("PUT", "/v1/settings", json={"retention": {"model_calls_days": days}}) == 422


async def test_every_ending_is_kept_with_its_reason(api: Api, server: FakeOpenAI) -> None:
    server.fail(status=503)
    server.say("fine")
    await ask(api, "again")
    server.fail(status=400)
    with pytest.raises(LLMRefused):
        await ask(api, "refused")
    server.say("")
    with pytest.raises(LLMInvalidOutput):
        await ask(api, "empty")
    found = [(call["input"], call["outcome"], call["attempt"]) for call in reversed(await kept(api))]
    assert found == [
        ("user:\nagain", "unavailable", 1), ("user:\nagain", "answered", 2),
        ("user:\nrefused", "refused", 1), ("user:\nempty", "invalid", 1),
    ]  # fmt: skip
    assert all((call["outcome"] == "answered") == (call["error"] is None) for call in await kept(api))
    assert [call["input"] for call in await kept(api, outcome="refused")] == ["user:\nrefused"]
    assert await api.status("GET", "/v1/model-calls", params={"outcome": "failed"}) == 422


async def test_a_spare_model_is_marked_and_a_late_one_is_a_timeout(api: Api, server: FakeOpenAI) -> None:
    assert api.runtime.llm is not None
    given = (("slow", 3.0), ("spare", 60.0))
    first, spare = (Endpoint(f"openai/{name}", server.base_url, "k", limit_s, True) for name, limit_s in given)
    api.runtime.llm = api.runtime.llm.at([first, spare])
    server.fail(hang_s=60.0)
    server.say("fine")
    assert await ask(api, "hello") == "fine"
    found = [(call["model"], call["outcome"], call["failover"], call["attempt"]) for call in reversed(await kept(api))]
    assert found == [("openai/slow", "timeout", False, 1), ("openai/spare", "answered", True, 2)]


async def test_an_answer_of_another_form_is_invalid(api: Api, server: FakeOpenAI) -> None:
    server.say("no JSON", "nor here")
    await say(api, "I live in Ljubljana.")
    await dream(api.runtime)
    calls = [await api.get(f"/v1/model-calls/{call['id']}") for call in await kept(api, outcome="invalid")]
    assert [call["output"] for call in calls] == ["nor here", "no JSON"]
    assert "Your answer was not valid" in calls[0]["input"]


async def test_secrets_are_masked_always_and_personal_data_by_setting(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "Write to eva@example.org"
    await api.put("/v1/settings", {"secrets": {"mode": "off"}})
    await ask(api, f"The token is {SECRET}, of eva@example.org")
    call = await whole(api)
    assert SECRET not in json.dumps(call)
    assert "eva@example.org" in call["input"]
    await api.put("/v1/settings", {"pii": {"mode": "reject"}})
    await ask(api, "Who is eva@example.org?")
    call = await api.get(f"/v1/model-calls/{(await kept(api))[0]['id']}")
    assert "<EMAIL_ADDRESS>" in call["input"]
    assert "<EMAIL_ADDRESS>" in call["output"]
    assert "eva@" not in json.dumps(call)


async def test_of_a_long_text_the_middle_is_left_out_and_said_so(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "ok"
    await ask(api, "Begin " + "well " * 10_000 + "end\0ing")
    call = await whole(api)
    assert call["input_chars"] == len("user:\nBegin ") + 50_000 + len("ending")
    assert len(call["input"]) < TEXT_CHARACTERS_MAX + 100
    assert call["input"].startswith("user:\nBegin well")
    assert call["input"].endswith("ending")
    assert f"{call['input_chars'] - TEXT_CHARACTERS_MAX:,} characters left out" in call["input"]


async def test_a_reranking_is_kept_too(api: Api, server: FakeOpenAI) -> None:
    reranker = Reranker("jina_ai/m", api_base=server.base_url, api_key="k", ledger=api.runtime.budget)
    with paid_by(Payer(DEFAULT_WORKSPACE)):
        await reranker.rerank("tea", ["Tea is at five", "Coffee"])
        server.fail(status=503)
        with pytest.raises(LLMUnavailable):
            await reranker.rerank("tea", ["Tea is at five"])
    failed, answered = await kept(api, purpose="rerank")
    assert answered["input"] == "query:\ntea\n\ndocument:\nTea is at five\n\ndocument:\nCoffee"
    assert "relevance_score" in answered["output"]
    assert (answered["agent"], failed["outcome"], failed["output"]) == (None, "unavailable", "")


async def test_calls_are_for_admins(api: Api) -> None:
    missing = "/v1/model-calls/01890000-0000-7000-8000-00000000dead"
    assert await api.status("GET", missing) == 404
    for role, agent in (("agent", "a"), ("reader", None)):
        other = await api.as_role(role, agent)
        assert await other.status("GET", "/v1/model-calls") == 403
        assert await other.status("GET", missing) == 403


async def test_calls_go_after_their_days_and_at_once_when_none_are_kept(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "ok"
    for days in (8, 6):
        api.runtime.now = lambda days=days: datetime.now(UTC) - timedelta(days=days)  # type: ignore[misc]
        await ask(api, f"{days} days ago")
    api.runtime.now = lambda: datetime.now(UTC)
    await api.runtime.model_calls.flush()
    assert (await apply_retention(api.runtime))["model_calls"] == 1
    assert [call["input"] for call in await kept(api)] == ["user:\n6 days ago"]
    await api.put("/v1/settings", {"retention": {"model_calls_days": None}})
    assert (await apply_retention(api.runtime))["model_calls"] == 1
    assert await kept(api) == []


@pytest.mark.first_tier
async def test_a_purge_takes_what_was_kept_and_what_is_under_way(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "ok"
    await say(api, "I live in Ljubljana.")
    await ask(api, "before")
    assert len(await kept(api)) == 1
    server.hold()
    asking = asyncio.create_task(ask(api, "u1 lives in Ljubljana"))
    await asyncio.to_thread(server.wait_for_call, "chat", 2)
    receipt = (await api.post("/v1/users/u1/purge"))["receipt"]
    assert receipt["counts"]["model_calls"] == 1
    server.let_go(1)
    assert await asking == "ok"
    assert await kept(api) == []


async def test_calls_go_with_their_agent(api: Api, server: FakeOpenAI) -> None:
    server.default_reply = "ok"
    await say(api, "I live in Ljubljana.")
    await ask(api, "of a")
    with paid_by(Payer(DEFAULT_WORKSPACE, agent="nobody")):
        assert api.runtime.llm is not None
        await api.runtime.llm.complete([{"role": "user", "content": "of an agent that is gone"}], tokens_max=50)
    assert [call["agent"] for call in await kept(api)] == ["a"]
