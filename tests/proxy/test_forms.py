"""Whatever form a turn has, the proxy keeps it in each of its formats: parts, prefill, long texts, missed turns."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from service.domain.turns import words_of
from tests.fakes.wire_formats import FakeModels
from tests.live_api import Api
from tests.proxy.wire_clients import CHAT, MESSAGES, RESPONSES, Wire
from tests.tables import table
from tests.wire_messages import SAID, USER

pytestmark = pytest.mark.parametrize("wire", [CHAT, RESPONSES, MESSAGES], ids=repr)


async def send(api: Api, wire: Wire, messages: list[dict[str, Any]], session: str = "s") -> httpx.Response:
    body = wire.ask("x") | {"input" if wire is RESPONSES else "messages": messages}
    answer = await api.call(
        "POST", wire.path, json=body, headers={"X-Reverie-Session": session, "X-Reverie-Agent": "a"}
    )
    assert answer.status_code == 200, answer.text
    return answer


async def history(api: Api, session: str = "s") -> list[tuple[str, str]]:
    found = await api.get(f"/v1/sessions/{session}/messages", agent="a", limit=100)
    return [(one["role"], words_of(one["content"])) for one in found["items"]]


async def test_what_a_user_says_is_kept_in_every_form(wired: Api, models: FakeModels, wire: Wire) -> None:
    with table() as row:
        for name, message in USER.items():
            with row(name):
                await send(wired, wire, [message], name)
                assert await history(wired, name) == [("user", SAID), ("assistant", "ok")]


async def test_a_prefill_is_one_turn_with_its_answer(wired: Api, models: FakeModels, wire: Wire) -> None:
    asked = {"role": "user", "content": "Where is the fjord?"}
    for session, say in (("goes on", " Norway."), ("repeats it", "It is in Norway.")):
        models.say(say)
        await send(wired, wire, [asked, {"role": "assistant", "content": "It is in"}], session)
        assert await history(wired, session) == [("user", "Where is the fjord?"), ("assistant", "It is in Norway.")]


@pytest.mark.first_tier
async def test_what_comes_after_the_last_turn_that_is_kept_is_new(wired: Api, models: FakeModels, wire: Wire) -> None:
    models.say("Hello Ana")
    said = [{"role": "user", "content": "I am Ana."}]
    await send(wired, wire, said)
    elsewhere = [
        {"role": "assistant", "content": "Hello  Ana\n"},
        {"role": "user", "content": "I live in Oslo."},
        {"role": "assistant", "content": "Noted elsewhere."},
        {"role": "user", "content": "Where do I live?"},
    ]
    models.say("In Oslo")
    await send(wired, wire, said + elsewhere)
    assert [text for _, text in await history(wired)] == [
        "I am Ana.", "Hello Ana", "I live in Oslo.", "Noted elsewhere.", "Where do I live?", "In Oslo",
    ]  # fmt: skip


async def test_a_text_that_is_too_long_for_one_message_is_kept_whole(
    wired: Api, models: FakeModels, wire: Wire
) -> None:
    said = "".join(f"line {number}\n" for number in range(40_000))
    await send(wired, wire, [{"role": "user", "content": said}])
    kept = [text for role, text in await history(wired) if role == "user"]
    assert len(kept) > 1
    assert "".join(kept) == said
