"""Calls that are carried out together: those that wait in one batch, each with its own answer or error."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from service.concurrency.group_commit import BATCH_MAX, GroupCommit


class Work:
    """Notes its batches and answers with the doubles; an odd item fails the whole batch."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    async def __call__(self, items: list[int]) -> list[int]:
        self.batches.append(items)
        await asyncio.sleep(0)
        if any(item % 2 for item in items):
            raise ValueError("odd")
        return [2 * item for item in items]


async def test_other_groups_and_more_than_a_batch_holds_stay_apart() -> None:
    together, work = GroupCommit[int, int](), Work()
    count = 3 * BATCH_MAX
    calls = [together.do("g", 2 * number, work) for number in range(count)] + [together.do("h", 2, work)]
    assert await asyncio.gather(*calls) == [4 * number for number in range(count)] + [4]
    assert max(map(len, work.batches)) == BATCH_MAX
    assert len(work.batches[-1]) == 1


async def test_many_calls_are_divided_among_two_batches_and_few_are_not() -> None:
    for count, batches in ((4, [4]), (8, [4, 4]), (15, [8, 7])):
        together, work = GroupCommit[int, int](), Work()
        await asyncio.gather(*(together.do("g", 2 * number, work) for number in range(count)))
        assert list(map(len, work.batches)) == batches


async def test_each_call_gets_its_own_error() -> None:
    together, work = GroupCommit[int, int](), Work()
    answers = await asyncio.gather(*(together.do("g", item, work) for item in (2, 3, 4)), return_exceptions=True)
    assert answers[0] == 4
    assert isinstance(answers[1], ValueError)
    assert answers[2] == 8
    with pytest.raises(ValueError, match="odd"):
        await together.do("g", 5, work)


async def test_a_batch_belongs_to_the_trace_of_its_first_call() -> None:
    trace: ContextVar[str] = ContextVar("trace", default="none")
    traces: list[str] = []

    async def work(items: list[int]) -> list[int]:
        traces.append(trace.get())
        return items

    async def call(name: str) -> int:
        trace.set(name)
        return await together.do("g", 1, work)

    together = GroupCommit[int, int]()
    await asyncio.gather(call("first"), call("second"))
    await asyncio.create_task(call("third"))
    assert traces == ["first", "third"]
