"""What a worker does all the time goes on whatever fails, and does not fill the log meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from service.errors import ReverieError, Unavailable
from tests.captured_logs import captured
from worker.wakeup import Wakeup


@pytest.mark.parametrize("failure", [Unavailable("the database is away"), ValueError("a surprise")])
async def test_of_failures_in_a_row_ever_fewer_are_logged(failure: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    logged = captured("worker.wakeup", monkeypatch)
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
    if isinstance(failure, ReverieError):
        assert [line["failures"] for line in logged.entries] == [1, 2, 4, 8, 16, 1, 2]
    else:
        assert len(logged.entries) == 23
