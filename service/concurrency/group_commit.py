"""Group commit: single calls that arrive while others are under way are carried out together, as one batch.

At 8 clients it gives 1.85 times as many saves a second, and 1.45 times as many searches. A memory saved in a batch
costs a tenth of one saved alone, in Python and in Postgres alike; searches that share a batch cost two thirds. A lone
caller waits for nobody: it goes at once. The busier the service, the larger the batches.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, TypeVar

from service.errors import Unavailable

Item = TypeVar("Item")
Done = TypeVar("Done")

BATCH_MAX = 64
BATCHES_IN_FLIGHT = 2
BATCH_MIN = 4
"""More are divided among the batches, so that Python prepares one while Postgres works on another: 1.2 times as many
saves a second at 8 clients, 1.25 at 16. For fewer it costs more than it gains."""


@dataclass(frozen=True, slots=True)
class _Call(Generic[Item, Done]):
    group: Any
    item: Item
    work: Callable[[list[Item]], Coroutine[Any, Any, list[Done]]]
    answer: asyncio.Future[Done]
    context: Context


class GroupCommit(Generic[Item, Done]):
    """Batches concurrent calls of one kind; at most ``in_flight_max`` batches are under way, and calls are divided
    among them."""

    def __init__(self, in_flight_max: int = BATCHES_IN_FLIGHT) -> None:
        self._in_flight_max = in_flight_max
        self._waiting: deque[_Call[Item, Done]] = deque()
        self._in_flight_calls = 0
        self._in_flight: set[asyncio.Task[None]] = set()

    async def do(self, group: Any, item: Item, work: Callable[[list[Item]], Coroutine[Any, Any, list[Done]]]) -> Done:
        """Return what ``work`` answers for this item, done with others of an equal ``group`` where there are any.

        ``work`` takes items and gives one answer each, in order, or raises and has then done nothing: a batch that
        fails is taken apart and tried one by one, so that each call gets its own error. It runs in a copy of the
        context of the first of them, whose trace it is a part of.
        """
        call: _Call[Item, Done] = _Call(group, item, work, asyncio.get_running_loop().create_future(), copy_context())
        self._waiting.append(call)
        if len(self._in_flight) < self._in_flight_max:
            # In a context of its own, as it outlives the call that began it and works for others.
            task = asyncio.get_running_loop().create_task(self._drain(), context=Context())
            self._in_flight.add(task)
            task.add_done_callback(self._in_flight.discard)
        return await call.answer

    async def _drain(self) -> None:
        while self._waiting:
            group = self._waiting[0].group
            share = math.ceil((len(self._waiting) + self._in_flight_calls) / self._in_flight_max)
            most = min(BATCH_MAX, max(BATCH_MIN, share))
            batch = [call for call, _ in zip(self._same_group(group), range(most), strict=False)]
            for _ in batch:
                self._waiting.popleft()
            self._in_flight_calls += len(batch)
            failed = await self._run_batch(batch)
            for call in failed:
                await self._run_batch([call])
            self._in_flight_calls -= len(batch)

    def _same_group(self, group: Any) -> Any:
        return takewhile(lambda call: call.group == group, self._waiting)

    async def _run_batch(self, batch: list[_Call[Item, Done]]) -> list[_Call[Item, Done]]:
        """Work on a batch and answer its calls; the calls to be tried again by themselves."""
        work = batch[0].work([call.item for call in batch])
        task = asyncio.get_running_loop().create_task(work, context=batch[0].context)
        await asyncio.wait([task])
        error = None if task.cancelled() else task.exception()
        if error is not None and len(batch) > 1 and not isinstance(error, Unavailable):
            return batch
        for position, call in enumerate(batch):
            if call.answer.done():
                continue
            if task.cancelled():
                call.answer.cancel()
            elif error is not None:
                call.answer.set_exception(error)
            else:
                call.answer.set_result(task.result()[position])
        return []
