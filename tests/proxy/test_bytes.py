"""What a model's server says passes byte for byte in every format; the model's name chooses the server and its key."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from service.settings import ModelAddress, Settings
from tests.live_api import Api, serving
from tests.proxy.conftest import PROXY
from tests.proxy.wire_clients import CHAT, MESSAGES, WIRES, Wire
from tests.tables import table

every = pytest.mark.parametrize("wire", [CHAT, *WIRES], ids=repr)
JSON, STREAM = "application/json", "text/event-stream"
ODD: dict[str, tuple[int, str, bytes]] = {
    "json": (200, JSON, b'{ "id":"x",\t"n": 12345678901234567890123, "x": 1.0, "x": 2, "e\\u0301": "\xc3\xa9" }\r\n'),
    "no json": (200, JSON, b"\xff\xfe not JSON at all"),
    "nothing": (200, JSON, b""),
    "stream": (200, STREAM, b": hi\n\nevent: ping\r\ndata: {}\r\n\r\ndata: {\ndata: }\n\ndata: [DONE]\n\ndata: end"),
    "refusal": (400, JSON, b'{"error":{"message":"no","type":"x","code":null,"extra":[1, 2]}}'),
    "limit": (429, JSON, b'{"error" : "slow down"}'),
    "failure": (503, "text/html; charset=utf-8", b"<h1>Bad gateway</h1>\n"),
}  # fmt: skip


@dataclass
class ModelServer:
    """A server that says what it is told to, whatever it is asked, and notes where and with which key."""

    answer: tuple[int, str, bytes] = ODD["json"]
    base_url: str = ""
    asked: list[tuple[str, str | None, bytes]] = field(default_factory=list)


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server for the length of the block."""
    model = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            model.asked.append((self.path, self.headers["authorization"] or self.headers["x-api-key"], body))
            status, kind, content = model.answer
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Retry-After", "17")
            self.send_header("X-RateLimit-Remaining-Tokens", "5")
            self.send_header("Set-Cookie", "of=the-model")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        model.base_url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def of_openai() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def of_anthropic() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
async def between(settings: Settings, of_openai: ModelServer, of_anthropic: ModelServer) -> AsyncIterator[Api]:
    """The proxy, in front of a server of each protocol."""
    servers = {
        "llm_api_base": of_openai.base_url, "llm_api_key": "key-of-openai",
        "proxy_anthropic": ModelAddress(api_base=of_anthropic.base_url, api_key="key-of-anthropic"),
    }  # fmt: skip
    async with serving(settings.model_copy(update=servers)) as api:
        await api.put("/v1/settings", {"proxy": PROXY | {"caller_keys": True}})
        yield api


@every
async def test_what_the_server_says_passes_as_it_is(
    between: Api, of_openai: ModelServer, of_anthropic: ModelServer, wire: Wire
) -> None:
    with table() as row:
        for said, (status, kind, content) in ODD.items():
            of_openai.answer = of_anthropic.answer = ODD[said]
            for headers in ({"X-Reverie-Session": "s"}, {"X-Reverie-Session": "s", "X-Reverie-No-Memory": "1"}):
                with row(said, headers):
                    answer = await between.call("POST", wire.path, json=wire.ask("hi"), headers=headers)
                    assert answer.content == content
                    assert (answer.status_code, answer.headers["content-type"]) == (status, kind)
                    assert answer.headers["retry-after"] == "17"
                    assert answer.headers["x-ratelimit-remaining-tokens"] == "5"
                    assert "set-cookie" not in answer.headers


@every
async def test_the_model_chooses_the_server_and_its_key(
    between: Api, of_openai: ModelServer, of_anthropic: ModelServer, wire: Wire
) -> None:
    asked, other = (of_anthropic, of_openai) if wire is MESSAGES else (of_openai, of_anthropic)
    await between.call("POST", wire.path, json=wire.ask("hi"))
    await between.call("POST", wire.path, json=wire.ask("hi"), headers={"X-Reverie-Model-Key": "key-of-the-caller"})
    keys = ["key-of-anthropic", "key-of-the-caller"]
    if wire is not MESSAGES:
        keys = ["Bearer key-of-openai", "Bearer key-of-the-caller"]
    assert [(path, key) for path, key, _ in asked.asked] == [(wire.path, key) for key in keys]
    assert other.asked == []
    assert between.key not in str(asked.asked)


@pytest.mark.parametrize(("wire", "model", "by_anthropic"), [(CHAT, "claude-x", True), (MESSAGES, "m", False)], ids=str)
async def test_the_model_chooses_whatever_the_format(
    between: Api, of_openai: ModelServer, of_anthropic: ModelServer, wire: Wire, model: str, by_anthropic: bool
) -> None:
    await between.call("POST", wire.path, json=wire.ask("hi") | {"model": model, "max_tokens": 5})
    asked, other = (of_anthropic, of_openai) if by_anthropic else (of_openai, of_anthropic)
    keys = {key for _, key, _ in asked.asked}
    assert keys == ({"key-of-anthropic"} if by_anthropic else {"Bearer key-of-openai"})
    assert other.asked == []
