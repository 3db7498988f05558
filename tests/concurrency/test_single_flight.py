"""Looks that are shared: few of them, none older than the call it answers."""

from __future__ import annotations

import asyncio

import pytest

from service.concurrency.single_flight import SingleFlight


class Looks:
    """Looks that end when they are let; each answers with its number."""

    def __init__(self) -> None:
        self.begun = 0
        self._more = asyncio.Condition()
        self.gates: list[asyncio.Event] = []

    async def __call__(self) -> int:
        async with self._more:
            self.begun += 1
            number, gate = self.begun, asyncio.Event()
            self.gates.append(gate)
            self._more.notify_all()
        await gate.wait()
        return number

    async def begins(self, number: int) -> None:
        async with self._more:
            await self._more.wait_for(lambda: self.begun >= number)


async def test_a_call_is_answered_by_a_look_that_began_after_it() -> None:
    shared, looks = SingleFlight[int](), Looks()
    first = asyncio.create_task(shared.do("k", looks))
    await looks.begins(1)
    later = [asyncio.create_task(shared.do("k", looks)) for _ in range(5)]
    await asyncio.sleep(0)
    looks.gates[0].set()
    assert await first == (1, True)
    await looks.begins(2)
    latest = asyncio.create_task(shared.do("k", looks))
    await asyncio.sleep(0)
    looks.gates[1].set()
    assert await asyncio.gather(*later) == [(2, True)] + [(2, False)] * 4
    await looks.begins(3)
    looks.gates[2].set()
    assert await latest == (3, True)
    assert looks.begun == 3


async def test_calls_of_one_turn_share_a_look() -> None:
    shared, looks = SingleFlight[int](), Looks()
    calls = [asyncio.create_task(shared.do("k", looks)) for _ in range(3)]
    await looks.begins(1)
    looks.gates[0].set()
    assert await asyncio.gather(*calls) == [(1, True), (1, False), (1, False)]
    assert looks.begun == 1


async def test_other_keys_wait_for_nobody() -> None:
    shared, looks = SingleFlight[int](), Looks()
    calls = [asyncio.create_task(shared.do(key, looks)) for key in "ab"]
    await looks.begins(2)
    for gate in looks.gates:
        gate.set()
    assert sorted(await asyncio.gather(*calls)) == [(1, True), (2, True)]


async def test_an_error_reaches_all_and_the_next_look_is_a_new_one() -> None:
    shared = SingleFlight[int]()

    async def fails() -> int:
        await asyncio.sleep(0)
        raise ValueError("no")

    calls = [asyncio.create_task(shared.do("k", fails)) for _ in range(3)]
    assert all(isinstance(one, ValueError) for one in await asyncio.gather(*calls, return_exceptions=True))

    async def works() -> int:
        return 7

    assert await shared.do("k", works) == (7, True)


async def test_a_caller_that_goes_away_takes_no_answer_with_it() -> None:
    shared, looks = SingleFlight[int](), Looks()
    first = asyncio.create_task(shared.do("k", looks))
    await looks.begins(1)
    second, third = (asyncio.create_task(shared.do("k", looks)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    looks.gates[0].set()
    await looks.begins(2)
    looks.gates[1].set()
    assert await third == (2, False)
