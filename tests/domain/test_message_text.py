"""A message's content as text: strings, OpenAI's content parts, and other JSON."""

from __future__ import annotations

from typing import Any

import pytest

from service.domain.json import dumps
from service.domain.message_text import text_of, text_of_parts

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0"}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I live in Oslo.", "I live in Oslo."),
        ([{"type": "text", "text": "I live in Oslo."}], "I live in Oslo."),
        ([{"type": "input_text", "text": "one"}, IMAGE, {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
        ([IMAGE], ""),
        ([{"type": "text", "text": ""}], ""),
        ([{"type": "text", "text": None}, {"type": "text"}], ""),
    ],
)
def test_parts_are_read_like_strings(content: Any, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        None,
        7,
        ["I live in Oslo."],
        {"type": "text", "text": "alone"},
        [{"type": "metric", "value": 3}],
        [{"text": "no type"}],
        [{"type": ["text"], "text": "x"}],
        [{"type": "text", "text": "x"}, "and a string"],
        {"content": [{"type": "text", "text": "x"}], "tool_calls": []},
    ],
)
def test_other_json_stays_as_it_is_written(content: Any) -> None:
    assert text_of_parts(content) is None
    assert text_of(content) == dumps(content).decode()
