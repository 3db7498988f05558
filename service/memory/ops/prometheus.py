"""The metrics as they are scraped: what this process measured, and what the database knows of all of them.

The numbers are those of all workspaces, so a scrape needs an admin key of the default workspace. Recently authenticated
scrapers keep working while the database is down, until their key expires.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from prometheus_client import generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.db.pool import Connection
from service.domain.health_status import State
from service.domain.spending import Usage
from service.errors import ReverieError, Unauthenticated, Unavailable
from service.memory.access.keys import authenticate, hash_of
from service.memory.event_delivery import EventNotifier
from service.memory.ops.health import DATABASE_S, Check, checks, workers
from service.runtime import Runtime

SCRAPERS_MAX = 100
TRUSTED_S = 600.0


async def authorize_scrape(runtime: Runtime, key: str) -> None:
    """Raise Unauthenticated, Forbidden, RateLimited, and Unavailable when the database is away and the key unknown
    here."""
    credentials, hashed = runtime.metrics.scrape_credentials, hash_of(key)
    try:
        principal = await authenticate(runtime, key)
    except Unavailable:
        if credentials.get(hashed, 0.0) < monotonic():
            raise
    except Unauthenticated:
        credentials.pop(hashed, None)
        raise
    else:
        principal.require_scope("read")
        principal.require_installation_admin()
        trusted_s = TRUSTED_S
        if principal.expires_at is not None:
            trusted_s = min(trusted_s, (principal.expires_at - runtime.now()).total_seconds())
        if hashed in credentials or len(credentials) < SCRAPERS_MAX:
            credentials[hashed] = monotonic() + trusted_s


async def render(runtime: Runtime) -> bytes:
    """Return everything, in Prometheus' text form. Without a database what it knows is left as it was, and
    ``reverie_dependency_up`` says so."""
    families = _up((await checks(runtime)).states()) + _process(runtime)
    with suppress(ReverieError, TimeoutError):
        async with asyncio.timeout(DATABASE_S), runtime.db.unscoped() as connection:
            runtime.metrics.installation = await _installation(connection, runtime.now())
    return generate_latest(runtime.metrics.registry) + generate_latest(_Read(families + runtime.metrics.installation))


@dataclass(frozen=True, slots=True)
class _Read(Collector):
    """Metrics read for one scrape."""

    families: list[Metric]

    def collect(self) -> list[Metric]:
        return self.families


def _up(found: Mapping[Check, State]) -> list[Metric]:
    known: dict[str, float] = {
        name: float(state == "ok") for name, state in found.items() if state in ("ok", "failing")
    }
    return [_gauge("dependency_up", "Whether what is needed works; absent while unknown or off", known, "component")]


def _process(runtime: Runtime) -> list[Metric]:
    """Return what this process has open, and what it has used of the language model."""
    pool = {state.removeprefix("pool_"): count for state, count in runtime.db.pool_use().items()}
    found: list[Metric] = [
        _gauge("pool_connections", "Connections of this process", pool, "state"),
        _gauge("event_streams", "Streams of events that are open", runtime.part(EventNotifier).followers),
    ]
    used = runtime.llm_meter.usage
    if runtime.llm is None and not used.calls:
        return found
    calls = {"failed": used.failed_calls, "answered": used.calls - used.failed_calls}
    tokens = {"prompt": used.prompt_tokens, "completion": used.completion_tokens}
    return [
        *found,
        _counter("llm_calls", "Calls of the language model", calls, "outcome"),
        _counter("llm_tokens", "Tokens this process used", tokens, "kind"),
        _counter("llm_cost_usd", "What they cost, in US dollars", used.cost_usd),
    ]


async def _installation(connection: Connection, now: datetime) -> list[Metric]:
    """Return what the database knows of all processes."""
    waiting = await connection.one("dreams_waiting", workspace=None, now=now)
    alive = sum(worker.alive for worker in await workers(connection))
    totals = defaultdict(float, {row["name"]: row["value"] for row in await connection.fetch("totals")})
    oldest = waiting["oldest_due_at"]
    age_s = max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
    dreams = {outcome: totals[f"dreams_{outcome}"] for outcome in ("succeeded", "failed", "dry_run")}
    tokens = {kind: totals[f"{kind}_tokens"] for kind in ("prompt", "completion")}
    return [
        _gauge("workers", "Workers alive", alive),
        _gauge("dream_queue_length", "Agents waiting for a dream", waiting["due"]),
        _gauge("dream_queue_oldest_age_seconds", "For how long the first of them has been due", age_s),
        _gauge("pending_embeddings", "Texts without a vector, as last counted by a worker", totals["pending"]),
        _counter("dead_letters", "Texts set aside, of all workers", totals["dead_letters"]),
        _counter("dreams", "Dreams that ended, of all workers", dreams, "outcome"),
        _counter("dream_tokens", "Tokens dreams used, of all workers", tokens, "kind"),
        _counter("dream_cost_usd", "What dreams cost, of all workers, in US dollars", totals["cost_usd"]),
    ]


def _gauge(name: str, help_text: str, values: float | Mapping[str, float], *labels: str) -> Metric:
    return _filled(GaugeMetricFamily(f"reverie_{name}", help_text, labels=labels), values)


def _counter(name: str, help_text: str, values: float | Mapping[str, float], *labels: str) -> Metric:
    """Return a counter; its name is given ``_total`` when it is exposed."""
    return _filled(CounterMetricFamily(f"reverie_{name}", help_text, labels=labels), values)


def _filled(
    family: GaugeMetricFamily | CounterMetricFamily, values: float | Mapping[str, float]
) -> GaugeMetricFamily | CounterMetricFamily:
    if not isinstance(values, Mapping):
        family.add_metric((), values)
        return family
    for label, value in values.items():
        family.add_metric((label,), value)
    return family


async def count_dream(runtime: Runtime, outcome: str, used: Usage) -> None:
    """Add a dream that has ended to the totals of all workers. A crash just before loses one from the count."""
    counts = {
        f"dreams_{outcome}": 1,
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "cost_usd": used.cost_usd,
    }
    async with runtime.db.unscoped() as connection:
        await connection.run("add_totals", names=list(counts), values=list(counts.values()))
