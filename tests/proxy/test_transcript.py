"""What a completion adds to the conversation, and what of it can be kept."""

from __future__ import annotations

import json
from typing import Any

from service.proxy.wire_formats import CHAT_COMPLETIONS, StreamParser, derived_session, new_turns


def event(delta: dict[str, Any], index: int = 0) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": index, "delta": delta}]}).encode() + b"\n\n"


def test_only_what_is_new_is_kept() -> None:
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    turns = new_turns(messages, {"role": "assistant", "content": "four"})
    assert [(turn.role, turn.content) for turn in turns] == [("user", "three"), ("assistant", "four")]


def test_what_comes_after_the_known_answer_is_new() -> None:
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three"},
        {"role": "assistant", "content": "four"},
        {"role": "user", "content": "five"},
        {"role": "assistant", "content": "si"},
    ]
    for known, kept in (("two", ["three", "four", "five", "six"]), ("four", ["five", "six"]), (None, ["five", "six"])):
        turns = new_turns(messages, {"role": "assistant", "content": "x"}, known)
        assert [turn.content for turn in turns] == kept


def test_a_tools_answer_and_a_call_are_kept() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "sum?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "4"},
    ]
    turns = new_turns(messages, {"role": "assistant", "content": None, "tool_calls": [call]})
    assert [(turn.role, turn.tool_call_id) for turn in turns] == [("tool", "c1"), ("assistant", None)]
    assert turns[1].content == {"content": None, "tool_calls": [call]}


def test_what_no_database_takes_is_left_out() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5_000}}
    messages = [{"role": "user", "name": "x\n", "content": [{"type": "text", "text": "nul\x00 \ud800"}, image]}]
    (turn,) = new_turns(messages, {})
    assert turn.content[0]["text"] == "nul  ?"
    assert turn.content[1]["image_url"]["url"] == "(not kept)"
    assert turn.name is None


def test_a_stream_is_put_together() -> None:
    listener = StreamParser()
    for delta in (
        {"role": "assistant", "content": "He"},
        {"content": "llo"},
        {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "add", "arguments": '{"a"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]},
        {},
    ):
        listener.feed(event(delta))
    listener.feed(event({"content": "another choice"}, index=1))
    for noise in (b": ping\n\n", b"data: {\n\n", b'data: {"choices": []}\n\n', b"data: [DONE]\n\n"):
        listener.feed(noise)
    assert listener.answer["content"] == "Hello"
    (call,) = listener.answer["tool_calls"]
    assert call == {"type": "function", "id": "c1", "function": {"name": "add", "arguments": '{"a": 1}'}}


def test_an_answer_without_a_message_is_empty() -> None:
    assert all(CHAT_COMPLETIONS.answer_in(body).message == {} for body in (b"<html>", b"{}", b'{"choices": []}'))


def test_a_conversation_keeps_its_name_as_it_goes_on() -> None:
    opening = [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]
    later = [*opening, {"role": "assistant", "content": "hello"}, {"role": "user", "content": "how are you"}]
    assert derived_session("u1", opening) == derived_session("u1", later)
    assert derived_session("u1", opening) != derived_session("u2", opening)
    assert derived_session("u1", opening) != derived_session("u1", later[2:])
