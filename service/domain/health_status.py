"""Health of a dependency: the outcome of the last call to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated, Literal

from pydantic import Field

from service.domain.json import JsonObject

State = Literal["ok", "failing", "unknown", "off"]
StateField = Annotated[
    State,
    Field(
        description="Result of the last check: `ok`, `failing`, `unknown` (never checked) or `off` (not configured)."
    ),
]


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """Result of the last check."""

    status: StateField
    error: Annotated[str | None, Field(description="Error message of the last check; null after a success.")]
    checked_at: Annotated[datetime | None, Field(description="Time of the last check.")]
    latency_ms: Annotated[float | None, Field(description="Duration of the last check in milliseconds.")]


@dataclass(frozen=True, slots=True)
class ReplicaState(HealthCheck):
    """State of the read replica."""

    lag_s: Annotated[float | None, Field(description="Replication lag in seconds.")]


@dataclass(frozen=True, slots=True)
class WorkerState:
    """Worker of the last hour, with its model checks."""

    worker: Annotated[str, Field(description="Name of the worker.")]
    alive: Annotated[bool, Field(description="Recent heartbeat of the worker.")]
    started_at: Annotated[datetime, Field(description="Start time.")]
    seen_at: Annotated[datetime, Field(description="Time of the last heartbeat.")]
    health: Annotated[JsonObject, Field(description="Model checks of the worker, by part.")]


@dataclass(slots=True)
class HealthStatus:
    """The evidence of the last call. ``unknown`` until there was one, ``off`` for what is not configured."""

    state: State = "unknown"
    error: str | None = None
    checked_at: datetime | None = None
    latency_ms: float | None = None
    _noted: float = float("-inf")

    def mark_ok(self, latency_ms: float | None = None) -> None:
        """Record that a call succeeded."""
        self._note("ok", None, latency_ms)

    def mark_reachable(self) -> None:
        """Record that the server answers, which does not tell whether a call would succeed."""
        self.state, self.error, self.checked_at = "ok", None, datetime.now(UTC)

    def mark_failed(self, error: str) -> None:
        """Record that a call failed."""
        self._note("failing", error, None)

    @property
    def age_s(self) -> float:
        """Seconds since the last call; infinite when there was none."""
        return monotonic() - self._noted

    def check(self) -> HealthCheck:
        """Return the evidence as it is shown."""
        return HealthCheck(self.state, self.error, self.checked_at, self.latency_ms)

    def _note(self, state: State, error: str | None, latency_ms: float | None) -> None:
        self.state, self.error = state, error
        self.latency_ms = None if latency_ms is None else round(latency_ms, 2)
        self.checked_at = datetime.now(UTC)
        self._noted = monotonic()
