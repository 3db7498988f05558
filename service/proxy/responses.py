"""OpenAI's Responses."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from service.domain.context import Placement
from service.domain.json import dumps
from service.errors import InvalidInput
from service.proxy.injection import last_user
from service.proxy.transcript import name_of
from service.proxy.wire_format import (
    Answer,
    AnswerStream,
    CallParts,
    Conversation,
    Payload,
    WireFormat,
    assistant_message,
    bound,
    objects,
    parsed,
    text_in,
    tool_call,
)

CALLS: Final = ("function_call", "custom_tool_call")
LAST_EVENTS: Final = ("response.completed", "response.incomplete", "response.failed")
TEXT_EVENTS: Final = ("response.output_text.delta", "response.refusal.delta")
THOUGHT_EVENTS: Final = ("response.reasoning_text.delta", "response.reasoning_summary_text.delta")
ARGUMENT_EVENTS: Final = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta")


class ResponseStream(AnswerStream):
    """A streamed response."""

    def _take(self, data: bytes) -> None:
        event = parsed(data)
        kind, delta = event.get("type"), text_in(event, "delta")
        if kind in TEXT_EVENTS:
            self._text.append(delta)
        elif kind in THOUGHT_EVENTS:
            self._thoughts.append(delta)
        elif kind in ARGUMENT_EVENTS:
            self._parts(event).arguments.append(delta)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._take_item(event)
        elif kind in LAST_EVENTS:
            response = event.get("response")
            self.usage = _usage(response if isinstance(response, dict) else {})
            self.failed = kind == "response.failed"
            self.ended = True
        elif kind == "error":
            self.failed = True

    def _take_item(self, event: Payload) -> None:
        item = event.get("item")
        if not isinstance(item, dict):
            return
        if item.get("type") in CALLS:
            parts = self._parts(event)
            parts.named = {"id": item.get("call_id"), "name": item.get("name")}
            parts.arguments = [whole] if (whole := text_in(item, "arguments", "input")) else parts.arguments
        elif item.get("type") == "message" and event["type"].endswith("added") and self._text:
            self._text.append("\n")

    def _parts(self, event: Payload) -> CallParts:
        index = event.get("output_index")
        return self._calls.setdefault(index if isinstance(index, int) else 0, CallParts())


class Responses(WireFormat):
    """Requests hold ``input``, a text or items, of which the server may keep the earlier ones; streams end with
    ``response.completed``."""

    name = "responses"
    path = "/responses"
    forwarded_headers = ("openai-beta",)
    prompt_fields = ("instructions", "input", "tools")
    stream = ResponseStream

    def check(self, payload: Payload) -> None:
        if payload.get("background"):
            raise InvalidInput(("body", "background"), "is not served: such a response is not read through the proxy")

    def conversation(self, payload: Payload) -> Conversation | None:
        """A request that goes on from what the server keeps (``previous_response_id``, ``conversation``) needs no
        user's message: it may bring the results of tools alone."""
        if not isinstance(payload.get("instructions"), str | None):
            return None
        items = _items(payload)
        if items is None:
            return None
        messages = [message for item in items if (message := _message(item)) is not None]
        kept = _kept_by_server(payload)
        if last_user(messages) is None and not (kept and messages):
            return None
        return Conversation(messages, name_of(payload.get("user")), kept)

    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """In ``instructions``, which the server does not keep; those of a stored ``prompt`` stay its own, and get an
        item in front of the input. As the user's, an item before the last thing the user said."""
        given = payload.get("instructions")
        if placement == "system" and not (payload.get("prompt") and given is None):
            return payload | {"instructions": f"{given}\n\n{block}" if given else block}
        items = _items(payload) or []
        at = 0 if placement == "system" else last_user(items) or 0
        return payload | {"input": [*items[:at], {"role": placement, "content": block}, *items[at:]]}

    def answer_tokens(self, payload: Payload) -> int:
        return bound(payload, "max_output_tokens")

    def answer_in(self, body: bytes) -> Answer:
        response = parsed(body)
        return Answer(_answer(response.get("output")), _usage(response))

    def error_event(self, message: str) -> bytes:
        event = {"type": "error", "code": "upstream_error", "message": message, "param": None, "sequence_number": 0}
        return b"event: error\ndata: " + dumps(event) + b"\n\n"


def _items(payload: Payload) -> list[Payload] | None:
    """The items of the input; None where it is neither a text nor a list of items."""
    given = payload.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return given if isinstance(given, list) and all(isinstance(item, dict) for item in given) else None


def _message(item: Payload) -> Payload | None:
    """An item as a message; of what a model did in between, that it was the model. None for what says nothing."""
    kind = item.get("type") or "message"
    if kind == "message":
        return {"role": item.get("role"), "content": _content(item.get("content"))}
    if kind in CALLS:
        return assistant_message("", [_call(item)])
    if isinstance(kind, str) and kind.endswith("_output"):
        return {"role": "tool", "content": _content(item.get("output")), "tool_call_id": item.get("call_id")}
    return None if isinstance(kind, str) and kind.endswith("_response") else assistant_message("")


def _content(content: Any) -> Any:
    """Content as it is, or its text where it has nothing but text."""
    parts = list(objects(content))
    if isinstance(content, list) and all(part.get("type") in ("input_text", "output_text") for part in parts):
        return "\n".join(text_in(part, "text") for part in parts)
    return content


def _call(item: Payload) -> Payload:
    return tool_call(item.get("call_id"), item.get("name"), text_in(item, "arguments", "input"))


def _kept_by_server(payload: Payload) -> str | None:
    """A name for what a request goes on from, where the server keeps it: one session for a conversation, and one for
    what follows a response."""
    conversation = payload.get("conversation")
    id_ = text_in(conversation, "id") if isinstance(conversation, dict) else conversation
    seed = id_ or payload.get("previous_response_id")
    return f"chat-{hashlib.sha256(seed.encode('utf-8', 'replace')).hexdigest()[:32]}" if isinstance(seed, str) else None


def _answer(output: Any) -> Payload:
    items = list(objects(output))
    texts = [
        "".join(text_in(part, "text", "refusal") for part in objects(item.get("content")))
        for item in items
        if item.get("type") == "message"
    ]
    return assistant_message("\n".join(texts), [_call(item) for item in items if item.get("type") in CALLS])


def _usage(response: Payload) -> Payload | None:
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return None
    return {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")}
