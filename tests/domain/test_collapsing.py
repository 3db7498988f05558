"""A memory and the messages it came from: which of them keep a place."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.collapsing import collapse

SOURCES = {11: [1], 12: [1], 13: [2, 3], 14: []}
"""The messages, 1 to 3, that memories 11 to 14 came from."""


def collapsed(*ranked: int) -> dict[int, list[int]]:
    sources = {UUID(int=memory): [UUID(int=one) for one in messages] for memory, messages in SOURCES.items()}
    kept = collapse([UUID(int=one) for one in ranked], sources)
    return {id_.int: [one.int for one in also] for id_, also in kept.items()}


@pytest.mark.parametrize(
    ("ranked", "kept"),
    [
        ((11, 1), {11: [1]}),
        ((1, 11), {1: [11]}),
        ((1, 11, 12), {1: [11, 12]}),
        ((11, 12, 1), {11: [1], 12: []}),
        ((13, 2, 3), {13: [2, 3]}),
        ((2, 13, 3), {2: [], 13: [3]}),
        ((2, 3, 13), {2: [13], 3: []}),
        ((14, 4, 1), {14: [], 4: [], 1: []}),
        ((), {}),
    ],
)
def test_the_better_stands_for_the_other(ranked: tuple[int, ...], kept: dict[int, list[int]]) -> None:
    assert collapsed(*ranked) == kept


@given(
    st.permutations(range(20)),
    st.dictionaries(st.integers(10, 19), st.lists(st.integers(0, 9), max_size=4, unique=True)),
)
def test_nothing_is_lost_and_no_place_says_what_a_better_one_does(
    ranked: list[int], sources: dict[int, list[int]]
) -> None:
    came_from = {UUID(int=memory): [UUID(int=one) for one in messages] for memory, messages in sources.items()}
    kept = collapse([UUID(int=one) for one in ranked], came_from)
    places = list(kept)
    assert sorted(one.int for one in [*places, *(also for some in kept.values() for also in some)]) == sorted(ranked)
    assert [one.int for one in places] == [one for one in ranked if UUID(int=one) in kept]
    for memory, messages in came_from.items():
        if memory in kept and messages:
            assert not all(one in places[: places.index(memory)] for one in messages)
            assert not any(one in places[places.index(memory) :] for one in messages)
