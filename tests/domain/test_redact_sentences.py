"""What stays of a text when one of two people behind it is forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.domain.redact_sentences import content_words, drop_sentences, json_drop_sentences

TEXT = "The office moves to Bergen. Ada's badge is QX-77! Bob drives a van."


def test_only_the_sentences_of_the_other_go() -> None:
    gone = content_words(["Ada's badge: QX-77", "we move the office"]) - content_words(["the office moves to Bergen"])
    assert drop_sentences(TEXT, gone) == "The office moves to Bergen. Bob drives a van."
    assert drop_sentences("Ada's badge.", gone) == ""


def test_common_words_tell_nothing() -> None:
    assert content_words(["The one that was with you, of 7"]) == {"7"}


def test_json_loses_strings_keys_and_numbers_that_tell() -> None:
    gone = content_words(["badge QX-77, 4711"])
    value = {"badge": 1, "a": ["fine", "the badge"], "b": {"n": 4711, "m": 4712}, "c": None}
    assert json_drop_sentences(value, gone) == {"a": ["fine"], "b": {"m": 4712}}


@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=200))
def test_no_word_of_the_gone_survives(texts: list[str], text: str) -> None:
    gone = content_words(texts)
    kept = drop_sentences(text, gone)
    assert not content_words([kept]) & gone
    assert content_words([kept]) <= content_words([text])
