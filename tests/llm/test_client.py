"""The LLM client over real HTTP: attempts, metering, budgets, validated answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from service.concurrency.transaction_guard import transaction_open
from service.domain.spending import Usage
from service.errors import BudgetReached
from service.llm import LLM, Budget, LLMInvalidOutput, LLMRefused, LLMUnavailable, Meter
from service.provider import ATTEMPTS_MAX
from tests.fakes.openai_server import FakeOpenAI

ASK = [{"role": "user", "content": "What does Anna like?"}]
VALID = '{"text": "Anna likes Go", "sure": 0.9}'


class Fact(BaseModel):
    text: str
    sure: float = Field(ge=0, le=1)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def llm_of(server: FakeOpenAI, model: str = "openai/fake", **options: Any) -> LLM:
    return LLM(model, api_base=server.base_url, api_key="key", backoff_first_s=0.01, **{"timeout_s": 60, **options})


async def test_an_answer_and_what_it_used(server: FakeOpenAI) -> None:
    server.say("She likes Go.")
    llm = llm_of(server)
    answer = await llm.complete(ASK, tokens_max=50)
    assert (answer.text, answer.cut_off) == ("She likes Go.", False)
    assert answer.usage == llm.meter.usage == Usage(1, 0, prompt_tokens=4, completion_tokens=3, cost_usd=0.0)
    sent = server.requests("chat")[0]
    assert (sent["model"], sent["messages"], sent["max_tokens"], sent["temperature"]) == ("fake", ASK, 50, 0)


async def test_a_listed_model_has_its_price(server: FakeOpenAI) -> None:
    answer = await llm_of(server, "openai/gpt-4o-mini").complete(ASK, tokens_max=50)
    assert answer.usage.cost_usd == pytest.approx(4 * 0.15e-6 + 1 * 0.6e-6)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_trouble_is_tried_again_and_every_attempt_is_counted(server: FakeOpenAI, status: int) -> None:
    server.fail(status=status, times=2)
    answer = await llm_of(server).complete(ASK, tokens_max=50)
    assert server.calls["chat"] == 3
    assert answer.usage == Usage(3, 2, prompt_tokens=4, completion_tokens=1)


async def test_lasting_trouble_keeps_its_reason(server: FakeOpenAI) -> None:
    server.fail(status=429, times=None)
    llm = llm_of(server)
    with pytest.raises(LLMUnavailable, match="made to fail by the test") as caught:
        await llm.complete(ASK, tokens_max=50)
    assert caught.value.status == 429
    assert server.calls["chat"] == ATTEMPTS_MAX
    assert llm.meter.usage == Usage(ATTEMPTS_MAX, ATTEMPTS_MAX)


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_is_not_tried_again(server: FakeOpenAI, status: int) -> None:
    server.fail(status=status, times=None)
    llm = llm_of(server)
    with pytest.raises(LLMRefused) as caught:
        await llm.complete(ASK, tokens_max=50)
    assert caught.value.status == status
    assert server.calls["chat"] == 1
    assert llm.meter.usage == Usage(1, 1)


async def test_a_timeout_is_tried_again_and_its_prompt_counted(server: FakeOpenAI) -> None:
    server.fail(hang_s=60, times=1)
    answer = await llm_of(server, timeout_s=10).complete(ASK, tokens_max=50)
    assert (answer.usage.calls, answer.usage.failed_calls) == (2, 1)
    assert answer.usage.prompt_tokens > 4


async def test_a_server_that_always_hangs_is_unavailable(server: FakeOpenAI) -> None:
    server.fail(hang_s=60, times=None)
    llm = llm_of(server)
    with pytest.raises(LLMUnavailable, match=r"within 0\.2 s") as caught:
        await llm.complete(ASK, tokens_max=50, timeout_s=0.2)
    assert caught.value.status == 408
    assert (llm.meter.usage.calls, llm.meter.usage.failed_calls) == (ATTEMPTS_MAX, ATTEMPTS_MAX)
    assert server.calls["chat"] <= ATTEMPTS_MAX  # one that was given up before it arrived is in the meter only


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    llm = LLM("openai/fake", api_base="http://127.0.0.1:1/v1", timeout_s=2, backoff_first_s=0.01)
    with pytest.raises(LLMUnavailable):
        await llm.complete(ASK, tokens_max=50)


async def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(LLMRefused, match="nosuchmodel"):
        await LLM("nosuchmodel").complete(ASK, tokens_max=50)


@pytest.mark.parametrize("broken", [{"invalid_json": True}, {"body": {}}, {"body": {"choices": None}}])
async def test_an_answer_that_is_none_is_unavailable(server: FakeOpenAI, broken: dict[str, Any]) -> None:
    server.fail(**broken, times=None)
    with pytest.raises(LLMUnavailable):
        await llm_of(server).complete(ASK, tokens_max=50)


async def test_an_empty_answer_is_invalid(server: FakeOpenAI) -> None:
    server.say("")
    with pytest.raises(LLMInvalidOutput, match="empty"):
        await llm_of(server).complete(ASK, tokens_max=50)


async def test_a_budget_stops_before_the_call(server: FakeOpenAI) -> None:
    llm = llm_of(server)
    dream = llm.within(Meter(Budget(tokens_max=90), parent=llm.meter))
    await dream.complete(ASK, tokens_max=50)
    with pytest.raises(BudgetReached):
        await dream.complete(ASK, tokens_max=85)
    assert server.calls["chat"] == 1
    assert dream.meter.usage == llm.meter.usage == Usage(1, 0, 4, 1)
    with pytest.raises(BudgetReached):
        await llm.within(Meter(Budget(tokens_max=90), spent=Usage(prompt_tokens=80))).complete(ASK, tokens_max=50)


async def test_a_budget_in_dollars_stops_a_priced_model(server: FakeOpenAI) -> None:
    llm = llm_of(server, "openai/gpt-4o-mini").within(Meter(Budget(cost_max_usd=1e-5)))
    await llm.complete(ASK, tokens_max=10)
    with pytest.raises(BudgetReached):
        await llm.complete(ASK, tokens_max=1_000)


async def test_another_attempt_needs_budget_too(server: FakeOpenAI) -> None:
    server.fail(hang_s=60, times=None)
    llm = llm_of(server).within(Meter(Budget(tokens_max=70)))
    with pytest.raises(BudgetReached):
        await llm.complete(ASK, tokens_max=45, timeout_s=0.2)
    assert 0 < llm.meter.usage.failed_calls < ATTEMPTS_MAX
    assert server.calls["chat"] < ATTEMPTS_MAX


async def test_a_cancelled_call_is_settled(server: FakeOpenAI) -> None:
    server.fail(hang_s=60, times=1)
    llm = llm_of(server).within(Meter(Budget(tokens_max=100)))
    call = asyncio.create_task(llm.complete(ASK, tokens_max=60))
    await asyncio.to_thread(server.wait_for_call, "chat")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert llm.meter.usage.failed_calls == 1
    await llm.complete(ASK, tokens_max=60)


async def test_refuses_to_run_inside_a_transaction(server: FakeOpenAI) -> None:
    with transaction_open(), pytest.raises(RuntimeError):
        await llm_of(server).complete(ASK, tokens_max=50)
    assert not server.calls


async def test_a_model_that_can_is_held_to_the_schema(server: FakeOpenAI) -> None:
    server.say(VALID)
    answer = await llm_of(server, "openai/gpt-4o-mini").structured(ASK, Fact, tokens_max=50)
    assert answer.value == Fact(text="Anna likes Go", sure=0.9)
    sent = server.requests("chat")[0]
    assert sent["response_format"]["json_schema"]["name"] == "Fact"
    assert sent["messages"] == ASK


async def test_another_model_is_asked_for_json(server: FakeOpenAI) -> None:
    server.say(f"```json\n{VALID}\n```")
    answer = await llm_of(server).structured(ASK, Fact, tokens_max=50)
    assert answer.value.sure == 0.9
    sent = server.requests("chat")[0]
    assert "response_format" not in sent
    assert '"maximum": 1' in sent["messages"][0]["content"]


async def test_whether_a_model_can_may_be_set(server: FakeOpenAI) -> None:
    answer = await llm_of(server, json_schema=True).structured(ASK, Fact, tokens_max=50)
    assert answer.value == Fact(text="", sure=0)
    server.say(VALID)
    await llm_of(server, "openai/gpt-4o-mini", json_schema=False).structured(ASK, Fact, tokens_max=50)
    assert ["response_format" in sent for sent in server.requests("chat")] == [True, False]


async def test_an_invalid_answer_is_repaired_once(server: FakeOpenAI) -> None:
    server.say('{"text": "Anna likes Go", "sure": 90}', VALID)
    answer = await llm_of(server).structured(ASK, Fact, tokens_max=50)
    assert answer.value.sure == 0.9
    assert answer.usage.calls == 2
    assert answer.usage.failed_calls == 0
    first, second = server.requests("chat")
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert second["messages"][-2] == {"role": "assistant", "content": '{"text": "Anna likes Go", "sure": 90}'}
    assert "- sure: must be at most 1" in second["messages"][-1]["content"]
    assert ASK == [{"role": "user", "content": "What does Anna like?"}]


async def test_two_invalid_answers_are_an_error(server: FakeOpenAI) -> None:
    server.default_reply = "I would rather not."
    try:
        with pytest.raises(LLMInvalidOutput, match="no valid Fact twice"):
            await llm_of(server).structured(ASK, Fact, tokens_max=50)
    finally:
        server.default_reply = "ok"
    assert server.calls["chat"] == 2
