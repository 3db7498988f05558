"""Times that questions name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.timex import parse

NOW = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)  # a Wednesday


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
    ["What may I eat?", "Who will march?", "What is tiered pricing?", "3000 years ago", ""],
)
def test_what_is_no_time_is_left_alone(question: str) -> None:
    timed = parse(question, NOW)
    assert timed.windows == ()
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
