"""The block goes where it is asked for, and everything the client sent stays as it was."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from service.proxy.wire_formats import CHAT_COMPLETIONS, last_words, placement_for

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "No lists."},
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "4"},
]


@pytest.mark.parametrize(("placement", "at"), [("system", 2), ("user", 2)])
def test_one_message_more_and_nothing_changed(placement: Any, at: int) -> None:
    payload = {"model": "m", "messages": MESSAGES, "tools": [{"x": 1}], "temperature": 0.1}
    before = copy.deepcopy(payload)
    changed = CHAT_COMPLETIONS.with_block(payload, "BLOCK", placement)
    assert payload == before
    assert changed["messages"].pop(at) == {"role": placement, "content": "BLOCK"}
    assert changed == before


def test_a_users_block_stands_before_what_the_user_said_last() -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    changed = CHAT_COMPLETIONS.with_block({"messages": said}, "BLOCK", "user")
    assert [message["content"] for message in changed["messages"]] == ["a", "b", "BLOCK", "c"]


@pytest.mark.parametrize(
    ("model", "placement"),
    [
        ("gpt-4o", "system"),
        ("Gemma-2-9b-it", "user"),
        ("google/gemma-3", "user"),
        ("o1-mini", "user"),
        (None, "system"),
    ],
)
def test_models_without_a_system_role(model: str | None, placement: str) -> None:
    assert placement_for(model, "system", ["gemma*", "*/gemma*", "o1-mini*"]) == placement


@pytest.mark.parametrize(
    "payload",
    [
        {}, {"messages": 1}, {"messages": [1]}, {"messages": []},
        {"messages": [{"role": "system", "content": "x"}]},
    ],
)  # fmt: skip
def test_a_request_memory_cannot_read_is_left_alone(payload: dict[str, Any]) -> None:
    assert CHAT_COMPLETIONS.conversation(payload) is None


def test_memory_is_recalled_by_the_last_words_of_the_user() -> None:
    assert last_words(MESSAGES) == "What is this?"
    assert last_words(MESSAGES[:2]) is None
    recalled = {"role": "user", "content": "Relevant memories:\n- Likes tea\n\nWhat shall I drink?"}
    assert last_words([recalled]) == "What shall I drink?"
