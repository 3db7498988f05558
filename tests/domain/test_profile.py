"""Profiles as a pure function of what is remembered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

import pytest

from service.domain.profile import Known, profile_of, version_of

START = datetime(2026, 9, 1, tzinfo=UTC)
NOW = START + timedelta(days=60)
NUMBERS = count(1)


def known(content: str, slot: str | None = None, value: str | None = None, *, day: int = 0, **fields: str) -> Known:
    """A memory that holds since some day."""
    number = UUID(int=next(NUMBERS))
    said = {"type": "fact", "polarity": "positive"} | fields
    return Known(number, said["type"], content, START + timedelta(days=day), slot, value, said["polarity"])


def shown(*memories: Known, user: str = "ada") -> list[tuple[str, str | None, str]]:
    return [(one.name, one.detail, one.value) for one in profile_of(user, memories, NOW)]


def test_fields_come_in_their_order_with_values_as_said() -> None:
    memories = (
        known("ada likes hiking.", "ada/likes/hike", "hike", type="preference"),
        known("ada works at Wayne Enterprises.", "ada/works_at", "wayne enterprises"),
        known("ada is a nurse.", "ada/job", "nurse"),
        known("ada lives in New York.", "ada/lives_in", "new york"),
        known("ada wants to run a marathon.", day=1, type="goal"),
    )
    fields = profile_of("ada", memories, NOW)
    assert [(one.name, one.group) for one in fields] == [
        ("home", "static"), ("work", "static"), ("work", "static"), ("likes", "preferences"), ("goals", "goals")
    ]  # fmt: skip
    assert {(one.detail, one.value) for one in fields} == {
        (None, "New York"), ("role", "nurse"), ("employer", "Wayne Enterprises"), (None, "hiking"),
        (None, "ada wants to run a marathon."),
    }  # fmt: skip


def test_one_value_at_a_time_is_the_newest() -> None:
    oslo, bergen = (known(f"ada lives in {city}.", "ada/lives_in", city.lower(), day=day)
                    for day, city in enumerate(("Oslo", "Bergen")))  # fmt: skip
    assert shown(oslo, bergen) == shown(bergen, oslo) == [("home", None, "Bergen")]


def test_what_was_denied_since_is_not_shown() -> None:
    left = known("ada left Initech.", "ada/works_at", "initech", day=3, polarity="negative")
    worked = known("ada works at Initech.", "ada/works_at", "initech")
    assert shown(worked, left) == []
    again = known("ada works at Initech again.", "ada/works_at", "initech", day=9)
    assert shown(worked, left, again) == [("work", "employer", "Initech")]
    assert shown(left, known("ada works at Globex.", "ada/works_at", "globex")) == [("work", "employer", "Globex")]


def test_a_change_of_mind_moves_a_liking() -> None:
    liked = known("ada likes jazz.", "ada/likes/jazz", "jazz", type="preference")
    disliked = known("ada no longer likes jazz.", "ada/likes/jazz", "jazz", day=2, polarity="negative")
    assert shown(liked) == [("likes", None, "jazz")]
    assert shown(liked, disliked) == [("dislikes", None, "jazz")]


def test_several_memories_of_one_value_are_its_sources_since_the_first() -> None:
    first = known("ada likes tea.", "ada/likes/tea", "tea", type="preference")
    second = known("ada really likes tea!", "ada/likes/tea", "tea", day=5, type="preference")
    (field,) = profile_of("ada", [first, second], NOW)
    assert field.memory_ids == (second.id, first.id)
    assert field.since == first.since


def test_relatives_and_pets_are_named_by_slots_and_in_passing() -> None:
    memories = (
        known("ada's sister is called Maria.", "ada's sister/named/maria", "maria"),
        known("ada's brother Tom works at Initech.", "ada's brother tom/works_at", "initech"),
        known("ada's dog Rex is sick again."),
        known("ada's boss Kim is late.", "ada's boss kim/named/kim", "kim"),
        known("bob's sister is called Eva.", "bob's sister/named/eva", "eva"),
        known("ada's sister Nina was late."),
    )
    assert set(shown(*memories)) == {
        ("family", "sister", "Maria"),
        ("family", "brother", "Tom"),
        ("family", "sister", "Nina"),
        ("pets", "dog", "Rex"),
    }


@pytest.mark.parametrize("user", ["u/1", "Ada Lovelace", "ADA", "a's b", "%_"])
def test_slots_are_those_of_exactly_this_user(user: str) -> None:
    owner = user.casefold()
    memory = known(f"{user} lives in Oslo.", f"{owner}/lives_in", "oslo")
    assert shown(memory, user=user) == [("home", None, "Oslo")]
    assert shown(memory, user=f"{user}2") == []


def test_the_latest_events_are_those_of_the_last_thirty_days() -> None:
    events = [known(f"ada met {n}.", day=10 * n, type="event") for n in range(7)]
    assert [value for _, _, value in shown(*events)] == ["ada met 6.", "ada met 5.", "ada met 4."]


def test_the_version_tells_profiles_apart() -> None:
    memory = known("ada lives in Oslo.", "ada/lives_in", "oslo")
    oslo, again = (profile_of("ada", [memory], moment) for moment in (NOW, NOW + timedelta(days=1)))
    bergen = profile_of("ada", [known("ada lives in Bergen.", "ada/lives_in", "bergen")], NOW)
    assert version_of(oslo) == version_of(again) != version_of(bergen)
