"""What a text says of somebody's likes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.polarity import asked_stance, stance_of


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("which programming languages does Sam like?", "likes"),
        ("Sam loves Go", "likes"),
        ("Sam's favourite colour", "likes"),
        ("Sam does not like Python", "dislikes"),
        ("I don’t really like Python", "dislikes"),
        ("which languages doesn't Sam like?", "dislikes"),
        ("what does Sam dislike?", "dislikes"),
        ("Sam never enjoyed Perl", "dislikes"),
        ("Sam hates mushrooms", "dislikes"),
        ("Sam does not hate mushrooms", "likes"),
        ("I do not like Python, but I love Go", None),
        ("What does the house look like?", None),
        ("I would like a coffee", None),
        ("Ana moved to Bergen", None),
        ("", None),
    ],
)
def test_it_is_read(text: str, stance: str | None) -> None:
    assert stance_of(text) == stance


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    assert stance_of(text) in {"likes", "dislikes", None}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("what does Sam like?", "likes"),
        ("tell me what Sam hates", "dislikes"),
        ("does Sam like tea?", None),
        ("", None),
    ],
)
def test_what_is_answered_by_yes_or_no_asks_for_neither(query: str, asked: str | None) -> None:
    assert asked_stance(query) == asked
