"""Ends a process whose event loop is blocked: its heartbeats have stopped, and its leases go to others."""

from __future__ import annotations

import asyncio
import faulthandler
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

HEARTBEAT_S = 1.0

T = TypeVar("T")


async def ending_when_blocked(work: Awaitable[T], deadline_s: float) -> T:
    """Return the result of ``work``. Should the event loop not run for ``deadline_s``, the process ends with status 1,
    after writing the stack of each thread to standard error.

    faulthandler's own thread does so: it needs no interpreter lock, which a regular expression holds while it runs.
    """
    feeding = asyncio.create_task(_heartbeat(deadline_s))
    try:
        return await work
    finally:
        feeding.cancel()
        with suppress(asyncio.CancelledError):
            await feeding


async def _heartbeat(deadline_s: float) -> None:
    try:
        while True:
            faulthandler.dump_traceback_later(deadline_s, exit=True)
            await asyncio.sleep(min(HEARTBEAT_S, deadline_s / 4))
    finally:
        faulthandler.cancel_dump_traceback_later()
