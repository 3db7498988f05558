"""What a worker does all the time goes on whatever fails, and does not fill the log meanwhile."""

from __future__ import annotations

import asyncio

from service.errors import Unavailable
from tests.captured_logs import logged_by
from worker.schedule import Wakeup


async def fail_in_a_row(kind: type[Exception]) -> None:
    """A job that fails twenty times, goes well once, fails three times more, and then well for good."""
    failure = kind("the database is away")
    bell, outcomes, done = Wakeup(), iter([failure] * 20 + [None] + [failure] * 3), asyncio.Event()

    async def job() -> bool:
        outcome = next(outcomes, done)
        if outcome is done:
            done.set()
        elif outcome is not None:
            raise failure
        return False

    task = asyncio.create_task(bell.run_forever("job", job, 0.001))
    await asyncio.wait_for(done.wait(), 180)
    task.cancel()


def run_failing(kind: type[Exception]) -> None:
    """The same, outside of any event loop."""
    asyncio.run(fail_in_a_row(kind))


def test_of_failures_in_a_row_ever_fewer_are_logged() -> None:
    assert [line["failures"] for line in logged_by(run_failing, Unavailable)] == [1, 2, 4, 8, 16, 1, 2]


def test_every_surprise_is_logged() -> None:
    assert [line["event"] for line in logged_by(run_failing, ValueError)] == ["job_failed"] * 23
