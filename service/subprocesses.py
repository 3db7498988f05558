"""Child processes: they end with their parent, and are started again with exponential backoff."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass

_PR_SET_PDEATHSIG = 1
_POLL_S = 0.5
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

BACKOFF_MIN_S, BACKOFF_MAX_S = 0.5, 30.0
STABLE_S = 60.0
"""A process that ran for so long starts over with the shortest backoff."""


def set_death_signal(number: signal.Signals, parent: int) -> None:
    """Let the kernel send this process ``number`` when ``parent`` ends, however it ends. Linux only, else nothing.

    Race-free: a parent that ended before the call is noticed by its pid. Safe between fork and exec.
    """
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_with_parent(parent: int) -> None:
    """End this process at once when ``parent`` does, also by SIGKILL: by the kernel on Linux, elsewhere by polling."""
    if _libc is not None:
        set_death_signal(signal.SIGKILL, parent)
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL_S)
        os._exit(1)

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


@dataclass(slots=True)
class Backoff:
    """When to start a process that ended again: at once, then after 0.5 s, doubling up to 30 s. Monotonic seconds."""

    _failures: int = 0
    _started_at: float = 0.0

    def started(self) -> None:
        """Note that the process was started."""
        self._started_at = time.monotonic()

    def ended(self) -> float:
        """Note that the process ended. Return the seconds to wait before the next start."""
        if time.monotonic() - self._started_at >= STABLE_S:
            self._failures = 0
        self._failures += 1
        return min(BACKOFF_MAX_S, BACKOFF_MIN_S * 2.0 ** min(self._failures - 2, 10)) if self._failures > 1 else 0.0
