"""Proof that an image works: the real service in it, as its user, against a Postgres and a model outside."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from service.db import embedded
from tests.fakes.openai_server import FakeOpenAI
from tests.processes import free_port

Command = Callable[[str, Mapping[str, str]], list[str]]
"""What runs a command line inside, with these variables added."""

ADMIN_KEY = "the-admin-key-of-the-proof"
PATIENCE_S = 60.0
AMAZON = "import boto3; [boto3.client(name, region_name='eu-west-1') for name in ('bedrock-runtime', 'sts', 'sso')]"
NUMBERS = {"+49 30 901820": "PHONE_NUMBER", "ada@example.org": "EMAIL_ADDRESS", "4111 1111 1111 1111": "CREDIT_CARD"}
FETCHED = re.compile(r'"(/studio/[^"\s]+\.(?:m?js|css))"')
"""Scripts and styles that a page names, in its tags and in its map of modules."""


def prove(root: Path, command: Command) -> None:
    """Migrate, serve, save, search, rerank, answer, redact, dream, count, show pages; raises where one goes wrong."""
    with _postgres(root) as url, FakeOpenAI() as model:
        port = free_port()
        here = {
            "DATABASE_URL": url,
            "REVERIE_ADMIN_KEY": ADMIN_KEY,
            "REVERIE_PORT": str(port),
            "REVERIE_DATA_DIR": "/data",
            "REVERIE_LOG_LEVEL": "warning",
        }
        models = {
            "LLM_MODEL": "openai/gpt-4o", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "any",
            "RERANK_MODEL": "cohere/rerank-v3.5", "RERANK_API_KEY": "any",
            "RERANK_API_BASE": f"{model.base_url}/rerank",
        }  # fmt: skip
        for line in ("python -m service migrate", "python -m worker --help > /dev/null", f'python -c "{AMAZON}"'):
            subprocess.run(command(line, here), check=True)
        with (
            _running(command("exec python -m service serve", here | models)) as api,
            _running(command("exec python -m worker run", here)),
            httpx.Client(
                base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {ADMIN_KEY}"}, timeout=30
            ) as http,
        ):
            began = time.monotonic()
            _wait(lambda: api.poll() is None and _answers(http, "/readyz"))
            print(f"serves after {time.monotonic() - began:.1f} s", flush=True)
            _remembers(http)
            assert json.loads(_reranked(http))["results"][0]["rerank_score"] is not None
            model.say('{"known": true, "answer": "Bergen", "citations": []}')
            http.post("/v1/ask", json={"agent": "a", "question": "Where does Sam live?"}).raise_for_status()
            assert all(model.calls[kind] for kind in ("rerank", "chat")), model.calls
            _redacts(http)
            _dreams(http)
            _shows_pages(http)
            assert 'reverie_dependency_up{component="workers"} 1.0' in http.get("/metrics").raise_for_status().text
    print(
        "migrates, serves, saves, searches, reranks, answers, redacts, dreams, counts and shows its pages", flush=True
    )


def _remembers(http: httpx.Client) -> None:
    body = {"agent": "a", "type": "fact", "content": "Sam has moved to Bergen"}
    saved = http.post("/v1/memories", json=body).raise_for_status().json()["memory"]
    found = http.post("/v1/memories/search", json={"agent": "a", "query": "relocation to Norway"}).raise_for_status()
    assert not found.json()["degraded"], found.text
    assert found.json()["results"][0]["memory"]["id"] == saved["id"], found.text


def _reranked(http: httpx.Client) -> str:
    asked = {"agent": "a", "query": "Bergen", "rerank": True}
    return http.post("/v1/memories/search", json=asked).raise_for_status().text


def _redacts(http: httpx.Client) -> None:
    http.put("/v1/settings", json={"pii": {"mode": "redact"}}).raise_for_status()
    for number, kind in NUMBERS.items():
        body = {"agent": "a", "type": "fact", "content": f"Reach Ada at {number} or so"}
        content = http.post("/v1/memories", json=body).raise_for_status().json()["memory"]["content"]
        assert content == f"Reach Ada at <{kind}> or so", content
    body = {"agent": "a", "type": "fact", "content": "The tracker says 2024561111 and 0123456789"}
    assert "2024561111" not in http.post("/v1/memories", json=body).raise_for_status().text


def _dreams(http: httpx.Client) -> None:
    told = {
        "agent": "a",
        "user": "Sam",
        "messages": [{"role": "user", "content": "I do not like Python, but I love Go."}],
    }
    http.post("/v1/sessions/s/messages", json=told).raise_for_status()
    http.post("/v1/agents/a/dream").raise_for_status()
    _wait(
        lambda: any(one["status"] == "succeeded" for one in http.get("/v1/dreams").raise_for_status().json()["items"])
    )
    contents = [one["content"] for one in http.get("/v1/memories?agent=a").raise_for_status().json()["items"]]
    assert any("Go" in content for content in contents), contents


def _shows_pages(http: httpx.Client) -> None:
    """The Studio's first page, and every script and style that it names."""
    page = http.get("/studio/", follow_redirects=True).raise_for_status()
    paths = set(FETCHED.findall(page.text))
    assert any(path.endswith(".js") for path in paths), page.text
    for path in paths:
        http.get(path).raise_for_status()


@contextmanager
def _postgres(root: Path) -> Iterator[str]:
    """A server beside the root; its socket is linked into it, for whoever is inside sees nothing else."""
    folder = root.with_name(f"{root.name}.postgres")
    embedded.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)
    url = httpx.URL(embedded.start(folder))
    inside = root / "data" / "postgres"
    inside.mkdir(exist_ok=True)
    try:
        for socket in Path(url.params["host"]).glob(".s.PGSQL.*[0-9]"):
            (inside / socket.name).unlink(missing_ok=True)
            os.link(socket, inside / socket.name)
        yield f"postgresql://postgres@/postgres?host=/{inside.relative_to(root)}"
    finally:
        embedded.stop(folder)


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.terminate()
        assert process.wait(30) in (0, -signal.SIGTERM), "it should have ended well"


def _answers(http: httpx.Client, path: str) -> bool:
    try:
        return http.get(path).is_success
    except httpx.TransportError:
        return False


def _wait(true: Callable[[], Any]) -> None:
    ends_at = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < ends_at, "it takes too long"
        time.sleep(0.1)
