"""Times that questions name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.timex import parse

NOW = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)  # a Wednesday


EVER = datetime(1900, 1, 1, tzinfo=UTC)


def day(month: int, number: int, year: int = 2023) -> tuple[datetime, datetime]:
    start = datetime(year, month, number, tzinfo=UTC)
    return start, start + timedelta(days=1)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What happened on 8 May 2023?", *day(5, 8)),
        ("What happened on May 8th?", *day(5, 8)),
        ("What happened on 8 August?", *day(8, 8, 2022)),
        ("the entry of 2023-01-31", *day(1, 31)),
        ("What did I do in May 2023?", datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)),
        ("What did I do in December?", datetime(2022, 12, 1, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)),
        ("What did I do in 2021?", datetime(2021, 1, 1, tzinfo=UTC), datetime(2022, 1, 1, tzinfo=UTC)),
        ("Whom did I meet yesterday?", *day(6, 13)),
        ("Whom did I meet the day before yesterday?", *day(6, 12)),
        ("Whom did I meet last Friday?", *day(6, 9)),
        ("Whom did I meet last Wednesday?", *day(6, 7)),
        ("What did we say last week?", datetime(2023, 6, 5, tzinfo=UTC), datetime(2023, 6, 12, tzinfo=UTC)),
        ("What did we say last month?", datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)),
        ("Where was I three days ago?", *day(6, 11)),
        ("Where was I two weeks ago?", datetime(2023, 5, 28, tzinfo=UTC), datetime(2023, 6, 4, tzinfo=UTC)),
        (
            "What happened the first weekend of October?",
            datetime(2022, 10, 1, tzinfo=UTC),
            datetime(2022, 10, 3, tzinfo=UTC),
        ),
        ("the last Friday in May 2023", *day(5, 26)),
        ("the second week of May", datetime(2023, 5, 8, tzinfo=UTC), datetime(2023, 5, 15, tzinfo=UTC)),
        ("What is planned for tomorrow?", *day(6, 15)),
        ("What is planned for the day after tomorrow?", *day(6, 16)),
        ("What do we do next week?", datetime(2023, 6, 19, tzinfo=UTC), datetime(2023, 6, 26, tzinfo=UTC)),
        ("the trip next December", datetime(2023, 12, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        ("Where did she work before May 2023?", EVER, datetime(2023, 5, 1, tzinfo=UTC)),
        ("What was open until 8 May 2023?", EVER, datetime(2023, 5, 9, tzinfo=UTC)),
        ("What did we know as of the first week of May?", EVER, datetime(2023, 5, 8, tzinfo=UTC)),
        ("Who has joined since March?", datetime(2023, 3, 1, tzinfo=UTC), datetime(2023, 6, 15, tzinfo=UTC)),
        ("What changed after 8 May 2023?", datetime(2023, 5, 9, tzinfo=UTC), datetime(2023, 6, 15, tzinfo=UTC)),
        ("What was said before yesterday?", EVER, datetime(2023, 6, 13, tzinfo=UTC)),
        ("books I read in the past 10 days", datetime(2023, 6, 4, tzinfo=UTC), datetime(2023, 6, 15, tzinfo=UTC)),
    ],
)
def test_a_time_becomes_a_window(question: str, since: datetime, until: datetime) -> None:
    (window,) = parse(question, NOW).windows
    assert (window.since, window.until) == (since, until)


def test_the_time_words_are_taken_out_of_the_question() -> None:
    assert parse("What did Ana paint in May 2023 for Tim?", NOW).text == "What did Ana paint for Tim?"


def test_an_absolute_date_anchors_the_question() -> None:
    timed = parse("What did she say on 8 May 2023 about last week?", NOW)
    assert len(timed.windows) == 1
    assert "last week" in timed.text


@pytest.mark.parametrize(
    "question",
    [
        "What may I eat?",
        "Who will march?",
        "What is tiered pricing?",
        "3000 years ago",
        "",
        "a few years ago I was poor",
        "What did she do several months ago?",
        "the fifth weekend of the tour",
        "before the party",
        "until then",
    ],
)
def test_what_is_no_time_is_left_alone(question: str) -> None:
    timed = parse(question, NOW)
    assert timed.windows == ()
    assert timed.text == question


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("what happened in November 2024?", ""),
        ("What did I do last week?", ""),
        ("tell me about the things that happened on 8 May", ""),
        ("yesterday", ""),
        ("What did I eat last week?", "What did I eat ?"),
        ("what happened to Ana in May 2023?", "what happened to Ana ?"),
    ],
)
def test_nothing_is_left_of_a_question_for_nothing_but_a_time(question: str, left: str) -> None:
    timed = parse(question, NOW)
    assert len(timed.windows) == 1
    assert timed.text == left


def test_only_one_end_of_what_lies_before_or_after_is_named() -> None:
    assert [window.bounded for window in parse("What did we do before 8 May 2023?", NOW).windows] == [True]
    assert [window.bounded for window in parse("What did we do on 8 May 2023?", NOW).windows] == [False]
    (window,) = parse("What happens after 8 May 2030?", NOW).windows
    assert (window.since, window.until) == day(5, 8, 2030), "nothing can have happened after that yet"


phrases = st.sampled_from([
    "before", "after", "since", "until", "as", "of", "by", "the", "first", "second", "last", "weekend",
    "Friday", "week", "in", "May", "October", "2023", "8", "yesterday", "tomorrow", "next", "month", "year",
    "a", "few", "two", "days", "ago", "on", "what", "happened", "Ana",
])  # fmt: skip


@given(st.lists(phrases, max_size=30).map(" ".join), st.datetimes(timezones=st.just(UTC)))
def test_no_phrase_breaks_it(question: str, now: datetime) -> None:
    timed = parse(question, now)
    assert len(timed.windows) <= 4
    assert all(window.since < window.until for window in timed.windows)
    if not timed.windows:
        assert timed.text == question


@given(st.text(max_size=300), st.datetimes(timezones=st.just(UTC)))
def test_no_text_and_no_moment_breaks_it(question: str, now: datetime) -> None:
    timed = parse(question, now)
    assert len(timed.windows) <= 4
    assert all(window.since < window.until for window in timed.windows)


@given(
    st.sampled_from(["yesterday", "last week", "last month", "two years ago", "in May", "999 years ago", "last year"])
)
def test_times_at_the_ends_of_the_calendar_are_left_alone(phrase: str) -> None:
    for now in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)):
        parse(f"what was {phrase}?", now)
