"""Messages of every wire format become the same turns, and every part of them is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.drafts import MessageDraft
from service.domain.json import dumps
from service.domain.message_text import read_text, searchable_text
from service.domain.turns import (
    MEDIA_TOKENS,
    chat_messages,
    normal_fields,
    split,
    text_of,
    tokens_of,
    without_inline,
    words_of,
)
from tests.wire_messages import ARGUMENTS, CALLS, DATA, RESULTS, SAID, USER, user

Make = Callable[[Any], dict[str, Any]]


def drafts(raw: dict[str, Any]) -> list[MessageDraft]:
    return MessageDraft.model_validate(raw).split()


@pytest.mark.parametrize("raw", USER.values(), ids=USER)
def test_what_a_user_says_is_read(raw: dict[str, Any]) -> None:
    (draft,) = drafts(raw)
    assert draft.role == "user"
    assert words_of(draft.content) == text_of(draft.content) == SAID
    assert chat_messages(raw)[0]["role"] == "user"


@pytest.mark.parametrize("raw", CALLS.values(), ids=CALLS)
def test_a_call_is_the_models_and_no_words(raw: dict[str, Any]) -> None:
    (message,) = chat_messages(raw)
    assert (message["role"], message["content"]) == ("assistant", None)
    (call,) = message["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": ARGUMENTS}
    (draft,) = drafts(raw)
    assert draft.role == "assistant"
    assert words_of(draft.content) == ""


@pytest.mark.parametrize("raw", RESULTS.values(), ids=RESULTS)
def test_what_a_tool_answers_is_the_tools_whoever_sends_it(raw: dict[str, Any]) -> None:
    (draft,) = drafts(raw)
    assert (draft.role, text_of(draft.content)) == ("tool", "rain")
    assert draft.tool_call_id in ("c1", None)


def test_a_message_of_several_speakers_is_several_messages() -> None:
    said = user([{"type": "tool_result", "tool_use_id": "t1", "content": "4"}, {"type": "text", "text": "Go on"}])
    assert [(one.role, text_of(one.content)) for one in drafts(said)] == [("tool", "4"), ("user", "Go on")]
    done = {"type": "tool-add", "toolCallId": "t", "state": "output-available", "input": {"a": 2}, "output": {"sum": 4}}
    shown = {
        "role": "assistant",
        "parts": [{"type": "text", "text": "Let me add"}, done, {"type": "text", "text": "Four"}],
    }
    first, result, last = drafts(shown)
    assert [one.role for one in (first, result, last)] == ["assistant", "tool", "assistant"]
    assert (words_of(first.content), result.content, words_of(last.content)) == ("Let me add", {"sum": 4}, "Four")


@pytest.mark.parametrize(
    ("raw", "role"),
    [
        ({"role": "developer", "content": "x"}, "system"),
        ({"role": "Model", "content": "x"}, "assistant"),
        ({"role": "function", "content": "x"}, "tool"),
        ({"role": "HUMAN", "content": "x"}, "user"),
        ({"role": "narrator", "content": "x"}, "narrator"),
    ],
)
def test_roles_have_their_meaning(raw: dict[str, Any], role: str) -> None:
    assert normal_fields(raw)[0]["role"] == role


def test_what_is_in_no_known_form_is_named() -> None:
    said = user([{"type": "hologram"}, {"type": "text", "text": "hi"}]) | {"mood": "glad", "refusal": None, "audio": {}}
    assert MessageDraft.model_validate(said).skipped == ["hologram", "mood"]
    assert MessageDraft(role="user", content="hi").skipped == []


@pytest.mark.parametrize(
    "content", [7, {"order": 17}, [{"type": "metric", "value": 3}], [{"price": 3}], {"text": "a", "n": 1}]
)
def test_other_json_stays_as_it_is_written(content: Any) -> None:
    assert text_of(content) == dumps(content).decode()


@pytest.mark.parametrize(
    "wrap", [lambda one: [one], lambda one: {"content": one}, lambda one: {"content": one, "x": 1}]
)
def test_what_is_nested_without_end_is_read_without_an_error(wrap: Make) -> None:
    content: Any = "deep"
    for _ in range(900):
        content = wrap(content)
    normal_fields({"role": "user", "content": content})
    chat_messages({"role": "user", "content": content})
    assert words_of(content) == ""
    assert tokens_of(content, len) > 3
    without_inline(content)


def test_each_image_and_file_counts_the_same() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + DATA}}
    linked = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    for content in ([image], [linked], {"role": "user", "parts": [{"fileData": {"fileUri": "gs://a"}}]}):
        assert 0 <= tokens_of(content, len) - MEDIA_TOKENS < 30
    assert tokens_of([{"type": "text", "text": "see"}, image, linked], len) - 2 * MEDIA_TOKENS < 10
    assert tokens_of("data: is a word", len) == 15


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Relevant memories:\n- Likes tea\n- Is 40\n\nWhat should I drink?", "What should I drink?"),
        ("retrieved memories:\n- a\nUser: I moved to Rome.", "I moved to Rome."),
        ("## Memories\n* x\n* y\n\n---\n\nI moved to Rome.", "I moved to Rome."),
        ("<memories>\n- a\n</memories>\nI moved to Rome.", "I moved to Rome."),
        ('<relevant_context source="x">\na\n</relevant_context>\n\nI moved to Rome.', "I moved to Rome."),
        ("[Long-term memory]\n1. Is 4\n2. Is 5\n\n[User message]\nI moved to Rome.", "I moved to Rome."),
        ("Here are some facts about the user:\n- a\n  and more\n\nUser message: I moved to Rome.", "I moved to Rome."),
        ("**Known information about this user:**\n\n- x\n\n**Past conversations:**\n- z\n\nI moved.", "I moved."),
        ("Context:\n- a document\n\nQuestion: where?", "where?"),
        ("相关记忆：\n- 喜欢茶\n\n我搬到了柏林。", "我搬到了柏林。"),
        ("Relevante Erinnerungen:\n- mag Tee\n\nIch wohne in Bonn.", "Ich wohne in Bonn."),
        ("My preferences:\n- tea\n\nPlease remember them.", None),
        ("Shopping list:\n- milk\n\nBuy it.", None),
        ("Relevant memories:\n- nothing else", None),
        ("# Memories of summer\nIt was warm.\n- a", None),
        ("Context:\n- this is mine\n\nI moved.", None),
        ("I moved to Rome.\n\nMemories:\n- a", None),
    ],
)  # fmt: skip
def test_a_recall_block_before_the_words_of_a_user_is_cut(said: str, words: str | None) -> None:
    assert searchable_text("user", said) == read_text("user", said) == (words or said)
    assert searchable_text("assistant", said) == said


TEXTS = st.text("abcdefg äßあ", min_size=1, max_size=12).map(str.strip).filter(bool)
FORMS: dict[str, tuple[Make, list[dict[str, Any]]]] = {
    "chat completions": (
        lambda text: {"type": "text", "text": text},
        [
            {"type": "image_url", "image_url": {"url": "https://a"}},
            {"type": "input_audio", "input_audio": {"data": "A"}},
        ],
    ),
    "responses": (
        lambda text: {"type": "input_text", "text": text},
        [{"type": "input_image", "image_url": "https://a"}, {"type": "input_file", "file_id": "f"}],
    ),
    "anthropic": (
        lambda text: {"type": "text", "text": text, "citations": None},
        [
            {"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "AA"},
            {"type": "image", "source": {"type": "url", "url": "https://a"}},
            {"type": "tool_use", "id": "t", "name": "n", "input": {}},
            {"type": "tool_result", "tool_use_id": "t", "content": []},
        ],
    ),
    "google": (
        lambda text: {"text": text},
        [
            {"inlineData": {"mimeType": "image/png", "data": "AA"}}, {"functionCall": {"name": "n", "args": {}}},
            {"functionResponse": {"name": "n", "response": {}}}, {"text": "hm", "thought": True},
        ],
    ),
    "ai sdk": (
        lambda text: {"type": "text", "text": text},
        [
            {"type": "reasoning", "text": "hm"}, {"type": "step-start"},
            {"type": "file", "mediaType": "a/b", "data": "AA"},
            {"type": "tool-call", "toolCallId": "t", "toolName": "n", "input": {}},
            {"type": "tool-result", "toolCallId": "t", "toolName": "n", "output": {"type": "json", "value": {}}},
        ],
    ),
    "mcp": (
        lambda text: {"type": "text", "text": text, "annotations": {"priority": 1}},
        [{"type": "image", "data": "AA", "mimeType": "image/png"}, {"type": "resource_link", "uri": "file:///a"}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("role", ["user", "assistant"])
@given(st.data())
def test_any_mix_of_parts_keeps_all_its_text(form: str, role: str, data: st.DataObject) -> None:
    make, others = FORMS[form]
    unknown = {"type": "hologram", "frames": [1]}
    said = data.draw(st.lists(TEXTS | st.sampled_from([*others, unknown]), min_size=1, max_size=8))
    parts = [make(one) if isinstance(one, str) else one for one in said]
    texts = [one for one in said if isinstance(one, str)]
    fields, _ = normal_fields({"role": role, "content": parts})
    turns = split(fields)
    kept = [words_of(turn["content"]) for turn in turns if turn["role"] == role]
    assert "\n".join(one for one in kept if one) == "\n".join(texts)
    chat = [words_of(one["content"]) for one in chat_messages({"role": role, "content": parts}) if one["role"] == role]
    assert "".join("".join(chat).split()) == "".join("".join(texts).split())
