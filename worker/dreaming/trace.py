"""What happened on the way through a dream: how long each step took, and what went wrong and was survived."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.domain.json import JsonObject

ERRORS_MAX = 20
ERROR_CHARS_MAX = 300


@dataclass(slots=True)
class Trace:
    """One dream's. A step that is taken again, because someone's change came in between, adds to its time."""

    _seconds: dict[str, float] = field(default_factory=dict)
    _errors: Counter[tuple[str, str]] = field(default_factory=Counter)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - began

    def errors(self, step: str, messages: Counter[str]) -> None:
        """Note what went wrong in a step, and how often."""
        for message, times in messages.items():
            self._errors[step, " ".join(message.split())[:ERROR_CHARS_MAX]] += times

    def report(self) -> JsonObject:
        """``steps`` in order with their seconds, and ``errors`` with how often each occurred, the commonest first."""
        return {
            "steps": [{"step": name, "seconds": round(seconds, 3)} for name, seconds in self._seconds.items()],
            "errors": [
                {"step": step, "error": error, "times": times}
                for (step, error), times in self._errors.most_common(ERRORS_MAX)
            ],
        }
