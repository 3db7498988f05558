"""With redaction on, no model, no log and no table ever holds a raw value, whichever way it came in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import FakeOpenAI
from tests.pg_dump import dump
from tests.processes import ServerProcess, WorkerProcess
from tests.worker.dreaming import note_everything

RAW = (
    "ada.q7@secret-host.example", "+4915112345678", "4111 1111 1111 1111", "123-45-6789", "DE89370400440532013000",
    "203.0.113.77", "bob+x@ex.co.uk",
)  # fmt: skip
TEXTS = [f"Reach me at {value} please" for value in RAW]


@dataclass(frozen=True, slots=True)
class Place:
    """API, worker and models, each in a process or thread of its own, all as talkative as they can be."""

    server: ServerProcess
    worker: WorkerProcess
    models: FakeOpenAI
    database_url: str

    async def do(self, method: str, path: str, **options: Any) -> Any:
        answer = await self.server.call(method, path, timeout=600, **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content and answer.content[:1] in b"{[" else answer.text

    async def write_everywhere(self, mark: str = "") -> None:
        """Every way in that stores something."""
        for number, text in enumerate(TEXTS):
            memory = {"agent": "a", "type": "event", "content": text, "tags": [text], "metadata": {"x": [text]}}
            await self.do("POST", "/v1/memories", json=memory, headers={"Idempotency-Key": f"{mark}{text}"})
            turns = [{"role": "user", "content": text}, {"role": "tool", "content": {"found": [text]}}]
            await self.do("POST", "/v1/sessions/s/messages", json={"agent": "a", "user": "u", "messages": turns})
            document = {"agent": "a", "title": text, "text": text}
            await self.do("POST", "/v1/documents", json=document)
            line = {"agent": "a", "type": "fact", "content": f"imported {mark}{number}: {text}"}
            await self.do("POST", "/v1/import", content=json.dumps(line))

    async def ask_everywhere(self) -> None:
        """Every way out that a text goes into."""
        for text in TEXTS:
            await self.do("POST", "/v1/memories/search", json={"agent": "a", "query": text})
            await self.do("POST", "/v1/context", json={"agent": "a", "message": text, "session": "s"})
            await self.do("POST", "/v1/ask", json={"agent": "a", "question": text})
            await self.server.call("GET", "/v1/memories", params={"agent": "a", "q": text, "tag": text[:100]})
            await self.server.call("POST", "/v1/memories", json={"agent": "a", "type": text, "content": text})
        await self.do("POST", "/v1/agents/a/dream", json={"wait": True})
        await self.do("POST", "/v1/agents/a/bulletin")
        await self.do("POST", "/v1/sessions/s/compact?agent=a")

    def seen(self) -> dict[str, str]:
        """What left the service: to the models, and to the logs."""
        return {
            "embedder": json.dumps(self.models.requests("embeddings")),
            "model": json.dumps(self.models.requests("chat")),
            "log": self.server.log.read_text(encoding="utf-8"),
            "worker's log": self.worker.log.read_text(encoding="utf-8"),
        }


@pytest.fixture
async def place(database_url: str, service_url: str, tmp_path: Path) -> AsyncIterator[Place]:
    with FakeOpenAI() as models:
        models.default_reply = note_everything
        environment = {
            "EMBEDDING_MODEL": "openai/fake", "EMBEDDING_DIM": "64", "EMBEDDING_API_BASE": models.base_url,
            "EMBEDDING_API_KEY": "key", "LLM_MODEL": "openai/fake", "LLM_API_BASE": models.base_url,
            "LLM_API_KEY": "key", "REVERIE_LOG_LEVEL": "debug",
        }  # fmt: skip
        server = ServerProcess(service_url, tmp_path / "server.log", **environment)
        worker = WorkerProcess(service_url, tmp_path / "worker.log", **environment)
        try:
            await server.start()
            worker.start()
            yield Place(server, worker, models, database_url)
        finally:
            await worker.kill()
            await server.close()


def leaks(places: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, value) for name, text in places.items() for value in RAW if value in text]


async def test_nothing_raw_is_sent_logged_or_stored(place: Place) -> None:
    await place.do("PUT", "/v1/settings", json={"pii": {"mode": "redact"}})
    await place.write_everywhere()
    await place.ask_everywhere()
    seen = place.seen() | {"dump": dump(place.database_url)}
    for name in ("embedder", "model", "dump"):
        assert "<EMAIL_ADDRESS>" in seen[name], name
    assert leaks(seen) == []


async def test_what_was_stored_raw_before_goes_to_no_model(place: Place) -> None:
    """The setting is put on late: what is stored stays as it is, but a dream shows a model none of it."""
    turns = [{"role": "user", "content": text} for text in TEXTS]
    await place.do("POST", "/v1/sessions/s/messages", json={"agent": "a", "user": "u", "messages": turns})
    await place.do("PUT", "/v1/settings", json={"pii": {"mode": "redact"}})
    place.models.reset()
    place.models.default_reply = note_everything
    await place.do("POST", "/v1/agents/a/dream", json={"wait": True})
    await place.do("POST", "/v1/agents/a/bulletin")
    await place.do("POST", "/v1/sessions/s/compact?agent=a")
    seen = place.seen()
    assert "<EMAIL_ADDRESS>" in seen["model"]
    assert leaks(seen) == []
    memories = await place.do("GET", "/v1/memories", params={"agent": "a", "limit": 200})
    assert leaks({"memories": json.dumps(memories)}) == []
