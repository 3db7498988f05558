"""What the proxy reads in Anthropic's messages, and where memory goes."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from service.proxy.wire_formats import MESSAGES
from tests.fakes.wire_formats import event, message, message_content, message_events

CACHED = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
CALL = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 2}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "4"}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


@pytest.mark.parametrize(
    ("system", "changed"),
    [
        (None, "BLOCK"),
        ("", "BLOCK"),
        ("Be brief.", "Be brief.\n\nBLOCK"),
        ([CACHED], [CACHED, {"type": "text", "text": "BLOCK"}]),
        ([], [{"type": "text", "text": "BLOCK"}]),
    ],
)
def test_the_block_goes_behind_what_is_cached_of_system(system: Any, changed: Any) -> None:
    payload = {"messages": [user("hi")], "max_tokens": 9} | ({} if system is None else {"system": system})
    before = copy.deepcopy(payload)
    assert MESSAGES.with_block(payload, "BLOCK", "system") == payload | {"system": changed}
    assert payload == before


@pytest.mark.parametrize(
    ("last", "changed"),
    [
        ("c", [{"type": "text", "text": "BLOCK"}, {"type": "text", "text": "c"}]),
        ([CACHED], [{"type": "text", "text": "BLOCK"}, CACHED]),
        ([RESULT, CACHED], [RESULT, {"type": "text", "text": "BLOCK"}, CACHED]),
    ],
)
def test_as_the_users_the_block_stands_before_what_the_user_said_last(last: Any, changed: Any) -> None:
    before = [user("a"), {"role": "assistant", "content": [THOUGHT, CALL]}]
    after = [{"role": "assistant", "content": [CALL]}, user([RESULT])]
    got = MESSAGES.with_block({"messages": [*before, user(last), *after]}, "BLOCK", "user")
    assert got == {"messages": [*before, user(changed), *after]}


def test_blocks_are_read_as_messages() -> None:
    given = [
        user([CACHED, {"type": "text", "text": "And why?"}]),
        {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "So"}, CALL]},
        user([RESULT, {"type": "text", "text": "Go on"}]),
    ]
    said = MESSAGES.conversation({"messages": given, "system": "x"})
    assert said is not None
    assert said.messages[0] == user("Be brief.\nAnd why?")
    assert said.messages[1]["content"] == "So"
    function = said.messages[1]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("add", {"a": 2})
    assert said.messages[2:] == [{"role": "tool", "content": "4", "tool_call_id": "t1"}, user("Go on")]


@pytest.mark.parametrize(
    ("user_id", "names"),
    [
        ("u1", ("u1", None)),
        (None, (None, None)),
        (7, (None, None)),
        ("a\x00b", (None, None)),
        (
            "user_0f_account_12-34_session_0f8fad5b-d9cb-469f-a165-70867728950e",
            ("user_0f_account_12-34", "0f8fad5b-d9cb-469f-a165-70867728950e"),
        ),
        ("x" * 201, (None, None)),
    ],
)
def test_the_user_and_the_session_are_those_of_the_metadata(user_id: Any, names: tuple[Any, Any]) -> None:
    said = MESSAGES.conversation({"messages": [user("hi")], "metadata": {"user_id": user_id}})
    assert said is not None
    assert (said.user, said.session) == names


@pytest.mark.parametrize(
    "payload",
    [
        {}, {"messages": 1}, {"messages": [1]}, {"messages": []}, {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [user([RESULT])]}, {"messages": [user("hi")], "system": 1},
    ],
)  # fmt: skip
def test_a_request_memory_cannot_read_is_left_alone(payload: dict[str, Any]) -> None:
    assert MESSAGES.conversation(payload) is None


@pytest.mark.parametrize("reply", ["Hello there", {"name": "add", "arguments": {"a": 2, "b": "x y"}}])
def test_a_stream_gives_the_answer_that_comes_at_once(reply: Any) -> None:
    listener = MESSAGES.stream()
    for one in message_events(message_content(reply)):
        assert not listener.ended
        listener.feed(one)
    whole = MESSAGES.answer_in(json.dumps(message(message_content(reply))).encode())
    assert listener.ended
    assert parsed(listener.answer) == parsed(whole.message)
    assert "think" not in str(listener.answer)
    assert listener.usage == whole.usage == {"prompt_tokens": 11, "completion_tokens": 5}


def parsed(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer whose arguments count by value: a stream spells them as the model did."""
    answer = copy.deepcopy(answer)
    for call in answer.get("tool_calls", ()):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return answer


def test_a_stream_that_breaks_off_has_no_count_of_its_answer() -> None:
    """What ``message_start`` counts is not the answer: it is estimated from what came."""
    listener = MESSAGES.stream()
    for one in list(message_events(message_content("Hello there")))[:5]:
        listener.feed(one)
    assert listener.usage == {"prompt_tokens": 11}
    assert listener.text


def test_noise_is_no_answer() -> None:
    listener = MESSAGES.stream()
    for noise in (b": ping\n\n", b"data: {\n\n", b"data: []\n\n", b"data: 1\n\n"):
        listener.feed(noise)
    for kind in ("message_start", "content_block_start", "content_block_delta", "message_delta", "content_block_stop"):
        listener.feed(event({"type": kind, "message": 1, "delta": 1, "index": "x", "usage": 1, "content_block": []}))
    assert (listener.text, listener.ended) == ("", False)
    assert MESSAGES.answer_in(b"<html>").message == MESSAGES.answer_in(b'{"content": 1}').message
