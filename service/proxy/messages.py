"""Anthropic's Messages."""

from __future__ import annotations

from typing import Any, Final

from service.domain.context import Placement
from service.domain.json import dumps
from service.provider.prices import reported
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

VERSION: Final = "2023-06-01"
"""Of the API, where a client names none."""
PROMPT_COUNTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
SESSION_MARK: Final = "_session_"
"""Between the user and the session in ``metadata.user_id`` as Claude Code writes it."""


class MessageStream(AnswerStream):
    """A streamed message. The tokens of its answer count from ``message_delta`` on: before, none are there."""

    def _take(self, data: bytes) -> None:
        event = parsed(data)
        match event.get("type"):
            case "message_start":
                self.usage = _prompt_usage(event.get("message"))
            case "content_block_start":
                self._begin(event.get("content_block"), event.get("index"))
            case "content_block_delta":
                self._take_delta(event.get("delta"), event.get("index"))
            case "message_delta":
                self.usage = (self.usage or {}) | _prompt_usage(event) | _answer_usage(event)
            case "message_stop":
                self.ended = True
            case "error":
                self.failed = True

    def _begin(self, block: Any, index: Any) -> None:
        self._text.append(text_in(block, "text"))
        if isinstance(block, dict) and block.get("type") == "tool_use" and isinstance(index, int):
            parts = self._calls[index] = CallParts()
            parts.named = {"id": block.get("id"), "name": block.get("name")}

    def _take_delta(self, delta: Any, index: Any) -> None:
        kind, known = text_in(delta, "type"), self._calls.get(index) if isinstance(index, int) else None
        if kind == "text_delta":
            self._text.append(text_in(delta, "text"))
        elif kind == "input_json_delta" and known is not None:
            known.arguments.append(text_in(delta, "partial_json"))
        else:
            self._thoughts.append(text_in(delta, "thinking", "partial_json"))


class Messages(WireFormat):
    """Requests hold the whole conversation as ``messages`` and ``system`` beside it; streams end with
    ``message_stop``."""

    name = "messages"
    path = "/messages"
    forwarded_headers = ("anthropic-version", "anthropic-beta")
    prompt_fields = ("system", "messages", "tools")
    stream = MessageStream

    def conversation(self, payload: Payload) -> Conversation | None:
        given = payload.get("messages")
        if not isinstance(given, list) or not all(isinstance(message, dict) for message in given):
            return None
        if not isinstance(payload.get("system"), str | list | None):
            return None
        messages = [one for message in given for one in _split(message)]
        if last_user(messages) is None:
            return None
        user, session = _user_and_session(text_in(payload.get("metadata"), "user_id"))
        return Conversation(messages, user, session)

    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """At the end of ``system``, behind what a client has cached of it. As the user's, in the last message in which
        the user says something, behind the results of tools, which must come first."""
        if placement == "system":
            return payload | {"system": _after(payload.get("system"), block)}
        messages = payload["messages"]
        at = next(at for at in reversed(range(len(messages))) if last_user(_split(messages[at])) is not None)
        blocks = _blocks(messages[at].get("content"))
        first = next(place for place, one in enumerate(blocks) if text_in(one, "type") != "tool_result")
        content = [*blocks[:first], {"type": "text", "text": block}, *blocks[first:]]
        return payload | {"messages": [*messages[:at], messages[at] | {"content": content}, *messages[at + 1 :]]}

    def answer_tokens(self, payload: Payload) -> int:
        return bound(payload, "max_tokens")

    def answer_in(self, body: bytes) -> Answer:
        message = parsed(body)
        return Answer(_assistant(message.get("content")), _prompt_usage(message) | _answer_usage(message))

    def error_body(self, message: str) -> bytes:
        return dumps({"type": "error", "error": {"type": "api_error", "message": message}})

    def error_event(self, message: str) -> bytes:
        return b"event: error\ndata: " + self.error_body(message) + b"\n\n"


def _split(message: Payload) -> list[Payload]:
    """A message as chat completions write it: results of tools are messages of their own, before what else it says."""
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return [_assistant(content)]
    if role != "user" or not isinstance(content, list):
        return [{"role": role, "content": content}]
    blocks = list(objects(content))
    results = [
        {"role": "tool", "content": _content(one.get("content")), "tool_call_id": one.get("tool_use_id")}
        for one in blocks
        if one.get("type") == "tool_result"
    ]
    said = [one for one in blocks if one.get("type") != "tool_result"]
    return results + ([{"role": "user", "content": _content(said)}] if said else [])


def _assistant(content: Any) -> Payload:
    """What a model says and the tools it calls; what it thinks is not part of the conversation."""
    if isinstance(content, str):
        return assistant_message(content)
    blocks = list(objects(content))
    calls = [
        tool_call(one.get("id"), one.get("name"), dumps(one.get("input")).decode())
        for one in blocks
        if one.get("type") == "tool_use"
    ]
    return assistant_message("".join(text_in(one, "text") for one in blocks if one.get("type") == "text"), calls)


def _content(content: Any) -> Any:
    """Content without the marks of a cache, which move; only its text where it has nothing else."""
    if not isinstance(content, list):
        return content or ""
    blocks = [{name: value for name, value in one.items() if name != "cache_control"} for one in objects(content)]
    if all(one.get("type") == "text" for one in blocks):
        return "\n".join(text_in(one, "text") for one in blocks)
    return blocks


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def _after(system: Any, block: str) -> Any:
    if isinstance(system, list):
        return [*system, {"type": "text", "text": block}]
    return f"{system}\n\n{block}" if system else block


def _user_and_session(user_id: str) -> tuple[str | None, str | None]:
    """The names in ``metadata.user_id``: a user, and where it names one as well, a session."""
    user, _, session = user_id.rpartition(SESSION_MARK)
    return (name_of(user), name_of(session)) if user and session else (name_of(user_id), None)


def _prompt_usage(value: Any) -> Payload:
    """All tokens that a model read, cached ones too; empty where they are not reported."""
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return {}
    return {"prompt_tokens": sum(reported(usage.get(name), 0) for name in PROMPT_COUNTS)}


def _answer_usage(value: Payload) -> Payload:
    usage = value.get("usage")
    return {"completion_tokens": usage.get("output_tokens")} if isinstance(usage, dict) else {}
