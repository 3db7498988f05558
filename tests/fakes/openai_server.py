"""An OpenAI-compatible server over real HTTP, for tests: scripted, counted, and breakable on purpose.

    with FakeOpenAI() as server:
        server.say('{"facts": []}')             # the next chat answer; without one, a default
        server.fail(status=429, times=2)        # the next two requests fail
        server.hold(); server.let_go(1)         # all requests wait; one of them no longer
        server.fail(endless=True)               # the next answer has no end; server.sent counts its bytes
        ...  # api_base=server.base_url
        assert server.calls["chat"] == 3
        server.requests("chat")[-1]["messages"]

Endpoints: ``/v1/chat/completions`` (also streamed, and with a JSON schema), ``/v1/embeddings``, ``/v1/rerank``,
``/v1/decisions`` and ``/v1/systemone`` (the two formats of decision models).
Embeddings are sums of one fixed random vector per word, so texts that share words are similar.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from tests.fakes.decisions import Decides, openai_decision, systemone_decision
from tests.prompt_server import PromptServer

Body = dict[str, Any]
Reply = str | Body | Callable[[Body], str]
START_TIMEOUT_S = 600.0
ENDLESS_BYTES = 268_435_456
"""As good as endless: more than any bound, and little enough for a machine that reads it all."""


@dataclass
class _Failure:
    """One way to break; ``times`` requests long, None until ``heal``."""

    endpoint: str | None
    status: int | None
    hang_s: float
    invalid_json: bool
    endless: bool
    body: Any
    location: str | None
    times: int | None


class FakeOpenAI:
    """The server, in a thread of its own from ``with`` to the end of the block. Its methods are thread-safe."""

    def __init__(self, dim: int = 64, key: str | None = None) -> None:
        """``dim``: length of the vectors. ``key``: answer 401 to any other bearer token, repeating it."""
        self.dim = dim
        self.key = key
        self.default_reply: Reply = "ok"
        self.decides: Decides = lambda text, question: None
        self.refuses: Callable[[str], bool] = lambda text: text == ""
        """Whether a text to embed is answered with 400, with all that come with it."""
        self.calls: Counter[str] = Counter()
        self.headers: list[dict[str, str]] = []
        self.sent = 0
        self._recorded: list[tuple[str, Body]] = []
        self._raw: list[tuple[str, bytes]] = []
        self._replies: deque[Reply] = deque()
        self._failures: list[_Failure] = []
        self._may_pass: int | None = None
        self._lock = threading.Lock()
        self._called = threading.Condition(self._lock)
        self._socket = socket.socket(proto=socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._server = PromptServer(uvicorn.Config(self._app(), log_level="error"), grace_s=1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        ends_at = time.monotonic() + START_TIMEOUT_S
        while not self._server.started:
            if time.monotonic() > ends_at:
                raise TimeoutError("the fake OpenAI server did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._server.stop)
        self._thread.join(10)
        self._socket.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._server.serve(sockets=[self._socket]))

    def say(self, *replies: Reply) -> None:
        """Queue the text of the next chat answers; a callable gets the request's body and returns the text.

        A dict calls a tool: ``{"name": …, "arguments": {…}}`` (not streamed).
        """
        with self._lock:
            self._replies.extend(replies)

    def fail(
        self,
        *,
        status: int | None = None,
        hang_s: float = 0.0,
        invalid_json: bool = False,
        endless: bool = False,
        body: Any = None,
        location: str | None = None,
        times: int | None = 1,
        endpoint: str | None = None,
    ) -> None:
        """Break the next ``times`` requests (None: all until ``heal``) of ``endpoint`` (None: any).

        Sleep ``hang_s`` seconds; then answer ``status``, with a ``location`` where one is given, or text that is not
        JSON, or one that never ends, or ``body`` with status 200; with none of these, the usual answer.
        """
        with self._lock:
            self._failures.append(_Failure(endpoint, status, hang_s, invalid_json, endless, body, location, times))

    def hold(self) -> None:
        """Let every request wait for its ``let_go``."""
        with self._lock:
            self._may_pass = 0

    def let_go(self, requests: int | None = None) -> None:
        """Answer as many of those that wait (None: all, and hold no further ones)."""
        with self._lock:
            self._may_pass = None if requests is None else (self._may_pass or 0) + requests

    def heal(self) -> None:
        """Forget all failures and queued replies."""
        with self._lock:
            self._failures.clear()
            self._replies.clear()

    def reset(self) -> None:
        """``heal``, and forget what was counted and recorded."""
        self.heal()
        with self._lock:
            self.calls.clear()
            self.sent = 0
            self.headers.clear()
            self._recorded.clear()
            self._raw.clear()

    @property
    def authorizations(self) -> set[str]:
        """What callers authorized themselves with."""
        return {headers.get("authorization", "") for headers in self.headers}

    def requests(self, endpoint: str) -> list[Body]:
        """Bodies received so far by ``chat``, ``embeddings`` or ``rerank``, failed ones too, oldest first."""
        with self._lock:
            return [body for name, body in self._recorded if name == endpoint]

    def raw(self, endpoint: str) -> list[bytes]:
        """As ``requests``, but the bytes as they came."""
        with self._lock:
            return [body for name, body in self._raw if name == endpoint]

    def wait_for_call(self, endpoint: str, calls: int = 1, timeout_s: float = 120.0) -> None:
        """Block until ``endpoint`` has been called ``calls`` times in all; raises TimeoutError."""
        with self._called:
            if not self._called.wait_for(lambda: self.calls[endpoint] >= calls, timeout_s):
                raise TimeoutError(f"{endpoint} was called {self.calls[endpoint]} times, not {calls}")

    def vector(self, text: str) -> list[float]:
        """The embedding of ``text``: ``dim`` numbers, of length 1."""
        words = re.findall(r"\w+", text.lower()) or [text]
        total = sum((_word_vector(word, self.dim) for word in words), np.zeros(self.dim))
        return [float(x) for x in total / np.linalg.norm(total)]

    def _app(self) -> FastAPI:
        app = FastAPI(openapi_url=None)

        @app.post("/v1/chat/completions")
        async def chat(request: Request) -> Response:
            return await self.serve(request, "chat", self._chat)

        @app.post("/v1/embeddings")
        async def embeddings(request: Request) -> Response:
            return await self.serve(request, "embeddings", self._embeddings)

        @app.post("/v1/decisions")
        async def decisions(request: Request) -> Response:
            return await self.serve(request, "decisions", lambda body: openai_decision(body, self.decides))

        @app.post("/v1/systemone")
        async def systemone(request: Request) -> Response:
            return await self.serve(request, "systemone", lambda body: systemone_decision(body, self.decides))

        @app.get("/v1/models")
        async def models() -> Response:
            failure = self._record("models", {}, b"")
            if failure is not None:
                return _error(failure.status or 500, "made to fail by the test")
            return JSONResponse({"object": "list", "data": self.models()})

        @app.post("/v1/rerank")
        async def rerank(request: Request) -> Response:
            return await self.serve(request, "rerank", self._rerank)

        self.add_routes(app)
        return app

    async def serve(self, request: Request, endpoint: str, answer: Callable[[Body], Response]) -> Response:
        """Answer a request of ``endpoint``, counted and recorded, unless it is to fail."""
        body = await request.json()
        failure = self._record(endpoint, body, await request.body())
        self.headers.append(dict(request.headers))
        while not self._passes():  # noqa: ASYNC110 - let go from another thread
            await asyncio.sleep(0.02)
        if self.key is not None and self.key_of(request) != self.key:
            return self.error(401, f"Incorrect API key provided: {self.key_of(request)}", endpoint)
        if failure is not None:
            await asyncio.sleep(failure.hang_s)
            if failure.status is not None:
                answered = self.error(failure.status, "made to fail by the test", endpoint)
                if failure.location is not None:
                    answered.headers["location"] = failure.location
                return answered
            if failure.invalid_json:
                return Response('{"data": [', media_type="application/json")
            if failure.endless:
                streamed = bool(body.get("stream"))
                kind = "text/event-stream" if streamed else "application/json"
                return StreamingResponse(self._endless(streamed=streamed), media_type=kind)
            if failure.body is not None:
                return JSONResponse(failure.body)
        return answer(body)

    def key_of(self, request: Request) -> str:
        """The key that a request brings."""
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    def error(self, status: int, message: str, endpoint: str) -> Response:
        """An error as the endpoint words it."""
        return _error(status, message)

    def models(self) -> list[Body]:
        """The models of the server, as it lists them."""
        return []

    def add_routes(self, app: FastAPI) -> None:
        """More endpoints."""

    async def _endless(self, *, streamed: bool) -> AsyncIterator[bytes]:
        """An answer without end: events, or one long string; what has been sent is counted."""
        chunk = {"choices": [{"index": 0, "delta": {"content": "word " * 10_000}}]}
        part = f"data: {json.dumps(chunk)}\n\n".encode() if streamed else b"x" * 65_536
        if not streamed:
            yield b'{"choices": [{"message": {"content": "'
        while self.sent < ENDLESS_BYTES:
            yield part
            with self._lock:
                self.sent += len(part)
            await asyncio.sleep(0)  # for a client that has gone away to be noticed

    def _passes(self) -> bool:
        with self._lock:
            passes = self._may_pass is None or self._may_pass > 0
            if self._may_pass:
                self._may_pass -= 1
            return passes

    def _record(self, endpoint: str, body: Body, raw: bytes) -> _Failure | None:
        with self._lock:
            self.calls[endpoint] += 1
            self._recorded.append((endpoint, body))
            self._raw.append((endpoint, raw))
            self._called.notify_all()
            failure = next((each for each in self._failures if each.endpoint in (None, endpoint)), None)
            if failure is not None and failure.times is not None:
                failure.times -= 1
                if failure.times == 0:
                    self._failures.remove(failure)
            return failure

    def scripted_reply(self) -> Reply | None:
        """What ``say`` queued next."""
        with self._lock:
            return self._replies.popleft() if self._replies else None

    def next_reply(self, body: Body) -> str | Body:
        """What to answer a request."""
        scripted = self.scripted_reply()
        reply = self.default_reply if scripted is None else scripted
        return reply(body) if callable(reply) else reply

    def _chat(self, body: Body) -> Response:
        scripted = self.scripted_reply()
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        reply = scripted if scripted is not None else self.default_reply
        called: list[Body] = []
        if isinstance(reply, dict):
            function = {"name": reply["name"], "arguments": json.dumps(reply["arguments"])}
            called, text = [{"id": f"call-{self.calls['chat']}", "type": "function", "function": function}], ""
        elif scripted is None and schema is not None and reply == "ok":
            text = json.dumps(_smallest(schema, schema))
        else:
            text = reply(body) if callable(reply) else reply
        usage = _usage(sum(_words(message.get("content")) for message in body["messages"]), _words(text))
        head = {"id": "chatcmpl-fake", "created": 1_700_000_000, "model": body["model"]}
        if body.get("stream"):
            asks_usage = bool((body.get("stream_options") or {}).get("include_usage"))
            return StreamingResponse(_events(head, text, usage if asks_usage else None), media_type="text/event-stream")
        message = {"role": "assistant", "content": text} | ({"tool_calls": called} if called else {})
        choice = {"index": 0, "finish_reason": "tool_calls" if called else "stop", "message": message}
        return JSONResponse({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _embeddings(self, body: Body) -> Response:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if any(map(self.refuses, texts)):
            return _error(400, "input cannot be embedded")
        data = [{"object": "embedding", "index": i, "embedding": self.vector(text)} for i, text in enumerate(texts)]
        usage = _usage(sum(map(_words, texts)), 0)
        return JSONResponse({"object": "list", "model": body["model"], "data": data, "usage": usage})

    def _rerank(self, body: Body) -> Response:
        query = set(re.findall(r"\w+", body["query"].lower()))
        scores = [len(query & set(re.findall(r"\w+", text.lower()))) / len(query) for text in body["documents"]]
        order = sorted(range(len(scores)), key=lambda i: -scores[i])[: body.get("top_n") or len(scores)]
        results = [{"index": i, "relevance_score": scores[i]} for i in order]
        return JSONResponse({"id": "rerank-fake", "model": body["model"], "results": results, "usage": _usage(1, 0)})


async def _events(head: Body, text: str, usage: Body | None) -> AsyncIterator[str]:
    """The answer word by word as server-sent events."""

    def event(choices: list[Body], **more: Any) -> str:
        chunk = {**head, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json.dumps(chunk)}\n\n"

    for number, piece in enumerate(re.findall(r"\S+\s*|\s+", text)):
        delta = {"content": piece} if number else {"role": "assistant", "content": piece}
        yield event([{"index": 0, "delta": delta, "finish_reason": None}])
    yield event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    if usage is not None:
        yield event([], usage=usage)
    yield "data: [DONE]\n\n"


@cache
def _word_vector(word: str, dim: int) -> Any:
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8])
    return np.random.default_rng(seed).standard_normal(dim)


def _words(content: Any) -> int:
    return len(str(content or "").split())


def _usage(prompt: int, completion: int) -> Body:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": {"message": message, "type": "fake", "code": None}}, status)


def _smallest(schema: Body, root: Body) -> Any:
    """The emptiest value that fits a JSON schema as pydantic writes them."""
    if "$ref" in schema:
        return _smallest(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return _smallest(schema[union][-1], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _smallest(schema["properties"][name], root) for name in schema.get("required", [])}
        case "array":
            return [_smallest(schema["items"], root)] * schema.get("minItems", 0)
        case "string":
            return "x" * schema.get("minLength", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return None
