"""Proof that an image works: its own command in it, as its own user, against a model outside."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import psutil

from tests.fakes.openai_server import FakeOpenAI
from tests.processes import free_port

Command = Callable[[str, Mapping[str, str]], list[str]]
"""What runs a command line inside, with these variables added."""

UP = "exec reverie up"
MAIN = ["/opt/reverie/bin/reverie", "up"]
NOT_ROOT = 'test "$(id -u)" != 0 && ! touch /opt/reverie/x 2> /dev/null && touch /data/x && rm /data/x'
EXTRA = "python -c 'import fastembed'"
ADMIN_KEY = "the-admin-key-of-the-proof"
PATIENCE_S = 180.0
AMAZON = "import boto3; [boto3.client(name, region_name='eu-west-1') for name in ('bedrock-runtime', 'sts', 'sso')]"
NUMBERS = {"+49 30 901820": "PHONE_NUMBER", "ada@example.org": "EMAIL_ADDRESS", "4111 1111 1111 1111": "CREDIT_CARD"}
FETCHED = re.compile(r'"(/studio/[^"\s]+\.(?:m?js|css))"')
"""Scripts and styles that a page names, in its tags and in its map of modules."""


def prove(inside: Command) -> None:
    """Its command, as its user, with models: saves, searches, reranks, answers, redacts, shows pages, counts.
    Killed, and started without models, it has the data and dreams. Raises where one goes wrong."""
    for line in (NOT_ROOT, EXTRA, f'python -c "{AMAZON}"'):
        subprocess.run(inside(line, {}), check=True)
    with FakeOpenAI() as model:
        port = free_port()
        here = {"REVERIE_ADMIN_KEY": ADMIN_KEY, "REVERIE_PORT": str(port), "REVERIE_LOG_LEVEL": "warning"}
        models = {
            "LLM_MODEL": "openai/gpt-4o", "LLM_API_BASE": model.base_url, "LLM_API_KEY": "any",
            "RERANK_MODEL": json.dumps(
                {"model": "cohere/rerank-v3.5", "api_base": f"{model.base_url}/rerank", "api_key": "any"}
            ),
        }  # fmt: skip
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {ADMIN_KEY}"}, timeout=30
        ) as http:
            with _running(inside(UP, here | models), http, signal.SIGKILL):
                saved = _remembers(http)
                assert json.loads(_reranked(http))["results"][0]["rerank_score"] is not None
                model.say('{"known": true, "answer": "Bergen", "citations": []}')
                http.post("/v1/ask", json={"agent": "a", "question": "Where does Sam live?"}).raise_for_status()
                assert all(model.calls[kind] for kind in ("rerank", "chat")), model.calls
                _redacts(http)
                _shows_pages(http)
                assert 'reverie_dependency_up{component="workers"} 1.0' in http.get("/metrics").raise_for_status().text
            with _running(inside(UP, here), http, signal.SIGTERM):
                http.get(f"/v1/memories/{saved}").raise_for_status()
                _dreams(http)
    print("it works, and the data is there after a kill", flush=True)


def _remembers(http: httpx.Client) -> str:
    """Save two memories, and find one by its meaning; the id of the other."""
    saved = []
    for content in ("We agreed to use tiered pricing with a free starter plan", "Sam has moved to Bergen"):
        body = {"agent": "a", "type": "decision", "content": content}
        saved.append(http.post("/v1/memories", json=body).raise_for_status().json()["memory"]["id"])
    asked = {"agent": "a", "query": "what did we decide about the cost model?"}
    found = http.post("/v1/memories/search", json=asked).raise_for_status()
    assert not found.json()["degraded"], found.text
    assert found.json()["results"][0]["memory"]["id"] == saved[0], found.text
    return str(saved[1])


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
def _running(command: list[str], http: httpx.Client, ends_with: signal.Signals) -> Iterator[None]:
    """The command in its container, up and answering, until it is signalled."""
    outer = subprocess.Popen(command)
    try:
        began = time.monotonic()
        _wait(lambda: outer.poll() is None and _answers(http, "/readyz"))
        print(f"serves after {time.monotonic() - began:.1f} s", flush=True)
        yield
    finally:
        [main] = [one for one in psutil.Process(outer.pid).children(recursive=True) if one.cmdline()[1:] == MAIN]
        assert main.uids().real != 0
        main.send_signal(ends_with)
        status = outer.wait(PATIENCE_S)
        assert status == 0 or ends_with == signal.SIGKILL, "it should have ended well"
    _wait(lambda: not _answers(http, "/healthz"))


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
