"""Sentences that cite memories: how versions of them differ."""

from __future__ import annotations

from uuid import UUID

from service.domain.citations import Difference, Sentence, differences

FIRST, SECOND = (Sentence(text, [UUID(int=number)], True, []) for number, text in enumerate("ab"))


def test_each_version_differs_from_the_one_before_it_and_the_oldest_from_nothing() -> None:
    assert differences([[SECOND], [FIRST, SECOND]], None) == [
        Difference(added=[], removed=[FIRST]),
        Difference(added=[FIRST, SECOND], removed=[]),
    ]


def test_each_version_differs_from_the_one_that_is_given() -> None:
    same: Difference[Sentence] = Difference(added=[], removed=[])
    assert differences([[SECOND], [FIRST]], [FIRST]) == [Difference(added=[SECOND], removed=[FIRST]), same]


def test_no_version_differs_from_nothing() -> None:
    assert differences([], None) == []
    assert differences([], [FIRST]) == []
