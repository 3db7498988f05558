"""The rules extractor: what it must propose, what it must never propose, and what holds for any text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.guards import normalize
from service.domain.times import Period
from service.domain.types import MemoryType
from service.domain.word_lists import listed
from service.extraction.candidates import Candidate, Turn
from service.extraction.rules import extract

NOW = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday


def turn(
    content: str, seq: int = 0, *, role: str = "user", speaker: str | None = None, user: str | None = "u1"
) -> Turn:
    return Turn(uuid5(NAMESPACE_URL, f"{seq}"), "s", seq, role, content, NOW + timedelta(seconds=seq), speaker, user)


def said(*contents: str, speaker: str | None = None) -> list[Candidate]:
    return extract([turn(content, seq, speaker=speaker) for seq, content in enumerate(contents)])


def one(content: str, speaker: str | None = None) -> Candidate:
    found = said(content, speaker=speaker)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    "content",
    [
        "I don't like Python, but I love Go.",
        "I don’t like Python but I love Go",
        "i do not like Python; I love Go",
        "I dislike Python and love Go.",
    ],
)
def test_one_sentence_holds_two_preferences_of_opposite_polarity(content: str) -> None:
    dislike, like = said(content)
    assert dislike.type is like.type is MemoryType.PREFERENCE
    assert (dislike.slot, dislike.polarity) == ("u1/likes/python", "negative")
    assert (like.slot, like.polarity) == ("u1/likes/go", "positive")
    assert "Go" not in dislike.content
    assert "Python" not in like.content


def test_each_thing_liked_has_its_own_slot() -> None:
    found = said("I like tea, coffee and milk but not juice")
    assert [(c.value, c.polarity) for c in found] == [
        ("tea", "positive"),
        ("coffee", "positive"),
        ("milk", "positive"),
        ("juice", "negative"),
    ]


def test_a_later_statement_can_supersede_by_its_slot() -> None:
    before, quit_, only = said("I like tea", "I quit tea, coffee only")
    assert before.slot == quit_.slot == "u1/likes/tea"
    assert (before.polarity, quit_.polarity) == ("positive", "negative")
    assert (only.slot, only.polarity) == ("u1/likes/coffee", "positive")


def test_leaving_a_place_is_told_apart_from_living_there() -> None:
    left, lives = said("I don't live in Oslo anymore, I live in Bergen now")
    assert (left.value, left.polarity) == ("oslo", "negative")
    assert (lives.value, lives.polarity) == ("bergen", "positive")


@pytest.mark.parametrize("content", ["I joined Instagram", "I moved to Python", "I love it"])
def test_no_slot_is_filled_by_mistake(content: str) -> None:
    assert [c.slot for c in said(content)] in ([], [None])


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_other_roles_state_nothing(role: str) -> None:
    assert extract([turn("I love tea. I'm a nurse from Oslo. We decided to use Redis.", role=role)]) == []


def test_own_words_around_injected_text_are_kept() -> None:
    injected = "<reverie-memory n=2>\nI love cheese\n</reverie-memory>\nI love bread"
    recalled = "retrieved memories:\n- I love cheese\n\n- I hate fish\n\nI love rice"
    assert [c.value for c in said(injected, recalled)] == ["bread", "rice"]


def test_statement_before_a_question_is_kept() -> None:
    found = one("I've been baking sourdough bread, can you suggest a flour?")
    assert found.content == "u1 has been baking sourdough bread."


def test_third_person_with_the_date_of_the_event() -> None:
    found = one("I went to a LGBTQ support group yesterday and it was so powerful.", speaker="Caroline")
    assert found.content == "Caroline went to a LGBTQ support group on 7 May 2023 and it was so powerful."
    assert found.type is MemoryType.EVENT
    assert found.subject == "Caroline"
    assert found.begins == datetime(2023, 5, 7, tzinfo=UTC)
    assert found.evidence == (turn("").id,)


def test_an_event_without_a_date_happened_when_it_was_told() -> None:
    assert one("I went to the opera with my aunt").occurred == Period.of_days(NOW)


@pytest.mark.parametrize(
    ("speaker", "user", "subject"),
    [("Ann", "u1", "Ann"), (None, "u1", "u1"), (None, None, "The user"), ("", "", "The user")],
)
def test_subject(speaker: str | None, user: str | None, subject: str) -> None:
    (found,) = extract([turn("I like tea", speaker=speaker, user=user)])
    assert found.subject == subject
    assert found.content == f"{subject} likes tea."


def test_what_needs_its_context_joins_the_memory_before_it() -> None:
    found = one("I went to a council meeting. It made me determined to adopt.", speaker="Caroline")
    assert found.content == "Caroline went to a council meeting. It made Caroline determined to adopt."
    assert said("It made me even more determined to adopt.") == []


def test_a_short_answer_keeps_its_question() -> None:
    found = extract(
        [turn("How long have you been married?", 0, speaker="Caroline"), turn("5 years already!", 1, speaker="Mel")]
    )
    assert [c.content for c in found] == ["Asked “How long have you been married?”, Mel said “5 years already!”"]
    assert found[0].evidence == (turn("", 0).id, turn("", 1).id)


def test_an_assistants_question_is_no_evidence() -> None:
    found = extract([turn("What is your favorite color?", 0, role="assistant"), turn("Dark blue", 1)])
    assert [c.evidence for c in found] == [(turn("", 1).id,)]


def test_said_twice_is_proposed_once_with_both_turns_as_evidence() -> None:
    found = said("I love tea", "Well, I love tea!", "I LOVE TEA")
    assert len(found) == 1
    assert found[0].evidence == tuple(turn("", seq).id for seq in range(3))


def test_weekdays_of_todos_lie_ahead() -> None:
    assert one("I need to call Tom on Friday").begins == datetime(2023, 5, 12, tzinfo=UTC)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=300)), max_size=4))
def test_any_text_gives_well_formed_candidates(texts: list[tuple[str, str]]) -> None:
    _assert_well_formed([turn(text, seq, role=role) for seq, (role, text) in enumerate(texts)])


_FRAGMENTS = st.sampled_from(
    (
        *listed("""
            I I'm my we don't like love hate tea and but not , . ? ! " ' “ ” yesterday Oslo now to if says it they"""),
        *listed("nurse ``` <reverie-memory </reverie-memory> 😀 5 Acme - ( let's that this"),
        *("used to live in", "last week", "in May", "work at", "retrieved memories:", "\n", "\x00"),
    )
)


@settings(max_examples=300)
@given(st.lists(st.lists(_FRAGMENTS, max_size=25).map(" ".join), max_size=4))
def test_any_speech_gives_well_formed_candidates(texts: list[str]) -> None:
    _assert_well_formed([turn(text, seq, speaker="Ann" if seq % 2 else "Bob") for seq, text in enumerate(texts)])


def _assert_well_formed(turns: list[Turn]) -> None:
    found = extract(turns)
    assert found == extract(turns)
    spoken = {t.id for t in turns if t.role == "user"}
    for candidate in found:
        assert candidate.evidence
        assert set(candidate.evidence) <= spoken
        assert 0 < len(candidate.content) <= 8000
        assert "\x00" not in candidate.content
        assert 0 <= candidate.importance <= 1
        assert 0 <= candidate.confidence <= 1
        assert (candidate.slot is None) == (candidate.value is None)
        assert "reverie-memory" not in candidate.content.lower()
    keys = [(c.subject, c.type, normalize(c.content), c.slot, c.value, c.begins) for c in found]
    assert len(keys) == len(set(keys))


_LONG = (
    "a",
    "'a ",
    '"',
    "'a'",
    "“a",
    "I ",
    "I like tea and ",
    "....",
    "I love a, ",
    "<reverie-memory ",
    "> ",
    "in May ",
)
_LONGER = ("yesterday ", "1,111", "I used to live in A b ", "it ", "- ", "😀", "don't ", "On a", "`a` ")


@pytest.mark.parametrize("unit", _LONG + _LONGER)
def test_a_long_turn_of_one_thing_said_over_and_over_is_read(unit: str) -> None:
    """A pattern that backtracks would take minutes here; what each costs per character is a benchmark's."""
    _assert_well_formed([turn(unit * (100_000 // len(unit)))])


def test_a_noun_or_a_gerund_in_front_is_not_what_the_speaker_does() -> None:
    (love,) = said("Love and acceptance should be everyone's right, and I want them to experience it.")
    assert love.content.startswith("Love and acceptance should be")
    going = one("Going to community meetings and getting involved has given me a better understanding of politics.")
    assert going.type is not MemoryType.GOAL
    assert going.content.startswith("Going to community meetings")


def test_what_one_got_to_do_is_no_todo() -> None:
    assert one("I got to meet the mayor last week.").type is MemoryType.EVENT
    assert one("I've got to call the bank tomorrow.").type is MemoryType.TODO


def test_a_short_statement_of_what_one_has_is_a_fact() -> None:
    assert one("I have a dog.").content == "u1 has a dog."
