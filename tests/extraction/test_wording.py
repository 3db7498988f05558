"""How the rules put what was said: in the third person, with dates on the calendar, and whom and what it names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.extraction.english.dates import ground
from service.extraction.english.entities import mentions
from service.extraction.english.grammar import in_third_person

NOW = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("I love my dog and take it to the park", "Ann loves their dog and takes it to the park"),
        ("My sister and I went home", "Ann's sister and Ann went home"),
        ("It gave me courage to embrace myself", "It gave Ann courage to embrace themselves"),
        ("I've been there and I'm happy", "Ann has been there and they are happy"),
        ("I'd been ill, so I'd love to rest", "Ann had been ill, so they would love to rest"),
        ("We've got a pup", "Ann and others have a pup"),
        ("It pays well and I'm grateful", "It pays well and Ann is grateful"),
        ("I no longer eat meat", "Ann no longer eats meat"),
        ("I read Dune", "Ann read Dune"),
        ("Fans of the band My Bloody Valentine like me", "Fans of the band My Bloody Valentine like Ann"),
    ],
)
def test_voice(told: str, expected: str) -> None:
    assert in_third_person(told, "Ann") == expected


@pytest.mark.parametrize(
    ("said_", "expected", "day"),
    [
        ("I ran last Saturday", "I ran on Saturday 6 May 2023", (2023, 5, 6)),
        ("my talk last week", "my talk in the week before 8 May 2023", (2023, 5, 1)),
        ("last weekend", "on the weekend of 6 May 2023", (2023, 5, 6)),
        ("last month", "in April 2023", (2023, 4, 1)),
        ("in May", "in May 2023", (2023, 5, 1)),
        ("in August", "in August 2023", (2023, 8, 1)),
        ("last May", "in May 2022", (2022, 5, 1)),
        ("since last year", "since 2022", (2022, 1, 1)),
        ("about three years ago", "around 2020", (2020, 1, 1)),
        ("two days ago", "on 6 May 2023", (2023, 5, 6)),
        ("a few weeks ago", "around 17 April 2023", (2023, 4, 3)),
        ("last night", "on the night of 7 May 2023", (2023, 5, 7)),
        ("by Friday", "by Friday 12 May 2023", (2023, 5, 12)),
        ("on Tuesday", "on Tuesday 2 May 2023", (2023, 5, 2)),
        ("yesterday's vote", "7 May 2023's vote", (2023, 5, 7)),
        ("on March 3rd, 2021", "on 3 March 2021", (2021, 3, 3)),
        ("by 2023-02-28", "by 2023-02-28", (2023, 2, 28)),
    ],
)
def test_dates(said_: str, expected: str, day: tuple[int, int, int]) -> None:
    grounded = ground(said_, NOW)
    assert grounded.text == expected
    assert grounded.period is not None
    assert grounded.period.begin == datetime(*day, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["February 31", "2023-02-30", "I may 5 times", "Fridays are fun", "over the last year"]
)
def test_what_is_no_date_stays(text: str) -> None:
    assert ground(text, NOW) == ground(text, NOW + timedelta(days=400))
    assert ground(text, NOW).text == text


def test_mentions_with_kinds() -> None:
    text = "Ann flew to Tbilisi with Tom Hardy, works at Initech, uses Postgres and leads Project Apollo."
    kinds = {m.name: m.kind for m in mentions(text, subject="Ann")}
    assert kinds == {
        "Tbilisi": "place",
        "Tom Hardy": "person",
        "Initech": "company",
        "Postgres": "product",
        "Project Apollo": "project",
    }


def test_a_capital_that_opens_a_sentence_is_no_entity() -> None:
    assert mentions("Yesterday was long. Painting helps. Gardens bloom in May. Wonderful!") == ()
