"""A background job: done again at once while there is more of it, else when the bell rings or a while has passed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from service.errors import ReverieError

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Wakeup:
    """Wakes everyone who waits for it."""

    _waiters: set[asyncio.Event] = field(default_factory=set)

    def notify(self) -> None:
        """Wake all who wait now, and those about to."""
        for event in self._waiters:
            event.set()

    async def run_forever(self, name: str, job: Callable[[], Awaitable[object]], poll_s: float) -> None:
        """Do ``job`` for ever: at once again when it gives something true, else on the next ring or look.

        What goes wrong is tried again after the same pause. Of failures in a row, the 1st, 2nd, 4th, 8th … are logged.
        """
        rung = asyncio.Event()
        failures = 0
        self._waiters.add(rung)
        while True:
            rung.clear()
            try:
                more = await job()
                failures = 0
                if more:
                    continue
            except ReverieError as error:
                failures += 1
                if failures.bit_count() == 1:
                    log.warning(
                        f"{name}_interrupted", error=f"{type(error).__name__}: {error.message}", failures=failures
                    )
            except Exception:
                log.exception(f"{name}_failed")
            try:
                async with asyncio.timeout(poll_s):
                    await rung.wait()
            except TimeoutError:
                pass
