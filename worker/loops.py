"""A background job: done again at once while there is more of it, else when the bell rings or a while has passed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from service.errors import ReverieError

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Bell:
    """Wakes everyone who waits for it."""

    _waiting: set[asyncio.Event] = field(default_factory=set)

    def ring(self) -> None:
        """Wake all who wait now, and those about to."""
        for event in self._waiting:
            event.set()

    async def keep_doing(self, name: str, job: Callable[[], Awaitable[bool]], poll_s: float) -> None:
        """Do ``job`` for ever: at once again when it says there was something to do, else on the next ring or look.

        What goes wrong is logged, and tried again after the same pause.
        """
        rung = asyncio.Event()
        self._waiting.add(rung)
        while True:
            rung.clear()
            try:
                if await job():
                    continue
            except ReverieError as error:
                log.warning(f"{name}_interrupted", error=f"{type(error).__name__}: {error.message}")
            except Exception:
                log.exception(f"{name}_failed")
            try:
                async with asyncio.timeout(poll_s):
                    await rung.wait()
            except TimeoutError:
                pass
