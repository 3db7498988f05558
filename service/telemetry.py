"""Traces for OpenTelemetry, when it is configured: requests, statements, embedding, calls of a model, dreams.

Off, and never imported, unless ``OTEL_EXPORTER_OTLP_ENDPOINT`` (or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT``) is set; the
SDK reads all its other variables itself. What is traced is a subclass of what is not, chosen at start, so that nothing
is asked for on the way when it is off.

Spans hold names, counts and times: never a parameter, a path, a prompt or an answer.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.db.pool import Connection, Row
from service.db.queries import NO_FLAGS, Flags
from service.embedding.embedder import MonitoredEmbedder, Vectors
from service.llm import LLM, Endpoint

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
CLOSE_S = 2.0
"""For what is still to be sent when the process stops."""


def open_telemetry(service: str) -> Telemetry | None:
    """Return what traces as this service (unless OTEL_SERVICE_NAME says otherwise); None when it is off."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": service}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Telemetry(provider)


class Telemetry:
    """The classes that trace, in place of those that do not."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("reverie")
        self.connections: type[Connection] = _connection(self.within)
        self.embedder: type[MonitoredEmbedder] = _embedder(self.span)
        self.llm: type[LLM] = _llm(self.span)

    def span(self, name: str, **attributes: Any) -> AbstractContextManager[Any]:
        """Return the block as a span, under the one it is in."""
        return self._tracer.start_as_current_span(name, attributes=attributes, record_exception=False)

    def within(self, name: str, **attributes: Any) -> AbstractContextManager[Any]:
        """As ``span``, but only inside another: what workers ask the database all the time is no trace of its own."""
        from opentelemetry import trace

        inside = trace.get_current_span().get_span_context().is_valid
        return self.span(name, **attributes) if inside else trace.use_span(trace.INVALID_SPAN)

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Return the application with a span around each request, under the caller's (``traceparent``)."""

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            with self.request(scope) as span:

                async def answer(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                    await send(message)

                try:
                    await app(scope, receive, answer)
                finally:
                    if route := getattr(scope.get("route"), "path", None):
                        span.update_name(f"{scope['method']} {route}")
                        span.set_attribute("http.route", route)

        return handle

    def request(self, scope: Scope) -> AbstractContextManager[Any]:
        """Return the span of one request."""
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        return self._tracer.start_as_current_span(
            scope["method"],
            context=TraceContextTextMapPropagator().extract(carrier),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": scope["method"]},
            record_exception=False,
        )

    async def close(self) -> None:
        """Send what is left, for at most two seconds."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, CLOSE_S)


Spans = Callable[..., AbstractContextManager[Any]]


def _connection(span: Spans) -> type[Connection]:
    class TracedConnection(Connection):
        """Each named statement is a span."""

        async def fetch(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> list[Row]:
            with span(name, **_STATEMENT):
                return await super().fetch(name, flags, **values)

        async def row(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> Row | None:
            with span(name, **_STATEMENT):
                return await super().row(name, flags, **values)

        async def value(self, name: str, /, **values: Any) -> Any:
            with span(name, **_STATEMENT):
                return await super().value(name, **values)

        async def run(self, name: str, flags: Flags = NO_FLAGS, /, **values: Any) -> int:
            with span(name, **_STATEMENT):
                return await super().run(name, flags, **values)

    return TracedConnection


_STATEMENT = {"db.system.name": "postgresql"}


def _embedder(span: Spans) -> type[MonitoredEmbedder]:
    class TracedEmbedder(MonitoredEmbedder):
        """Each call is a span."""

        async def embed(self, texts: Sequence[str], deadline_s: float | None = None) -> Vectors:
            with span("embed", **{"gen_ai.request.model": self.model, "reverie.texts": len(texts)}):
                return await super().embed(texts, deadline_s)

    return TracedEmbedder


def _llm(span: Spans) -> type[LLM]:
    class TracedLLM(LLM):
        """Each attempt is a span."""

        async def _attempt(self, endpoint: Endpoint, *given: Any) -> Any:
            with span("llm", **{"gen_ai.request.model": endpoint.model}):
                return await super()._attempt(endpoint, *given)

    return TracedLLM
