"""What a statement says is over, and what it leaves standing; on texts alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.endings import ending, ends, supplants

ENDED = [
    ("Ann stopped drinking coffee.", "Ann drinks coffee every morning."),
    ("Ann moved from Oslo to Rome.", "Ann lives in Oslo."),
    ("Ann sold the Volvo and bought a Kia.", "Ann drives a Volvo."),
    ("Ann's brother has relocated to York.", "Ann's brother lives in Leeds."),
    ("Ann no longer uses Jira.", "Ann uses Jira for tickets."),
]
STANDING = [
    ("Ann wants to sell the Volvo.", "Ann drives a Volvo."),
    ("Ann's wife sold the Volvo.", "Ann drives a Volvo."),
    ("Ann's competitor stopped using Jira.", "Ann uses Jira."),
    ("Ann stopped learning the piano.", "Ann is learning Spanish."),
    ("Ann might quit tennis.", "Ann plays tennis."),
]


@pytest.mark.parametrize(("over", "held"), ENDED)
def test_a_statement_ends_what_it_names(over: str, held: str) -> None:
    found = ending(over, "Ann")
    assert found is not None
    assert ends(found, held)


@pytest.mark.parametrize(("over", "held"), STANDING)
def test_a_statement_leaves_everything_else(over: str, held: str) -> None:
    found = ending(over, "Ann")
    assert found is None or not ends(found, held)


def test_another_value_replaces_only_where_it_is_said_to_be_new() -> None:
    assert supplants("Ann wakes up at 7 these days.", "Ann wakes up at 6.")
    assert not supplants("Ann wakes up at 7.", "Ann wakes up at 6.")
    assert not supplants("Ann likes techno now.", "Ann likes jazz.")


@pytest.mark.parametrize(
    "text", ["The old is now 5.", "The is now 5.", "Call is now 5.", "The old was sold.", "", "now"]
)
def test_a_statement_about_nothing_ends_nothing(text: str) -> None:
    found = ending(text, None)
    assert found is None or not ends(found, "Ann drives a Volvo.")


WORDS = "the old new call is now was sold 5 to moved from ann's ann no longer not , ."


@given(st.lists(st.sampled_from(WORDS.split(" "))))
def test_no_words_break_it(words: list[str]) -> None:
    text = " ".join(words)
    found = ending(text, "Ann")
    if found is not None:
        ends(found, text)
        assert all(found.words)
