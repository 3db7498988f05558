"""What the proxy needs to know of a wire format: where a request says what, and where memory goes into it.

A format reads requests and answers into messages as chat completions write them, which is what recall, capture and
budget work on; what is sent on stays in the format itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import orjson

from service.domain.context import Placement
from service.domain.json import dumps
from service.provider.prices import reported

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
        """The data of an event."""

    @property
    def answer(self) -> Payload:
        """The message so far."""
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
        """The call so far."""
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
        """What a request says; None where memory has no part in it."""

    @abstractmethod
    def with_block(self, payload: Payload, block: str, placement: Placement) -> Payload:
        """A copy of a request that has a conversation, with the memory block in it and nothing else changed."""

    @abstractmethod
    def answer_tokens(self, payload: Payload) -> int:
        """The most tokens that the answer may have, as far as the request bounds it."""

    @abstractmethod
    def answer_in(self, body: bytes) -> Answer:
        """The answer in a body that came at once."""

    def error_body(self, message: str) -> bytes:
        """An error of the server behind; as OpenAI's API words it unless a format has its own way."""
        return dumps({"error": {"message": message, "type": "upstream_error", "param": None, "code": None}})

    @abstractmethod
    def error_event(self, message: str) -> bytes:
        """The same, in a stream that has begun."""


def bound(payload: Payload, *fields: str) -> int:
    """The first of these fields that bounds an answer, else a usual bound."""
    return next((most for field in fields if (most := reported(payload.get(field), 0))), ANSWER_TOKENS)


def parsed(body: bytes) -> Payload:
    """The JSON object of a body; empty for anything else."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> Iterator[Payload]:
    """The JSON objects of a list; none where it is no list."""
    return (each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict))


def text_in(value: Any, *fields: str) -> str:
    """The first of these fields of an object that is a text; empty where none is."""
    texts = (value.get(field) for field in fields) if isinstance(value, dict) else ()
    return next((text for text in texts if isinstance(text, str)), "")


def tool_call(id_: Any, name: Any, arguments: str) -> Payload:
    """A call of a tool as chat completions write it."""
    named = {"id": id_} if isinstance(id_, str) and id_ else {}
    function = {"name": name} if isinstance(name, str) and name else {}
    return {"type": "function", "function": function | {"arguments": arguments}} | named


def assistant_message(text: str, calls: Sequence[Payload] = ()) -> Payload:
    """A model's message as chat completions write it."""
    return {"role": "assistant", "content": text or None} | ({"tool_calls": list(calls)} if calls else {})
