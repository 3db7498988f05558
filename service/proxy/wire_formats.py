"""The wire formats that the proxy serves: where a request says what, where memory goes into it, what an answer holds.

A format reads requests and answers into messages as chat completions write them, which is what recall, capture and
budget work on; what is sent on stays in the format itself. The client's own messages are passed on as they are.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Final

import orjson
from pydantic import ValidationError

from service.domain.context import Placement
from service.domain.drafts import MessageDraft
from service.domain.field_types import MESSAGE_MAX, replace_unstorable
from service.domain.json import dumps
from service.domain.message_text import searchable_text
from service.domain.turns import chat_messages, text_of, tokens_of, tool_call, without_inline, words_of
from service.errors import InvalidInput
from service.provider import BYTES_PER_TOKEN, reported

Payload = dict[str, Any]

ANSWER_TOKENS: Final = 4_096
"""Reserved for an answer whose request sets no bound."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a request says: its messages, and the user and the session where it names them."""

    messages: list[Payload]
    user: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The message of a model, empty where there is none, and the usage it reports (``prompt_tokens``,
    ``completion_tokens``)."""

    message: Payload
    usage: Any = None


class AnswerStream(ABC):
    """Puts an answer together from the events of a stream, whole events at a time, while they pass."""

    def __init__(self) -> None:
        self.usage: Payload | None = None
        """What the stream says it used, as far as it does."""
        self.ended = False
        """Whether the last event of a whole answer has been fed."""
        self.failed = False
        """Whether an event said that the model failed."""
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._calls: dict[int, CallParts] = {}

    def feed(self, event: bytes) -> None:
        """Take in one server-sent event; one that is no part of an answer says nothing."""
        for line in event.splitlines():
            if line.startswith(b"data:"):
                self._take(line[5:].strip())

    @abstractmethod
    def _take(self, data: bytes) -> None:
        """Return the data of an event."""

    @property
    def answer(self) -> Payload:
        """Return the message so far."""
        calls = [self._calls[index].call for index in sorted(self._calls)]
        return assistant_message("".join(self._text), calls)

    @property
    def text(self) -> str:
        """Everything so far that a model wrote."""
        arguments = (part for call in self._calls.values() for part in call.arguments)
        return "".join([*self._text, *self._thoughts, *arguments])


class CallParts:
    """A tool call whose arguments come in parts."""

    __slots__ = ("arguments", "named")

    def __init__(self) -> None:
        self.named: Payload = {}
        self.arguments: list[str] = []

    @property
    def call(self) -> Payload:
        """Return the call so far."""
        return tool_call(self.named.get("id"), self.named.get("name"), "".join(self.arguments))


class WireFormat(ABC):
    """A protocol between clients and models."""

    name: ClassVar[str]
    path: ClassVar[str]
    """Under the base address of a server that speaks it."""
    forwarded_headers: ClassVar[tuple[str, ...]] = ()
    """Headers of requests that are passed on, in lower case."""
    prompt_fields: ClassVar[tuple[str, ...]]
    """Fields of a request that the model reads."""
    stream: ClassVar[type[AnswerStream]]
    """A reader of one streamed answer."""

    def check(self, payload: Payload) -> None:  # noqa: B027 - most formats have nothing to refuse
        """Raises InvalidInput for a request that the proxy cannot serve."""

    @abstractmethod
    def conversation(self, payload: Payload) -> Conversation | None:
        """Return what a request says; None where memory has no part in it."""

    @abstractmethod
    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """Return a copy of a request that has a conversation, with the memory block in it and nothing else changed."""

    @abstractmethod
    def answer_tokens(self, payload: Payload) -> int:
        """Return the most tokens that the answer may have, as far as the request bounds it."""

    @abstractmethod
    def answer_in(self, body: bytes) -> Answer:
        """Return the answer in a body that came at once."""

    def error_body(self, message: str) -> bytes:
        """Return an error of the server behind; as OpenAI's API words it unless a format has its own way."""
        return dumps({"error": {"message": message, "type": "upstream_error", "param": None, "code": None}})

    @abstractmethod
    def error_event(self, message: str) -> bytes:
        """Return the same, in a stream that has begun."""


def prompt_tokens(payload: Payload, wire: WireFormat) -> int:
    """About how many tokens of a request the model reads."""
    return tokens_of([payload.get(field) for field in wire.prompt_fields], _estimate)


def _estimate(text: str) -> int:
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1


def bound(payload: Payload, *fields: str) -> int:
    """Return the first of these fields that bounds an answer, else a usual bound."""
    return next((most for field in fields if (most := reported(payload.get(field), 0))), ANSWER_TOKENS)


def parsed(body: bytes) -> Payload:
    """Return the JSON object of a body; empty for anything else."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> Iterator[Payload]:
    """Yield the JSON objects of a list; none where it is no list."""
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def text_in(value: Any, *fields: str) -> str:
    """Return the first of these fields of an object that is a text; empty where none is."""
    texts = (value.get(field) for field in fields) if isinstance(value, dict) else ()
    return next((text for text in texts if isinstance(text, str)), "")


def _answer(said: Sequence[Payload]) -> Payload:
    """Return what a model says in messages or items of any format as one message."""
    messages = [one for item in said for one in chat_messages(item) if one["role"] == "assistant"]
    texts = [words_of(one["content"]) for one in messages]
    calls = [call for one in messages for call in one.get("tool_calls", ())]
    return assistant_message("\n".join(text for text in texts if text), calls)


def assistant_message(text: str, calls: Sequence[Payload] = ()) -> Payload:
    """Return a model's message as chat completions write it."""
    return {"role": "assistant", "content": text or None} | ({"tool_calls": list(calls)} if calls else {})


def last_user(messages: Sequence[Payload]) -> int | None:
    """Return the position of the last message of a user."""
    return next((at for at in reversed(range(len(messages))) if messages[at].get("role") == "user"), None)


def last_words(messages: Sequence[Payload]) -> str | None:
    """Return what a user said last; None where no user says anything."""
    at = last_user(messages)
    return None if at is None else searchable_text("user", messages[at].get("content"))


def placement_for(model: object, wanted: Placement, no_system_models: Sequence[str]) -> Placement:
    """``wanted``, but ``user`` for a model that knows no system role (patterns as in file names, any case)."""
    name = str(model or "").lower()
    if any(fnmatchcase(name, pattern.lower()) for pattern in no_system_models):
        return "user"
    return wanted


NAME_MAX = 200
KEPT_ROLES = ("user", "tool", "assistant")


def derived_session(user: str | None, messages: Sequence[Payload]) -> str:
    """Return a name for a conversation whose client names none: the same for as long as it begins the same."""
    opening = next((message for message in messages if message.get("role") == "user"), {})
    seed = dumps([user, opening.get("content")])
    return _session_of(seed)


def _session_of(seed: bytes) -> str:
    return f"chat-{hashlib.sha256(seed).hexdigest()[:32]}"


ANSWERS_COMPARED: Final = 20
"""Of the last answers in a history so many are looked for in the session."""


def answers_of(messages: Sequence[Payload]) -> list[str]:
    """Return what the model said last in the history of a request, newest first, in words."""
    texts = (words_of(message.get("content")) for message in reversed(messages) if message.get("role") == "assistant")
    return [text for text in texts if text][:ANSWERS_COMPARED]


def new_turns(messages: Sequence[Payload], answer: Payload, known: str | None = None) -> list[MessageDraft]:
    """Return what this request adds: what comes after the ``known`` answer, the last of the history that is kept, and
    the answer of now. Without one, whatever the user and the tools said since the last answer.

    A client sends its whole history every time; what came before was kept when it was said. System messages are
    the client's instructions, not part of the conversation. Words of the model at the end are the beginning of its
    answer, and one turn with it.
    """
    end = len(messages)
    while end and messages[end - 1].get("role") == "assistant" and not messages[end - 1].get("tool_calls"):
        end -= 1
    begun = "".join(words_of(message.get("content")) for message in messages[end:])
    answers = [at for at in range(end) if messages[at].get("role") == "assistant"]
    found = (at for at in reversed(answers) if known and words_of(messages[at].get("content")) == known)
    since = next(found, max(answers, default=-1))
    said = [message for message in messages[since + 1 : end] if message.get("role") in KEPT_ROLES]
    return [draft for message in (*said, _whole(begun, answer)) for draft in _drafts(message)]


def _whole(begun: str, answer: Payload) -> Payload:
    """Return an answer with the beginning that the client gave it, unless the model has repeated it."""
    said = words_of(answer.get("content") or answer.get("refusal"))
    repeated = not begun or said.startswith(begun.strip())
    return {"role": "assistant", **answer} | ({} if repeated else {"content": begun + said})


def _drafts(message: Payload) -> list[MessageDraft]:
    """Return a message as it can be kept: none of one that says nothing, several of a text that is too long for one."""
    content, calls = message.get("content") or message.get("refusal") or "", message.get("tool_calls")
    if not content and not calls and message["role"] == "assistant":
        return []
    content = _storable(without_inline({"content": content or None, "tool_calls": calls} if calls else content))
    names = {name: name_of(message.get(name)) for name in ("name", "tool_call_id")}
    try:
        return [MessageDraft(role=message["role"], content=content, **names)]
    except ValidationError:
        text = text_of(content)
        pieces = [text[at : at + MESSAGE_MAX] for at in range(0, len(text), MESSAGE_MAX)]
        return [MessageDraft(role=message["role"], content=piece, **names) for piece in pieces]


def _storable(content: Any) -> Any:
    """Return content without what no database takes."""
    if isinstance(content, str):
        return content.encode("utf-8", "replace").decode().replace("\x00", " ")
    if isinstance(content, list):
        return [_storable(part) for part in content]
    if isinstance(content, dict):
        return {replace_unstorable(str(name)): _storable(value) for name, value in content.items()}
    return content


def name_of(value: Any) -> str | None:
    """Return the value where it can serve as a name, else None."""
    fits = isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= NAME_MAX
    return value if fits else None


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
        self._text.extend(words_of(delta.get(name)) for name in ("content", "refusal"))
        for call in delta.get("tool_calls") or ():
            known = self._calls.setdefault(call.get("index", 0), CallParts())
            function = call.get("function") or {}
            known.named |= {"id": call["id"]} if call.get("id") else {}
            known.named |= {"name": function["name"]} if function.get("name") else {}
            known.arguments.append(function.get("arguments") or "")


class ChatCompletions(WireFormat):
    """OpenAI's Chat Completions: requests hold the whole conversation as ``messages``; streams end with ``[DONE]``."""

    name = "chat completions"
    path = "/chat/completions"
    prompt_fields = ("messages", "tools")
    stream = StreamParser

    def conversation(self, payload: Payload) -> Conversation | None:
        given = payload.get("messages")
        if not isinstance(given, list) or not all(isinstance(message, dict) for message in given):
            return None
        messages = [one for message in given for one in chat_messages(message)]
        return None if last_user(messages) is None else Conversation(messages, name_of(payload.get("user")))

    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """Return a copy of the request with one message more: after the leading system messages, or, as the user's,
        before the last thing the user said. Nothing that was there changes."""
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
        return Answer(_answer([message]) if isinstance(message, dict) else {}, usage)

    def error_event(self, message: str) -> bytes:
        return b"data: " + self.error_body(message) + b"\n\n"


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
    """Anthropic's Messages: requests hold the whole conversation as ``messages`` and ``system`` beside it; streams end
    with ``message_stop``."""

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
        messages = [one for message in given for one in chat_messages(message)]
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
        at = next(at for at in reversed(range(len(messages))) if last_user(chat_messages(messages[at])) is not None)
        blocks = _blocks(messages[at].get("content"))
        first = next(place for place, one in enumerate(blocks) if text_in(one, "type") != "tool_result")
        content = [*blocks[:first], {"type": "text", "text": block}, *blocks[first:]]
        return payload | {"messages": [*messages[:at], messages[at] | {"content": content}, *messages[at + 1 :]]}

    def answer_tokens(self, payload: Payload) -> int:
        return bound(payload, "max_tokens")

    def answer_in(self, body: bytes) -> Answer:
        message = parsed(body)
        return Answer(
            _answer([{"role": "assistant", "content": message.get("content")}]),
            _prompt_usage(message) | _answer_usage(message),
        )

    def error_body(self, message: str) -> bytes:
        return dumps({"type": "error", "error": {"type": "api_error", "message": message}})

    def error_event(self, message: str) -> bytes:
        return b"event: error\ndata: " + self.error_body(message) + b"\n\n"


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def _after(system: Any, block: str) -> Any:
    if isinstance(system, list):
        return [*system, {"type": "text", "text": block}]
    return f"{system}\n\n{block}" if system else block


def _user_and_session(user_id: str) -> tuple[str | None, str | None]:
    """Return the names in ``metadata.user_id``: a user, and where it names one as well, a session."""
    user, _, session = user_id.rpartition(SESSION_MARK)
    return (name_of(user), name_of(session)) if user and session else (name_of(user_id), None)


def _prompt_usage(value: Any) -> Payload:
    """Return all tokens that a model read, cached ones too; empty where they are not reported."""
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return {}
    return {"prompt_tokens": sum(reported(usage.get(name), 0) for name in PROMPT_COUNTS)}


def _answer_usage(value: Payload) -> Payload:
    usage = value.get("usage")
    return {"completion_tokens": usage.get("output_tokens")} if isinstance(usage, dict) else {}


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
    """OpenAI's Responses: requests hold ``input``, a text or items, of which the server may keep the earlier ones;
    streams end with ``response.completed``."""

    name = "responses"
    path = "/responses"
    forwarded_headers = ("openai-beta",)
    prompt_fields = ("instructions", "input", "tools")
    stream = ResponseStream

    def check(self, payload: Payload) -> None:
        if payload.get("background"):
            raise InvalidInput(("body", "background"), "is not served: such a response is not read through the proxy")

    def conversation(self, payload: Payload) -> Conversation | None:
        """Return a request that goes on from what the server keeps (``previous_response_id``, ``conversation``) needs
        no user's message: it may bring the results of tools alone."""
        if not isinstance(payload.get("instructions"), str | None):
            return None
        items = _items(payload)
        if items is None:
            return None
        messages = [message for item in items for message in chat_messages(item)]
        kept = _kept_by_server(payload)
        if last_user(messages) is None and not (kept and messages):
            return None
        return Conversation(messages, name_of(payload.get("user")), kept)

    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """Add the block to ``instructions``, which the server does not keep; those of a stored ``prompt`` stay its own,
        and get an item in front of the input. As the user's, an item before the last thing the user said.
        """
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
        return Answer(_answer(list(objects(response.get("output")))), _usage(response))

    def error_event(self, message: str) -> bytes:
        event = {"type": "error", "code": "upstream_error", "message": message, "param": None, "sequence_number": 0}
        return b"event: error\ndata: " + dumps(event) + b"\n\n"


def _items(payload: Payload) -> list[Payload] | None:
    """Return the items of the input; None where it is neither a text nor a list of items."""
    given = payload.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return given if isinstance(given, list) and all(isinstance(item, dict) for item in given) else None


def _kept_by_server(payload: Payload) -> str | None:
    """Return a name for what a request goes on from, where the server keeps it: one session for a conversation, and one
    for what follows a response."""
    conversation = payload.get("conversation")
    id_ = text_in(conversation, "id") if isinstance(conversation, dict) else conversation
    seed = id_ or payload.get("previous_response_id")
    return _session_of(seed.encode("utf-8", "replace")) if isinstance(seed, str) else None


def _usage(response: Payload) -> Payload | None:
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return None
    return {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")}


CHAT_COMPLETIONS: Final[WireFormat] = ChatCompletions()
RESPONSES: Final[WireFormat] = Responses()
MESSAGES: Final[WireFormat] = Messages()
