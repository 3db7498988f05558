"""Which language a turn is read in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.extraction.languages.detection import spoken
from service.extraction.languages.german import GERMAN
from tests.extraction.languages.test_cases import LANGUAGES, cases, said

ENGLISH = [
    "I live in El Paso and my wife is from Los Angeles.", "Je ne sais quoi is my favourite perfume.", "Bye!", "See ya!",
    "My motto is carpe diem, and I love the song Ich will.", "The German word for tea is Tee.", "ok", "C", "1984",
    "She said \"ich liebe dich\" to me.", "I started to learn Spanish: hola, me llamo Ada.", "No, I don't like it.",
    "The characters 我喜欢 mean that I like something.", "Give me another example", "",
]  # fmt: skip


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_never_taken_for_another_language(text: str) -> None:
    assert spoken(text, None) is None


def test_a_short_turn_is_in_the_language_of_its_session() -> None:
    assert spoken("Budget 60000", None) is None
    assert spoken("Budget 60000", GERMAN) is GERMAN
    assert spoken("I like tea, thanks", GERMAN) is None
    todo = said("Ich mag Tee.", "TODO: Login-Fehler beheben")[1]
    assert todo.content == "TODO: Login-Fehler beheben."


def test_a_session_may_change_its_language() -> None:
    found = said("Ich mag Tee.", "I live in Oslo.", "J'habite à Bergen.", "我喜欢茶。")
    assert [one.content for one in found] == [
        "Ada mag Tee.",
        "Ada lives in Oslo.",
        "Ada habite à Bergen.",
        "Ada喜欢茶。",
    ]


@given(
    st.lists(st.sampled_from([case["text"] for language in LANGUAGES for case in cases(language)]), min_size=1),
    st.text(max_size=40),
    st.integers(0, 60),
)
@settings(max_examples=60, deadline=None)
def test_no_text_is_too_much(texts: list[str], noise: str, cut: int) -> None:
    text = noise.join(texts)[cut:]
    for candidate in said(text):
        assert candidate.content.strip()
        assert len(candidate.content) <= 600
        assert candidate.evidence
        assert (candidate.slot is None) == (candidate.value is None)
