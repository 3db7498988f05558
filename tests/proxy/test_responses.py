"""What the proxy reads in OpenAI's responses, and where memory goes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from service.proxy.wire_formats import RESPONSES
from tests.fakes.wire_formats import event, response, response_events, response_output
from tests.live_api import Api
from tests.proxy.wire_clients import RESPONSES as CLIENT

ITEMS: list[dict[str, Any]] = [
    {"role": "developer", "content": "No lists."},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "sum?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque=="},
    {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "4"},
]


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"input": "hi"}, {"instructions": "BLOCK"}),
        ({"input": "hi", "instructions": None}, {"instructions": "BLOCK"}),
        ({"input": "hi", "instructions": "Be brief."}, {"instructions": "Be brief.\n\nBLOCK"}),
        (
            {"input": "hi", "prompt": {"id": "p"}},
            {"input": [{"role": "system", "content": "BLOCK"}, {"role": "user", "content": "hi"}]},
        ),
        ({"input": "hi", "prompt": {"id": "p"}, "instructions": "Brief."}, {"instructions": "Brief.\n\nBLOCK"}),
    ],
)
def test_the_block_goes_into_the_instructions(given: dict[str, Any], changed: dict[str, Any]) -> None:
    before = copy.deepcopy(given)
    assert RESPONSES.with_block(given, "BLOCK", "system") == given | changed
    assert given == before


def test_as_the_users_the_block_stands_before_what_the_user_said_last() -> None:
    changed = RESPONSES.with_block({"input": ITEMS, "instructions": "i"}, "BLOCK", "user")
    assert changed["input"].pop(1) == {"role": "user", "content": "BLOCK"}
    assert changed == {"input": ITEMS, "instructions": "i"}
    text = RESPONSES.with_block({"input": "hi"}, "BLOCK", "user")["input"]
    assert text == [{"role": "user", "content": "BLOCK"}, {"role": "user", "content": "hi"}]


def test_items_are_read_as_messages() -> None:
    said = RESPONSES.conversation({"input": ITEMS, "user": "u"})
    assert said is not None
    assert said.user == "u"
    assert [one["role"] for one in said.messages] == ["system", "user", "assistant", "assistant", "tool"]
    assert said.messages[1]["content"] == "sum?"
    assert said.messages[4] == {"role": "tool", "content": "4", "tool_call_id": "c1"}


@pytest.mark.parametrize(
    "payload",
    [
        {}, {"input": 1}, {"input": [1]}, {"input": []}, {"input": [{"role": "system", "content": "x"}]},
        {"input": ITEMS[4:]}, {"input": "hi", "instructions": ["x"]}, {"previous_response_id": "r", "input": []},
    ],
)  # fmt: skip
def test_a_request_memory_cannot_read_is_left_alone(payload: dict[str, Any]) -> None:
    assert RESPONSES.conversation(payload) is None


def test_what_the_server_keeps_names_the_session() -> None:
    def session(**more: Any) -> str | None:
        said = RESPONSES.conversation({"input": ITEMS[4:]} | more)
        return said.session if said else None

    assert session(conversation="conv_1") == session(conversation={"id": "conv_1"}, user="u") is not None
    assert len({session(conversation="conv_1"), session(conversation="conv_2"), session(previous_response_id="r")}) == 3


@pytest.mark.parametrize("reply", ["Hello there", {"name": "add", "arguments": {"a": 2}}])
def test_a_stream_gives_the_answer_that_comes_at_once(reply: Any) -> None:
    listener = RESPONSES.stream()
    for one in response_events(response_output(reply)):
        assert not listener.ended
        listener.feed(one)
    whole = RESPONSES.answer_in(event(response(response_output(reply)) | {"type": "x"}).split(b"data: ")[1])
    assert listener.ended
    assert not listener.failed
    assert listener.answer == whole.message
    assert listener.usage == whole.usage == {"prompt_tokens": 11, "completion_tokens": 5}


def test_noise_is_no_answer() -> None:
    listener = RESPONSES.stream()
    for noise in (b": ping\n\n", b"data: {\n\n", b"data: []\n\n", b"data: 1\n\n", b"data: [DONE]\n\n"):
        listener.feed(noise)
    for kind in ("output_text.delta", "output_item.added", "output_item.done", "function_call_arguments.delta"):
        listener.feed(event({"type": f"response.{kind}", "item": 1, "delta": {}, "output_index": "x"}))
    assert (listener.text, listener.usage, listener.ended) == ("", None, False)
    assert RESPONSES.answer_in(b"<html>").message == RESPONSES.answer_in(b'{"output": 1}').message


async def test_what_goes_on_from_a_response_is_passed_on_and_kept(wired: Api, models: Any) -> None:
    result = {"type": "function_call_output", "call_id": "c1", "output": "4"}
    sent = CLIENT.ask([result]) | {"previous_response_id": "resp_0", "store": True}
    answer = await wired.call("POST", CLIENT.path, json=sent)
    assert models.requests("responses") == [sent]
    assert answer.headers["x-reverie-memory"] == "on"
    session = answer.headers["x-reverie-session"]
    kept = (await wired.get(f"/v1/sessions/{session}/messages", agent="default"))["items"]
    assert [(one["role"], one["content"]) for one in kept] == [("tool", "4"), ("assistant", "ok")]
    for text in ("one", "two"):
        named = CLIENT.ask(text) | {"conversation": {"id": "conv_1"}}
        answer = await wired.call("POST", CLIENT.path, json=named)
    kept = (await wired.get(f"/v1/sessions/{answer.headers['x-reverie-session']}/messages", agent="default"))["items"]
    assert [one["content"] for one in kept] == ["one", "ok", "two", "ok"]
