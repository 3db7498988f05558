"""Health of a dependency: the outcome of the last call to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Literal

from service.domain.json import JsonObject

State = Literal["ok", "failing", "unknown", "off"]


@dataclass(slots=True)
class HealthStatus:
    """The evidence of the last call. ``unknown`` until there was one, ``off`` for what is not configured."""

    state: State = "unknown"
    error: str | None = None
    checked_at: datetime | None = None
    latency_ms: float | None = None
    _noted: float = float("-inf")

    def mark_ok(self, latency_ms: float | None = None) -> None:
        """A call succeeded."""
        self._note("ok", None, latency_ms)

    def mark_failed(self, error: str) -> None:
        """A call failed."""
        self._note("failing", error, None)

    @property
    def age_s(self) -> float:
        """Seconds since the last evidence; infinite when there is none."""
        return monotonic() - self._noted

    def as_dict(self) -> JsonObject:
        """As the API shows it."""
        return {
            "status": self.state,
            "error": self.error,
            "checked_at": self.checked_at,
            "latency_ms": self.latency_ms,
        }

    def _note(self, state: State, error: str | None, latency_ms: float | None) -> None:
        self.state, self.error = state, error
        self.latency_ms = None if latency_ms is None else round(latency_ms, 2)
        self.checked_at = datetime.now(UTC)
        self._noted = monotonic()
