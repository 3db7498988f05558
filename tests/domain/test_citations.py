"""Sentences that cite memories: how versions of them differ."""

from __future__ import annotations

from uuid import UUID

from service.domain.citations import differences

FIRST, SECOND = ({"text": text, "memory_ids": [UUID(int=number)]} for number, text in enumerate("ab"))


def test_each_version_differs_from_the_one_before_it_and_the_oldest_from_nothing() -> None:
    assert differences([[SECOND], [FIRST, SECOND]], None) == [
        {"added": [], "removed": [FIRST]},
        {"added": [FIRST, SECOND], "removed": []},
    ]


def test_each_version_differs_from_the_one_that_is_given() -> None:
    same: dict[str, list[object]] = {"added": [], "removed": []}
    assert differences([[SECOND], [FIRST]], [FIRST]) == [{"added": [SECOND], "removed": [FIRST]}, same]


def test_no_version_differs_from_nothing() -> None:
    assert differences([], None) == []
    assert differences([], [FIRST]) == []
