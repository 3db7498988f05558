"""The executor: workspaces take turns, and callers get what they would get without it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from uuid import UUID

import pytest

from service.concurrency.executor import INLINE_CHARACTERS_MAX, NOT_KNOWN, SLICE_S, FairExecutor
from service.domain.spending import Payer, paid_by
from service.errors import Unavailable

ONE, OTHER = Payer(UUID(int=1)), Payer(UUID(int=2))


@pytest.fixture
def executor() -> Iterator[FairExecutor]:
    executor = FairExecutor()
    yield executor
    executor.close()


def slice_long(_: object = None) -> None:
    """Work that uses up a slice."""
    threading.Event().wait(SLICE_S)


async def test_small_texts_are_handled_inline_and_others_by_its_thread(executor: FairExecutor) -> None:
    here = threading.get_ident()
    assert await executor.run(threading.get_ident, characters=INLINE_CHARACTERS_MAX) == here
    assert await executor.run(threading.get_ident, characters=INLINE_CHARACTERS_MAX + 1) != here
    texts = ["x" * 100] * 10
    assert set(await executor.each(lambda _: threading.get_ident(), texts, len)) == {here}
    assert here not in await executor.each(lambda _: threading.get_ident(), texts * 10, len)


async def test_results_are_in_order(executor: FairExecutor) -> None:
    assert await executor.each(lambda n: n * 2, range(5_000), lambda _: 1) == [n * 2 for n in range(5_000)]
    assert await executor.each(len, [], len) == []


async def test_workspaces_take_turns_and_the_tasks_of_one_run_in_order(executor: FairExecutor) -> None:
    done: list[str] = []
    begun, go = threading.Event(), threading.Event()

    def first(item: str) -> None:
        begun.set()
        go.wait()
        step(item)

    def step(item: str) -> None:
        done.append(item)
        slice_long()

    def started(payer: Payer, work: object, items: list[str]) -> asyncio.Task[list[None]]:
        with paid_by(payer):
            return asyncio.create_task(executor.each(work, items, lambda _: NOT_KNOWN))  # type: ignore[arg-type]

    tasks = [started(ONE, first, ["a1"])]
    await asyncio.to_thread(begun.wait)
    tasks += [started(ONE, step, ["b1", "b2", "b3"]), started(ONE, step, ["c1"]), started(OTHER, step, ["x1", "x2"])]
    await asyncio.sleep(0)  # all of them wait
    go.set()
    await asyncio.gather(*tasks)
    assert done == ["a1", "x1", "b1", "x2", "b2", "b3", "c1"]


async def test_an_error_is_the_callers_and_ends_nothing_else(executor: FairExecutor) -> None:
    done: list[int] = []

    def fails_at_two(number: int) -> None:
        if number == 2:
            raise KeyError(number)
        done.append(number)

    with pytest.raises(KeyError):
        await executor.each(fails_at_two, [1, 2, 3], lambda _: NOT_KNOWN)
    assert done == [1]
    with pytest.raises(RuntimeError):
        await executor.run(lambda: next(iter([])), characters=NOT_KNOWN)
    assert await executor.run(lambda: "goes on", characters=NOT_KNOWN) == "goes on"


async def test_a_cancelled_task_ends_at_its_next_item(executor: FairExecutor) -> None:
    done: list[int] = []
    begun, go = threading.Event(), threading.Event()

    def work(number: int) -> None:
        done.append(number)
        begun.set()
        go.wait()

    task = asyncio.create_task(executor.each(work, range(1_000), lambda _: NOT_KNOWN))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    await executor.run(slice_long, characters=NOT_KNOWN)
    assert done == [0]


async def test_context_variables_are_the_callers(executor: FairExecutor) -> None:
    variable: ContextVar[str] = ContextVar("variable", default="none")
    variable.set("mine")
    assert await executor.run(variable.get, characters=NOT_KNOWN) == "mine"


async def test_closing_ends_what_waits(executor: FairExecutor) -> None:
    begun, go = threading.Event(), threading.Event()

    def work() -> str:
        begun.set()
        go.wait()
        return "done"

    under_way = asyncio.create_task(executor.run(work, characters=NOT_KNOWN))
    await asyncio.to_thread(begun.wait)
    waiting = asyncio.create_task(executor.run(slice_long, characters=NOT_KNOWN))
    await asyncio.sleep(0)
    executor.close()
    go.set()
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        await executor.run(slice_long, characters=NOT_KNOWN)
    assert await executor.run(lambda: "small", characters=1) == "small"
    under_way.cancel()
