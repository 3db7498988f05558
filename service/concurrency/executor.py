"""CPU work on texts, off the event loop: one thread, which serves workspaces in turn, a slice at a time.

A request of 1 MiB otherwise holds the loop for 0.1 to 0.3 s. Beside the worst requests of another workspace a search
takes 16 ms, alone 8.6 (docs/benchmarks.md).

Python runs one thread at a time, so more threads would finish nothing sooner and only compete with the event loop. A
text that takes less than the hop to a thread is handled where it is: whether it does is decided here and nowhere else.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any, Final, TypeVar
from uuid import UUID

from service.domain.spending import payer
from service.errors import Unavailable

INLINE_CHARACTERS_MAX: Final = 8_192
"""Some 2 ms of the most expensive work there is. Of JSON, bytes are taken for characters."""
ITEM_CHARACTERS: Final = 128
"""What an item costs besides its text, as so many characters of text."""
NOT_KNOWN: Final = INLINE_CHARACTERS_MAX + 1
"""Characters, where nobody knows how many until the work is done."""
SLICE_S: Final = 0.005
SWITCH_S: Final = 0.0005
"""How long the event loop waits for the interpreter while the thread runs Python code. Python's default: 0.005."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Steps = Iterator[None]


class FairExecutor:
    """Runs functions off the event loop, for the workspace that pays (``service.domain.spending``).

    Workspaces take turns after each slice; the tasks of one run in order. A task that is cancelled ends at its next
    item. Context variables are those of the caller.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: OrderedDict[UUID, deque[_Task]] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    async def run(self, function: Callable[..., Result], *arguments: Any, characters: int) -> Result:
        """``function(*arguments)``, which goes through so many characters of text. Raises what it raises."""
        if characters <= INLINE_CHARACTERS_MAX:
            return function(*arguments)
        (result,) = await self._off_loop(lambda given: function(*given), [arguments])
        return result

    async def each(
        self, function: Callable[[Item], Result], items: Sequence[Item], characters: Callable[[Item], int]
    ) -> list[Result]:
        """``function`` of each item, in order; ``characters`` says how much text an item is.

        Raises what the first call that fails raises, and Unavailable when the executor is closed.
        """
        if is_small(map(characters, items)):
            return [function(item) for item in items]
        return await self._off_loop(function, items)

    async def _off_loop(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        results: list[Result] = []

        def steps() -> Steps:
            for item in items:
                if results:
                    yield
                results.append(function(item))

        task = _Task(steps())
        with self._changed:
            if self._closed:
                raise Unavailable("The process is being stopped.")
            if self._thread is None:
                sys.setswitchinterval(SWITCH_S)
                self._thread = threading.Thread(target=self._work, name="fair-executor", daemon=True)
                self._thread.start()
            self._waiting.setdefault(payer().workspace_id, deque()).append(task)
            self._changed.notify()
        await task.ended
        return results

    def close(self) -> None:
        """End the thread after the slice under way. What waits or is half done raises Unavailable."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _work(self) -> None:
        while (turn := self._next()) is not None:
            workspace, task = turn
            ended = task.advance()
            with self._changed:
                tasks = self._waiting[workspace]
                if ended:
                    tasks.popleft()
                if tasks:
                    self._waiting.move_to_end(workspace)
                else:
                    del self._waiting[workspace]
        for task in (task for tasks in self._waiting.values() for task in tasks):
            task.end(Unavailable("The process is being stopped."))

    def _next(self) -> tuple[UUID, _Task] | None:
        """Return the first task of the workspace whose turn it is; None once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return None
            workspace, tasks = next(iter(self._waiting.items()))
            return workspace, tasks[0]


class _Task:
    """Steps under way. ``ended`` is the future of the event loop that waits for the last of them."""

    def __init__(self, steps: Steps) -> None:
        self._loop = asyncio.get_running_loop()
        self._steps = steps
        self._context: Context = copy_context()
        self.ended: asyncio.Future[None] = self._loop.create_future()

    def advance(self) -> bool:
        """Run one slice. Return whether that was the last."""
        until = time.monotonic() + SLICE_S
        try:
            while not self.ended.cancelled():
                self._context.run(next, self._steps)
                if time.monotonic() >= until:
                    return False
        except StopIteration:
            self.end(None)
        except BaseException as error:  # noqa: BLE001  whoever waits is told, and the thread goes on
            self.end(error)
        return True

    def end(self, error: BaseException | None) -> None:
        """Tell whoever waits."""

        def tell() -> None:
            if self.ended.done():
                return
            if error is None:
                self.ended.set_result(None)
            else:
                self.ended.set_exception(error)

        with suppress(RuntimeError):  # the loop has been closed: nobody waits
            self._loop.call_soon_threadsafe(tell)


def is_small(characters: Iterable[int]) -> bool:
    """Return whether texts of so many characters each are handled inline."""
    total = 0
    for each in characters:
        total += each + ITEM_CHARACTERS
        if total > INLINE_CHARACTERS_MAX + ITEM_CHARACTERS:
            return False
    return True
