"""A model with alternatives, over real HTTP: which of them is called when, and what that is booked as."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from service.domain.spending import Usage
from service.errors import BudgetReached
from service.llm import LLM, Budget, Endpoint, LLMRefused, LLMUnavailable, Meter
from service.provider import ATTEMPTS_MAX
from tests.fakes.openai_server import FakeOpenAI

ASK = [{"role": "user", "content": "What does Anna like?"}]


@pytest.fixture
async def servers() -> AsyncIterator[list[FakeOpenAI]]:
    """Three servers. The first call of a process, which takes long, has been made."""
    with ExitStack() as stack:
        opened = [stack.enter_context(FakeOpenAI()) for _ in range(3)]
        await chain(opened).complete(ASK, tokens_max=50)
        opened[0].reset()
        yield opened


def chain(servers: list[FakeOpenAI], first_s: float = 60) -> LLM:
    """A model of these servers, of which the first has so many seconds for an answer."""
    endpoints = [
        Endpoint(f"openai/m{number}", server.base_url, f"key-of-server-{number}", 60 if number else first_s)
        for number, server in enumerate(servers)
    ]
    return LLM("openai/unused", backoff_first_s=0.01).at(endpoints)


@pytest.mark.parametrize("fault", [{"status": 503}, {"status": 429}, {"hang_s": 60.0}])
async def test_what_does_not_answer_is_followed_by_the_next(servers: list[FakeOpenAI], fault: dict[str, float]) -> None:
    servers[0].fail(**fault)  # type: ignore[arg-type]
    servers[1].say("She likes Go.")
    llm = chain(servers, first_s=5 if "hang_s" in fault else 60)
    answer = await llm.complete(ASK, tokens_max=50)
    assert answer.text == "She likes Go."
    assert [server.calls["chat"] for server in servers] == [1, 1, 0]
    assert (answer.usage.calls, answer.usage.failed_calls) == (2, 1)
    assert llm.meter.answered == {"openai/m1": 1}
    assert [server.authorizations for server in servers[:2]] == [
        {"Bearer key-of-server-0"}, {"Bearer key-of-server-1"}
    ]  # fmt: skip


async def test_what_has_just_failed_is_called_last_for_a_while(servers: list[FakeOpenAI]) -> None:
    servers[0].fail(status=503)
    llm = chain(servers)
    for _ in range(3):
        await llm.complete(ASK, tokens_max=50)
    assert [server.calls["chat"] for server in servers] == [1, 3, 0]
    servers[1].fail(status=503, times=None)
    servers[2].fail(status=503, times=None)
    await llm.complete(ASK, tokens_max=50)
    assert [server.calls["chat"] for server in servers] == [2, 4, 1]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_not_put_to_another(servers: list[FakeOpenAI], status: int) -> None:
    servers[0].fail(status=status)
    with pytest.raises(LLMRefused):
        await chain(servers).complete(ASK, tokens_max=50)
    assert [server.calls["chat"] for server in servers] == [1, 0, 0]


async def test_the_last_one_is_tried_four_times(servers: list[FakeOpenAI]) -> None:
    for server in servers:
        server.fail(status=503, times=None)
    llm = chain(servers)
    with pytest.raises(LLMUnavailable):
        await llm.complete(ASK, tokens_max=50)
    assert [server.calls["chat"] for server in servers] == [1, 1, ATTEMPTS_MAX]
    assert llm.meter.usage == Usage(2 + ATTEMPTS_MAX, 2 + ATTEMPTS_MAX)


async def test_the_budget_is_asked_before_each_of_them(servers: list[FakeOpenAI]) -> None:
    servers[0].fail(hang_s=60.0)
    llm = chain(servers, first_s=5).within(Meter(Budget(tokens_max=70)))
    with pytest.raises(BudgetReached):
        await llm.complete(ASK, tokens_max=50)
    assert [server.calls["chat"] for server in servers] == [1, 0, 0]


async def test_a_key_that_a_server_repeats_is_in_no_error() -> None:
    with FakeOpenAI(key="another") as server:
        llm = LLM("openai/m", api_base=server.base_url, api_key="sk-the-secret-of-the-test")
        with pytest.raises(LLMRefused) as caught:
            await llm.complete(ASK, tokens_max=50)
    assert "Incorrect API key provided: (the key)" in caught.value.message
    assert "the-secret" not in str(caught.value.message) + str(dict(llm.meter.failures)) + str(llm.condition)
