"""Traces reach an OpenTelemetry collector when one is configured, and hold nothing of anybody."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as collecting

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import ROOT, ServerProcess, WorkerProcess
from tests.waiting import until

SECRET = "zqxharbour"
CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"


class Collector:
    """An OTLP/HTTP collector: ``spans`` by name, with the service they come from."""

    def __init__(self) -> None:
        self.spans: dict[str, list[tuple[str, Any]]] = {}
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, body: bytes) -> None:
        """One export."""
        self.bodies.append(body)
        for resource in collecting.ExportTraceServiceRequest.FromString(body).resource_spans:
            service = next(one.value.string_value for one in resource.resource.attributes if one.key == "service.name")
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.setdefault(span.name, []).append((service, span))

    async def span(self, name: str, trace: bytes | None = None) -> tuple[str, Any]:
        """The first span of a name, of that trace if one is given, once it has come."""
        found = await until(
            lambda: [one for one in self.spans.get(name, []) if trace in (None, one[1].trace_id)], f"no span {name}"
        )
        return found[0]

    def close(self) -> None:
        self._server.shutdown()


@pytest.fixture
def collector() -> Iterator[Collector]:
    opened = Collector()
    yield opened
    opened.close()


async def test_requests_statements_embeddings_and_dreams_are_traced(
    collector: Collector, service_url: str, tmp_path: Path
) -> None:
    with FakeOpenAI(dim=48) as provider:
        environment = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100",
            "EMBEDDING_MODEL": "openai/fake", "EMBEDDING_API_BASE": provider.base_url, "EMBEDDING_DIM": "48",
            "EMBEDDING_API_KEY": "k", "LLM_MODEL": "openai/fake", "LLM_API_BASE": provider.base_url, "LLM_API_KEY": "k",
        }  # fmt: skip
        server = ServerProcess(service_url, tmp_path / "server.log", **environment)
        worker = WorkerProcess(service_url, tmp_path / "worker.log", **environment)
        try:
            worker.start()
            await server.start()
            said = {"agent": SECRET, "messages": [{"role": "user", "content": f"I live in {SECRET}"}]}
            assert (await server.call("POST", f"/v1/sessions/{SECRET}/messages", json=said)).is_success
            query = {"agent": SECRET, "query": f"Who lives in {SECRET}?"}
            traceparent = {"traceparent": f"00-{CALLER}-00f067aa0ba902b7-01"}
            await server.call("POST", "/v1/memories/search", json=query, headers=traceparent)
            service, request = await collector.span("POST /v1/memories/search")
            assert service == "reverie-api"
            assert request.trace_id.hex() == CALLER
            for name in ("embed", "exact_candidates"):
                await collector.span(name, request.trace_id)
            await collector.span("POST /v1/sessions/{session}/messages")
            await server.call("POST", f"/v1/agents/{SECRET}/dream", json={"wait": True}, timeout=600)
            service, dream = await collector.span("dream")
            assert service == "reverie-worker"
            assert (await collector.span("llm"))[1].trace_id == dream.trace_id
        finally:
            await worker.kill()
            await server.close()
    assert not any(SECRET.encode() in body for body in collector.bodies)
    assert "heartbeat" not in collector.spans


def test_nothing_of_it_is_there_when_it_is_off() -> None:
    code = (
        "import sys; from service.app import create_app; from service.settings import Settings;"
        "create_app(Settings(DATABASE_URL='postgresql://nowhere', _env_file=None));"
        "sys.exit('opentelemetry.sdk' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=600).returncode == 0
