"""An excerpt: the sentences of a long text that a question is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.excerpts import GAP, excerpt

TEXT = "Ada: I moved to Oslo. Bob: Great news! Ada: My dog is called Rex. Bob: I have no dogs. Ada: Rex loves snow."


@pytest.mark.parametrize(
    ("question", "room", "shown"),
    [
        ("Where did Ada move to?", 25, "Ada: I moved to Oslo."),
        ("Does Rex like snow?", 25, "Ada: Rex loves snow."),
        ("news of Oslo", 60, "Ada: I moved to Oslo. Bob: Great news!"),
        ("Oslo, snow?", 60, f"Ada: I moved to Oslo.{GAP}Ada: Rex loves snow."),
        ("zxqvwk", 40, "Ada: I moved to Oslo. Bob: Great news!"),
        ("", 5, "Ada: "),
    ],
)
def test_what_the_question_is_about_is_kept(question: str, room: int, shown: str) -> None:
    assert excerpt(TEXT, question, room) == shown


def test_texts_without_spaces_have_sentences_too() -> None:
    assert excerpt("我搬到了奥斯陆。狗叫雷克斯。", "雷克斯是谁？", 8) == "狗叫雷克斯。"
    assert excerpt("我搬到了奥斯陆。狗叫雷克斯。", "奥斯陆在哪里？", 8) == "我搬到了奥斯陆。"


@given(st.text(max_size=400), st.text(max_size=50), st.integers(1, 200))
def test_no_excerpt_is_longer_than_asked_for(text: str, question: str, room: int) -> None:
    assert len(excerpt(text, question, room)) <= room
