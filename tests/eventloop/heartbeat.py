"""A heartbeat on the running event loop: how much CPU time its thread spends between two beats."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

BEAT_S = 0.002
LOOP_CPU_S_MAX = 0.1
"""Of CPU time, so that a busy machine changes little; the worst request takes a third of it."""


@dataclass(slots=True)
class Heart:
    """``longest_s``: of each block by name, the most CPU time between two beats."""

    longest_s: dict[str, float] = field(default_factory=dict)
    _block: str = ""
    _at: float = 0.0

    @contextmanager
    def during(self, block: str) -> Iterator[None]:
        """Measure a block, which other tasks may share the loop with."""
        loop = asyncio.get_running_loop()
        self._block, self._at = block, time.thread_time()
        self.longest_s[block] = 0.0
        handle = loop.call_soon(self._beat)
        try:
            yield
        finally:
            self._block = ""
            handle.cancel()

    @property
    def stopped(self) -> dict[str, int]:
        """The blocks in which the loop was kept too long, and for how many milliseconds."""
        return {name: round(s * 1000) for name, s in self.longest_s.items() if s > LOOP_CPU_S_MAX}

    def _beat(self) -> None:
        now = time.thread_time()
        if self._block:
            self.longest_s[self._block] = max(self.longest_s[self._block], now - self._at)
            self._at = now
            asyncio.get_running_loop().call_later(BEAT_S, self._beat)
