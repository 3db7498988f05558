"""A server of models that also speaks OpenAI's Responses and Anthropic's Messages, over real HTTP, for tests.

    with FakeModels(key="k") as server:
        server.say("Hello")                      # as FakeOpenAI does; a dict calls a tool
        server.stream_next(*events, cut=True)    # the next stream is exactly this, and breaks off
        server.fail(status=529)                  # in the shape of the format
        ...
        assert server.sent_bytes[-1]             # what it answered last, byte for byte

Endpoints beside those of FakeOpenAI: ``/v1/responses``, ``/v1/messages``, ``/v1/messages/count_tokens``; ``/v1/models``
lists ``listed``.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from tests.fakes.openai_server import Body, FakeOpenAI

THOUGHT = "Let me think."
ERROR_TYPES = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}


class FakeModels(FakeOpenAI):
    """As FakeOpenAI. Every message and response begins with a thought."""

    def __init__(self, key: str | None = None) -> None:
        super().__init__(key=key)
        self.sent_bytes: list[bytes] = []
        self.listed: list[Body] = []
        self._streams: list[tuple[tuple[bytes, ...], bool]] = []

    def stream_next(self, *events: bytes, cut: bool = False) -> None:
        """Answer the next request with these events; ``cut``: break the connection off behind them."""
        self._streams.append((events, cut))

    def key_of(self, request: Request) -> str:
        return request.headers.get("x-api-key") or super().key_of(request)

    def error(self, status: int, message: str, endpoint: str) -> Response:
        if endpoint not in ("messages", "count_tokens"):
            return super().error(status, message, endpoint)
        error = {"type": ERROR_TYPES.get(status, "api_error"), "message": message}
        headers = {"request-id": "req_fake", "retry-after": "7"}
        return self._keep(JSONResponse({"type": "error", "error": error}, status, headers))

    def add_routes(self, app: FastAPI) -> None:
        @app.post("/v1/responses")
        async def responses(request: Request) -> Response:
            return await self.serve(request, "responses", self._response)

        @app.post("/v1/messages")
        async def messages(request: Request) -> Response:
            return await self.serve(request, "messages", self._message)

        @app.post("/v1/messages/count_tokens")
        async def count_tokens(request: Request) -> Response:
            return await self.serve(request, "count_tokens", lambda _: self._keep(JSONResponse({"input_tokens": 42})))

    def models(self) -> list[Body]:
        return self.listed

    def _response(self, body: Body) -> Response:
        output = response_output(self.next_reply(body))
        if body.get("stream"):
            return self._events(response_events(output))
        return self._keep(JSONResponse(response(output)))

    def _message(self, body: Body) -> Response:
        content = message_content(self.next_reply(body))
        if body.get("stream"):
            return self._events(message_events(content))
        return self._keep(JSONResponse(message(content)))

    def _keep(self, answer: Response) -> Response:
        self.sent_bytes.append(bytes(answer.body))
        return answer

    def _events(self, usual: Iterable[bytes]) -> Response:
        events, cut = self._streams.pop(0) if self._streams else (tuple(usual), False)
        self.sent_bytes.append(b"".join(events))

        async def parts() -> AsyncIterator[bytes]:
            for event in events:
                yield event
            if cut:
                raise ConnectionResetError("cut off by the test")

        return StreamingResponse(parts(), media_type="text/event-stream")


def event(data: Body) -> bytes:
    """One server-sent event, named as both APIs name theirs."""
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def response_output(reply: str | Body) -> list[Body]:
    """The items of a response: a thought, and what is said or the tool that is called."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque=="}
    if isinstance(reply, dict):
        call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
        return [thought, call | {"name": reply["name"], "arguments": json.dumps(reply["arguments"])}]
    part = {"type": "output_text", "text": reply, "annotations": []}
    return [thought, {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}]


def response(output: list[Body], status: str = "completed") -> Body:
    """A whole response."""
    details = {"input_tokens_details": {"cached_tokens": 3}, "output_tokens_details": {"reasoning_tokens": 2}}
    return {
        "id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": "m", "status": status,
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": 11, "output_tokens": 5, "total_tokens": 16} | details,
    }  # fmt: skip


def response_events(output: list[Body]) -> Iterable[bytes]:
    """The events of a streamed response, in their order."""
    numbers = iter(range(10_000))

    def one(kind: str, **more: Any) -> bytes:
        return event({"type": f"response.{kind}", "sequence_number": next(numbers), **more})

    begun = response([], "in_progress") | {"usage": None}
    yield one("created", response=begun)
    yield one("in_progress", response=begun)
    for index, item in enumerate(output):
        at = {"item_id": item["id"], "output_index": index}
        yield one("output_item.added", output_index=index, item=item | {"content": [], "arguments": ""})
        if item["type"] == "message":
            empty = item["content"][0] | {"text": ""}
            yield one("content_part.added", content_index=0, part=empty, **at)
            for piece in _pieces(item["content"][0]["text"]):
                yield one("output_text.delta", content_index=0, delta=piece, logprobs=[], **at)
            yield one("output_text.done", content_index=0, text=item["content"][0]["text"], logprobs=[], **at)
            yield one("content_part.done", content_index=0, part=item["content"][0], **at)
        if item["type"] == "function_call":
            for piece in _pieces(item["arguments"]):
                yield one("function_call_arguments.delta", delta=piece, **at)
            yield one("function_call_arguments.done", arguments=item["arguments"], name=item["name"], **at)
        yield one("output_item.done", output_index=index, item=item)
    yield one("completed", response=response(output))


def message_content(reply: str | Body) -> list[Body]:
    """The blocks of a message: a thought, and what is said or the tool that is called."""
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}
    if isinstance(reply, dict):
        return [thought, {"type": "tool_use", "id": "toolu_1", "name": reply["name"], "input": reply["arguments"]}]
    return [thought, {"type": "text", "text": reply}]


def message(content: list[Body]) -> Body:
    """A whole message."""
    called = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": content,
        "stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None,
        "usage": _usage(5),
    }  # fmt: skip


def message_events(content: list[Body]) -> Iterable[bytes]:
    """The events of a streamed message, in their order."""
    begun = message([]) | {"stop_reason": None, "usage": _usage(1)}
    yield event({"type": "message_start", "message": begun})
    yield event({"type": "ping"})
    for index, block in enumerate(content):
        empty, deltas = _block_deltas(block)
        yield event({"type": "content_block_start", "index": index, "content_block": empty})
        for delta in deltas:
            yield event({"type": "content_block_delta", "index": index, "delta": delta})
        yield event({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": message(content)["stop_reason"], "stop_sequence": None}
    yield event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}})
    yield event({"type": "message_stop"})


def _block_deltas(block: Body) -> tuple[Body, list[Body]]:
    match block["type"]:
        case "thinking":
            said = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
            return {"type": "thinking", "thinking": "", "signature": ""}, [
                *said,
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        case "tool_use":
            pieces = _pieces(json.dumps(block["input"]))
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]


def _usage(answer: int) -> Body:
    return {
        "input_tokens": 4, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": answer,
    }  # fmt: skip


def _pieces(text: str) -> list[str]:
    return re.findall(r"\S+\s*|\s+", text)
