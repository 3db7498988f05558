"""What stays of a text when one of two people behind it is forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.domain.scrub import json_without, telling_words, without

TEXT = "The office moves to Bergen. Ada's badge is QX-77! Bob drives a van."


def test_only_the_sentences_of_the_other_go() -> None:
    gone = telling_words(["Ada's badge: QX-77", "we move the office"]) - telling_words(["the office moves to Bergen"])
    assert without(TEXT, gone) == "The office moves to Bergen. Bob drives a van."
    assert without("Ada's badge.", gone) == ""


def test_common_words_tell_nothing() -> None:
    assert telling_words(["The one that was with you, of 7"]) == {"7"}


def test_json_loses_strings_keys_and_numbers_that_tell() -> None:
    gone = telling_words(["badge QX-77, 4711"])
    value = {"badge": 1, "a": ["fine", "the badge"], "b": {"n": 4711, "m": 4712}, "c": None}
    assert json_without(value, gone) == {"a": ["fine"], "b": {"m": 4712}}


@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=200))
def test_no_word_of_the_gone_survives(texts: list[str], text: str) -> None:
    gone = telling_words(texts)
    kept = without(text, gone)
    assert not telling_words([kept]) & gone
    assert telling_words([kept]) <= telling_words([text])
