"""How long each stage of a search took."""

from __future__ import annotations

from time import perf_counter


class StageTimings:
    """Milliseconds by stage; what a stage takes in several pieces is added up."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._since = perf_counter()

    def end(self, stage: str) -> None:
        """Count the time since the last stage ended for this one."""
        now = perf_counter()
        self.ms[stage] = self.ms.get(stage, 0.0) + (now - self._since) * 1000
        self._since = now
