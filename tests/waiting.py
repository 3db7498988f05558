"""Waiting for what a task, a thread or a process brings about, on a machine however busy."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

WAIT_S = 300.0
POLL_S = 0.05
TURNS = 100


async def until(true: Callable[[], T | Awaitable[T]], what: object = "it never comes true") -> T:
    """Ask again and again until the answer is true; that answer. Raises AssertionError with ``what`` after minutes."""
    ends_at = time.monotonic() + WAIT_S
    while True:
        asked = true()
        found = await asked if inspect.isawaitable(asked) else asked
        if found:
            return found
        assert time.monotonic() < ends_at, what
        await asyncio.sleep(POLL_S)


def wait_until(true: Callable[[], T], what: object) -> T:
    """As ``until``, for what is not asynchronous."""
    ends_at = time.monotonic() + WAIT_S
    while not (found := true()):
        assert time.monotonic() < ends_at, what
        time.sleep(POLL_S)
    return found


async def turns() -> None:
    """Let what is ready go on, and what that makes ready in its turn: so many turns of the event loop."""
    for _ in range(TURNS):
        await asyncio.sleep(0)
