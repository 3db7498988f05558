"""OpenAI's Chat Completions."""

from __future__ import annotations

from typing import Final

import orjson

from service.domain.context import Placement
from service.provider.prices import reported
from service.proxy.injection import last_user, takes_memory
from service.proxy.transcript import name_of
from service.proxy.wire_format import Answer, AnswerStream, CallParts, Conversation, Payload, WireFormat, bound

CHOICES_MAX: Final = 128


class StreamParser(AnswerStream):
    """A streamed chat completion."""

    def _take(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.ended = True
            return
        try:
            chunk = orjson.loads(data)
            self.usage = chunk.get("usage") or self.usage
            delta = next(choice["delta"] for choice in chunk["choices"] if choice.get("index", 0) == 0)
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, StopIteration):
            return
        self._text.extend(part for part in (delta.get("content"), delta.get("refusal")) if isinstance(part, str))
        for call in delta.get("tool_calls") or ():
            known = self._calls.setdefault(call.get("index", 0), CallParts())
            function = call.get("function") or {}
            known.named |= {"id": call["id"]} if call.get("id") else {}
            known.named |= {"name": function["name"]} if function.get("name") else {}
            known.arguments.append(function.get("arguments") or "")


class ChatCompletions(WireFormat):
    """Requests hold the whole conversation as ``messages``; streams end with ``[DONE]``."""

    name = "chat completions"
    path = "/chat/completions"
    prompt_fields = ("messages", "tools")
    stream = StreamParser

    def conversation(self, payload: Payload) -> Conversation | None:
        return Conversation(payload["messages"], name_of(payload.get("user"))) if takes_memory(payload) else None

    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """A copy of the request with one message more: after the leading system messages, or, as the user's, before
        the last thing the user said. Nothing that was there changes."""
        messages = payload["messages"]
        if placement == "system":
            leading = (at for at, message in enumerate(messages) if message.get("role") not in ("system", "developer"))
            at = next(leading, len(messages))
        else:
            found = last_user(messages)
            at = 0 if found is None else found
        return payload | {"messages": [*messages[:at], {"role": placement, "content": block}, *messages[at:]]}

    def answer_tokens(self, payload: Payload) -> int:
        choices = min(max(1, reported(payload.get("n"), 1)), CHOICES_MAX)
        return bound(payload, "max_completion_tokens", "max_tokens") * choices

    def answer_in(self, body: bytes) -> Answer:
        try:
            completion = orjson.loads(body)
            usage = completion.get("usage")
        except (orjson.JSONDecodeError, AttributeError):
            return Answer({})
        try:
            message = completion["choices"][0]["message"]
        except (KeyError, IndexError, TypeError):
            return Answer({}, usage)
        return Answer(message if isinstance(message, dict) else {}, usage)

    def error_event(self, message: str) -> bytes:
        return b"data: " + self.error_body(message) + b"\n\n"
