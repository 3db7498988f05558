"""Values in other words: the same thing of the same kind is replaced, and nothing else is."""

from __future__ import annotations

import pytest

from service.domain.changed_values import changes_value

REPLACED = [
    ("Saturn runs on Postgres 15.", "Saturn was upgraded from Postgres 15 to 17."),
    ("Saturn uses Redis 6.", "joe and others upgraded Saturn to Redis 7.2."),
    ("The API is on Python 3.11", "The API now runs on Python 3.13."),
    ("Saturn is due on 5 May 2026.", "The deadline for Saturn was moved to 9 June 2026."),
    ("The Saturn deadline is 5 May 2026.", "Saturn is now due by 9 June 2026."),
    ("Ines leads Saturn.", "Bo took over Saturn from Ines."),
    ("The lead of Saturn is Ines.", "Bo now leads Saturn."),
    ("Ines is the owner of Saturn.", "Bo has replaced Ines as the owner of Saturn."),
    ("The Saturn meeting is on Friday.", "We rescheduled the Saturn meeting from Friday to Monday."),
    ("The Saturn budget is 50000.", "They raised the Saturn budget to 60000."),
    ("We have 50000 for Saturn, that's the budget.", "The Saturn budget is now 60000."),
    ("joe and others have 9 for the North Wing and it's our quota", "The North Wing quota is 12."),
    ("The budget for Saturn is 50000.", "The Saturn budget went from 50000 to 60000."),
    ("The launch is on 3 July 2026.", "the launch slipped to 9 July 2026"),
]
STANDS = [
    ("Saturn runs on Postgres 15.", "Saturn uses Redis 7."),
    ("Saturn runs on Postgres 15.", "Jupiter now runs on Postgres 17."),
    ("Saturn uses Postgres 15.", "Saturn uses Postgres 15."),
    ("Ines leads Saturn.", "Bo leads Jupiter."),
    ("Ines is the owner of Saturn.", "Bo leads Saturn."),
    ("We have 3 kids for Saturn, that's the plan.", "The Saturn plan is 60000."),
    ("This road leads to Rome.", "This path leads to Bonn."),
    ("Saturn is due on 5 May 2026.", "The Saturn budget report is due on 9 May 2026."),
    ("We moved the sofa to the attic.", "We moved the chair to the cellar."),
    ("Ines leads a quiet life.", "Bo leads a busy life."),
]


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_a_value_in_other_words_is_replaced(older: str, newer: str) -> None:
    assert changes_value(older, newer)


@pytest.mark.parametrize(("older", "newer"), STANDS)
def test_what_is_of_something_else_stands(older: str, newer: str) -> None:
    assert not changes_value(older, newer)


def test_a_long_text_is_left_alone() -> None:
    assert not changes_value("Saturn runs on Postgres 15.", "Saturn runs on Postgres " + "1" * 5_000)
