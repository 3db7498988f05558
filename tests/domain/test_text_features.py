"""What the ranking knows of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.text_features import extract_features


@pytest.mark.parametrize(
    ("content", "speaker", "asks", "share"),
    [
        ("Ana: How are you? [shares a photo of a cat]", "ana", True, 12 / 37),
        ("Ana: I am fine.", "ana", False, 0.0),
        ("How are you?", None, True, 1.0),
        ("Fine. And you?", None, True, 8 / 13),
        ('She said "why?"', None, True, 0.0),
        ("see https://example.org: it is down", None, False, 0.0),
    ],
)
def test_the_shape_of_a_text(content: str, speaker: str | None, asks: bool, share: float) -> None:
    shape = extract_features(content)
    assert (shape.speaker, shape.asks) == (speaker, asks)
    assert shape.question_share == pytest.approx(share)


def test_a_given_speaker_wins() -> None:
    assert extract_features("Note: call back", "Ana").speaker == "Ana"


@given(st.text(max_size=500))
def test_no_text_breaks_it(content: str) -> None:
    shape = extract_features(content)
    assert 0 <= shape.question_share <= 1
    assert 0 <= shape.words <= 32_767
