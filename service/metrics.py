"""What a process measures of itself, in Prometheus' form. No label names a workspace, an agent or a person."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.metrics_core import Metric

LATENCIES_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """The metrics of one process, in a registry of their own.

    ``scrape_credentials`` are the keys (hashes of them) whose scrapes are answered without the database, and until
    when. ``installation`` is what the database last said of all processes, shown again while it is away.
    """

    def __init__(self) -> None:
        self.scrape_credentials: dict[bytes, float] = {}
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = self._histogram(
            "reverie_http_request_duration_seconds", "Requests", "method", "route", "status"
        )
        self.searches = self._histogram("reverie_search_duration_seconds", "Searches", "strategy", "degraded")
        self.embedded = Counter(
            "reverie_embeddings", "Texts to embed as they were saved", ["outcome"], registry=self.registry
        )
        self.model_calls = self._counter("reverie_model_calls", "Calls of models by this process", "purpose", "outcome")
        self.model_tokens = self._counter("reverie_model_tokens", "Tokens they used", "purpose", "kind")
        self.model_cost = self._counter("reverie_model_cost_usd", "What they cost, in US dollars", "purpose")
        self.secrets = self._counter(
            "reverie_secrets_found", "Secrets found in what was written or searched for", "kind", "mode"
        )
        self.limits_reached = self._counter("reverie_limits_reached", "Requests that a limit refused", "limit", "of")
        self.installation: list[Metric] = []

    def secret_found(self, kind: str, mode: str) -> None:
        """Count a secret of a kind, as ``github_token``, by the mode that treated it."""
        self.secrets.labels(kind, mode).inc()

    def _histogram(self, name: str, help: str, *labels: str) -> Histogram:
        return Histogram(name, f"{help}, in seconds", labels, buckets=LATENCIES_S, registry=self.registry)

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(name, help, labels, registry=self.registry)
