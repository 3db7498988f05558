"""The OpenAPI document is true: schemathesis finds no 5xx, no undocumented status, no other shape.

Every operation is tried with what its schema allows and with what it forbids, and in sequences, where what one
operation answers is what the next one is asked for. A run is short and always the same;
``REVERIE_OPENAPI_EXAMPLES=200`` asks for so many examples of each operation and so many sequences, new ones each time.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.live_api import ADMIN_KEY
from tests.processes import ServerProcess, WorkerProcess

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = os.environ.get("REVERIE_OPENAPI_EXAMPLES")
PARTS = {
    "settings": ["--include-path", "/v1/settings", "--phases", "coverage,fuzzing"],
    "keys": ["--include-path-regex", "^/v1/keys"],
    "the rest": ["--exclude-path-regex", "^/v1/(settings|keys|events|webhooks/[^/]+/test)"],
}
"""Settings and keys would shut the others out (a rate limit, a rotated key); endless streams are tested
elsewhere, and tests of webhooks would be sent to whatever address was made up."""

CONFIGURATION = """
continue-on-failure = true
request-timeout = 60

[dictionaries.agents]
values = ["ada", "bo"]

[dictionaries.sessions]
values = ["monday", "a/b"]

[dictionaries.answers]
values = ["no", "0", "yes"]

[parameters]
"header.X-Reverie-No-Memory" = {{ dictionary = "answers", probability = 0.9 }}
"path.agent" = {{ dictionary = "agents", probability = 0.8 }}
"query.agent" = {{ dictionary = "agents", probability = 0.8 }}
"body.agent" = {{ dictionary = "agents", probability = 0.9 }}
"path.session" = {{ dictionary = "sessions", probability = 0.8 }}

[phases.fuzzing.generation]
max-examples = {examples}

[phases.stateful]
max-steps = 12
inference.algorithms = []

[phases.stateful.generation]
mode = "positive"
max-examples = {sequences}

[[operations]]
include-path-regex = "^/v1/(chat/completions|responses|messages|messages/count_tokens)$"
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", 503]
"""
"""Without a model behind it, what asks one is 503. Few names, so that operations meet what others made."""

HOOKS = """
import json
import schemathesis

DOCUMENT = json.load(open("openapi.json"))

@schemathesis.hook
def map_body(context, body):
    operation = DOCUMENT["paths"][context.operation.path][context.operation.method]
    schema = operation["requestBody"]["content"].get("application/json", {}).get("schema", {})
    shape = DOCUMENT["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
    if not shape or not isinstance(body, dict):
        return body
    if len(repr(body)) % 3:
        body = {name: value for name, value in body.items() if name in shape.get("required", ())}
    if "agent" in shape.get("properties", {}) and "role" not in body:
        body.setdefault("agent", "ada")
    for item in body.get("items", ()) if isinstance(body.get("items"), list) else ():
        if isinstance(item, dict):
            item.setdefault("agent", "ada")
    return body

@schemathesis.serializer("application/x-ndjson")
def lines(_, value):
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "surrogatepass")
"""
"""Two bodies of three hold what is needed and no more: with everything at random hardly any would be accepted."""

MAKERS = {
    "memory_id": [("/v1/memories", "post", "201", "memory/id"), ("/v1/memories", "post", "200", "memory/id")],
    "document_id": [("/v1/documents", "post", "201", "id")],
    "page_id": [("/v1/pages", "post", "201", "id")],
    "search_id": [("/v1/searches", "post", "201", "id")],
    "message_id": [("/v1/sessions/{session}/messages", "post", "201", "messages/0/id")],
    "entity_id": [("/v1/entities", "get", "200", "items/0/id")],
    "edge_id": [("/v1/edges", "post", "201", "id")],
    "dream_id": [("/v1/agents/{agent}/dream", "post", "202", "id")],
    "key_id": [("/v1/keys", "post", "201", "id")],
    "webhook_id": [("/v1/webhooks", "post", "201", "id")],
    "session": [("/v1/sessions", "post", "201", "session")],
}
"""Which operation's answer holds what an operation's path asks for, and where."""


def linked(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its links said: every maker leads to every operation on what it made."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for given in {part["name"] for part in operation.get("parameters", ()) if part["in"] == "path"} & set(
                MAKERS
            ):
                for maker, method, status, place in MAKERS[given]:
                    links = document["paths"][maker][method]["responses"][status].setdefault("links", {})
                    links[f"{operation['operationId']} {given}"] = {
                        "operationId": operation["operationId"],
                        "parameters": {given: f"$response.body#/{place}"},
                    }
    return document


@pytest.fixture
async def dreaming(service_url: str, tmp_path: Path) -> AsyncIterator[None]:
    """A worker on the test's database, for requests that wait for a dream."""
    worker = WorkerProcess(service_url, tmp_path / "worker.log")
    worker.start()
    yield
    await worker.kill()


@pytest.mark.usefixtures("dreaming")
@pytest.mark.parametrize("part", PARTS)
async def test_the_api_answers_as_it_says(server: ServerProcess, tmp_path: Path, part: str) -> None:
    numbers = {"examples": EXAMPLES or 2, "sequences": EXAMPLES or 15}
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION.format(**numbers), encoding="utf-8")
    document = linked((await server.http.get("/openapi.json")).json())
    (tmp_path / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "reading_lines.py").write_text(HOOKS, encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("st")), "--config-file", "schemathesis.toml",
        "run", "openapi.json", "--url", str(server.http.base_url), "-H", f"Authorization: Bearer {ADMIN_KEY}",
        "--checks", CHECKS, "--no-color", *([] if EXAMPLES else ["--seed", "7"]), *PARTS[part],
    ]  # fmt: skip
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "reading_lines", "PYTHONPATH": str(tmp_path)}
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=3600
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-40_000:] + done.stderr[-4_000:]
    assert "unexpected_error" not in server.log.read_text(encoding="utf-8")
