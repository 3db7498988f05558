"""A turn that a client's library sends again, because it saw no answer, is kept once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import openai
import pytest

from service.settings import Settings
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api, serving
from tests.proxy.conftest import PROXY
from tests.proxy.wire_clients import CHAT, WIRES, Wire

KNOWN = {"X-Reverie-Session": "s", "X-Reverie-Agent": "iris"}
every = pytest.mark.parametrize("wire", [CHAT, *WIRES], ids=repr)


async def attempt(api: Api, wire: Wire, number: Any, said: str = "hi", **headers: str) -> httpx.Response:
    """One attempt at a request, numbered as the official clients number them."""
    counted = {} if number is None else {"X-Stainless-Retry-Count": str(number)}
    answer = await api.call("POST", wire.path, json=wire.ask(said), headers=KNOWN | counted | headers)
    assert answer.status_code in (200, 500)
    return answer


async def kept(api: Api, session: str = "s") -> list[str]:
    """What the session has of the user."""
    answer = await api.call("GET", f"/v1/sessions/{session}/messages", params={"agent": "iris"})
    return [one["content"] for one in answer.json().get("items", []) if one["role"] == "user"]


@every
async def test_a_retry_of_what_was_kept_is_answered_and_not_kept(wired: Api, models: FakeModels, wire: Wire) -> None:
    answers = [await attempt(wired, wire, number) for number in (0, 1, 2)]
    assert {answer.status_code for answer in answers} == {200}
    assert models.calls.total() == 3
    assert await kept(wired) == ["hi"]


@every
async def test_a_retry_of_what_the_model_refused_is_kept(wired: Api, models: FakeModels, wire: Wire) -> None:
    models.fail(status=500)
    assert (await attempt(wired, wire, 0)).status_code == 500
    assert await kept(wired) == []
    await attempt(wired, wire, 1)
    assert await kept(wired) == ["hi"]


async def test_what_is_said_twice_is_kept_twice(wired: Api) -> None:
    for number in (0, 0, None, None, "x", "-1", "9999999999"):
        await attempt(wired, CHAT, number)
    assert await kept(wired) == ["hi"] * 7


async def test_only_the_same_bytes_in_the_same_place_are_the_same_turn(wired: Api) -> None:
    await attempt(wired, CHAT, 0)
    await attempt(wired, CHAT, 1, "hi!")
    await attempt(wired, CHAT, 1, **{"X-Reverie-Session": "other"})
    stranger = await wired.as_role("agent", "iris")
    await attempt(stranger, CHAT, 1)
    assert await kept(wired) == ["hi", "hi!", "hi"]
    assert await kept(wired, "other") == ["hi"]


@every
async def test_a_retry_that_overtakes_the_first_attempt_is_the_one_that_is_kept(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    models.hold()
    first = asyncio.create_task(attempt(wired, wire, 0))
    await asyncio.to_thread(models.wait_for_call, wire.name, 1)
    second = asyncio.create_task(attempt(wired, wire, 1))
    await asyncio.to_thread(models.wait_for_call, wire.name, 2)
    models.let_go()
    await asyncio.gather(first, second)
    assert await kept(wired) == ["hi"]


@pytest.mark.parametrize(("minutes", "turns"), [(14, 1), (16, 2)])
async def test_after_a_while_the_same_bytes_are_another_turn(wired: Api, minutes: int, turns: int) -> None:
    await attempt(wired, CHAT, 0)
    now = wired.runtime.now
    wired.runtime.now = lambda: now() + timedelta(minutes=minutes)
    await attempt(wired, CHAT, 1)
    assert await kept(wired) == ["hi"] * turns


async def test_openais_client_gives_up_an_attempt_and_its_turn_is_kept_once(
    in_front: Settings, models: FakeModels
) -> None:
    models.hold()
    async with serving(in_front) as api:
        await api.put("/v1/settings", {"proxy": PROXY})
        client = openai.AsyncOpenAI(
            api_key=api.key, base_url=f"{api.http.base_url}/v1", default_headers=KNOWN, max_retries=1, timeout=10.0
        )
        asking = asyncio.create_task(client.responses.create(model="m", input="hi"))
        await asyncio.to_thread(models.wait_for_call, "responses", 2)
        models.let_go()
        assert (await asking).output_text == "ok"
    assert len(models.sent_bytes) == 2, "the attempt that was given up was answered as well"
    async with serving(in_front) as api:  # the first server has ended, and with it whatever it had under way
        assert await kept(api) == ["hi"]
