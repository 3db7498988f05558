"""What a process measures of itself, in Prometheus' form (row O4). No label names a workspace, an agent or a person."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector

LATENCIES_S = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Measures:
    """The metrics of one process, in a registry of their own.

    ``let_in_until`` are the keys (hashes of them) whose scrapes are answered without the database, and until when.
    """

    def __init__(self) -> None:
        self.let_in_until: dict[bytes, float] = {}
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = self._histogram("reverie_request_seconds", "Requests", "method", "route", "status")
        self.searches = self._histogram("reverie_search_seconds", "Searches", "strategy", "degraded")
        self.embedded = Counter(
            "reverie_embeddings", "Texts to embed as they were saved", ["outcome"], registry=self.registry
        )
        self.up = self._gauge("reverie_up", "Whether what is needed works; absent while unknown or off", "component")
        self.pool = self._gauge("reverie_pool_connections", "Connections of this process", "state")
        self.workers = self._gauge("reverie_workers", "Workers alive")
        self.dreams_due = self._gauge("reverie_dreams_due", "Agents waiting for a dream")
        self.queue_age = self._gauge("reverie_dream_queue_age_seconds", "Since when the first of them is due")
        self.pending = self._gauge("reverie_pending_embeddings", "Texts without a vector, as last counted by a worker")
        self.dreams = self._gauge("reverie_dreams_total", "Dreams that ended, of all workers", "outcome")
        self.tokens = self._gauge("reverie_dream_tokens_total", "Tokens dreams used, of all workers", "kind")
        self.cost = self._gauge("reverie_dream_cost_usd_total", "What dreams cost, of all workers")
        self.streams = self._gauge("reverie_event_streams", "Streams of events that are open")
        self.llm_tokens = self._gauge("reverie_llm_tokens_total", "Tokens this process used", "kind")
        self.llm_calls = self._gauge("reverie_llm_calls_total", "Calls of the language model", "outcome")
        self.llm_cost = self._gauge("reverie_llm_cost_usd_total", "What they cost")

    def _histogram(self, name: str, told: str, *labels: str) -> Histogram:
        return Histogram(name, f"{told}, in seconds", labels, buckets=LATENCIES_S, registry=self.registry)

    def _gauge(self, name: str, told: str, *labels: str) -> Gauge:
        return Gauge(name, told, labels, registry=self.registry)
