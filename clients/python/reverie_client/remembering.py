"""``remember``: a client of OpenAI, Anthropic or litellm whose calls have a memory.

Before a call, what is known that bears on the last message of the user joins the system's text. After it, what was new
in the call and what the model answered are kept. Whatever fails, or takes too long, is said in a line of the log, and
the call goes on without memory.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar, cast

from reverie_client.integrations.agent_memory import AgentMemory
from reverie_client.models import Role
from reverie_client.options import MessageDraft
from reverie_client.reverie import Reverie

log = logging.getLogger(__name__)

Client = TypeVar("Client")
T = TypeVar("T")
Json = dict[str, Any]

DEADLINE_S = 2.0
RECALLS = 8
"""Threads that recall at the same time; a call that finds none free within its deadline goes on without memory."""


def remember(
    client: Client,
    agent: str | None = None,
    *,
    user: str | None = None,
    session: str | None = None,
    reverie: Reverie | None = None,
    deadline_s: float = DEADLINE_S,
    max_tokens: int = 1_000,
) -> Client:
    """Return a copy of a client of OpenAI or Anthropic, blocking or awaited, or of the module litellm, whose calls
    recall before and keep after: ``chat.completions.create``, ``responses.create``, ``messages.create``,
    ``completion``, ``acompletion``, whole or as streams.

    ``agent`` remembers, ``user`` speaks, ``session`` is the conversation: a new one where it is left out. ``reverie``
    is a client of a server or ``Reverie.local()``; without one it is that of REVERIE_URL and REVERIE_API_KEY. A call
    waits ``deadline_s`` at most to recall, and as long to keep. Raises TypeError for a client with none of these
    methods.
    """
    memory = AgentMemory(agent, user=user, session=session, max_tokens=max_tokens, client=reverie, retries=0)
    turns = _Memory(memory, deadline_s)
    copied: Any = (
        _Module(client) if isinstance(client, ModuleType) else getattr(client, "with_options", lambda: client)()
    )
    found = 0
    for path, form in FORMS.items():
        *names, method = path.split(".")
        place = copied
        for name in names:
            place = getattr(place, name, None)
        if callable(call := getattr(place, method, None)):
            setattr(place, method, _remembering(call, form, turns))
            found += 1
    if not found:
        raise TypeError(f"{type(client).__name__} is no client of OpenAI, Anthropic or litellm")
    return cast(Client, copied)


class _Module:
    """A module with functions of its own in place of some."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _Memory:
    """Recalls and keeps in threads, each within a deadline. What is late is kept later, in order."""

    def __init__(self, memory: AgentMemory, deadline_s: float) -> None:
        self._memory = memory
        self._deadline_s = deadline_s
        self._recalling = ThreadPoolExecutor(RECALLS, "reverie-recall")
        self._keeping = ThreadPoolExecutor(1, "reverie-keep")

    def recall(self, question: str) -> Future[str]:
        """Begin to look for what is known, as a block for the prompt; empty where nothing is."""
        return self._recalling.submit(self._memory.recall, question)

    def keep(self, turns: Sequence[MessageDraft]) -> Future[bool]:
        """Begin to append turns to the conversation."""
        return self._keeping.submit(self._memory.remember, turns)

    def outcome(self, work: Future[T], done: str, otherwise: T) -> T:
        """Wait for it; where it fails or is late, return ``otherwise`` and say that nothing is ``done``."""
        try:
            return work.result(self._deadline_s)
        except Exception as error:  # noqa: BLE001 - the call goes on, whatever it was
            return self._failed(done, error, otherwise)

    async def awaited(self, work: Future[T], done: str, otherwise: T) -> T:
        """Wait for it without blocking the event loop, as ``outcome``."""
        try:
            async with asyncio.timeout(self._deadline_s):
                return await asyncio.shield(asyncio.wrap_future(work))
        except Exception as error:  # noqa: BLE001 - the call goes on, whatever it was
            return self._failed(done, error, otherwise)

    def _failed(self, done: str, error: Exception, otherwise: T) -> T:
        why = f"not within {self._deadline_s:g} s" if isinstance(error, TimeoutError) else repr(error)
        log.warning("Nothing is %s and the call goes on: %s", done, why)
        return otherwise


RECALLED, KEPT = "recalled", "kept for now"


def _remembering(call: Callable[..., Any], form: Form, memory: _Memory) -> Callable[..., Any]:
    """Return the method with a memory, awaited if it is."""

    def sent(fields: Json, known: str) -> Json:
        return _guarded(lambda: form.with_known(fields, known), fields) if known else fields

    @wraps(call)
    async def awaited(**fields: Any) -> Any:
        said, question = _said(form, fields)
        known = await memory.awaited(memory.recall(question), RECALLED, "") if question else ""
        answer = await call(**sent(fields, known))
        if fields.get("stream"):
            return _Stream(answer, form.reader(), said, memory)
        if said:
            await memory.awaited(memory.keep([*said, *_whole(form, answer)]), KEPT, False)
        return answer

    @wraps(call)
    def blocking(**fields: Any) -> Any:
        said, question = _said(form, fields)
        known = memory.outcome(memory.recall(question), RECALLED, "") if question else ""
        answer = call(**sent(fields, known))
        if fields.get("stream"):
            return _Stream(answer, form.reader(), said, memory)
        if said:
            memory.outcome(memory.keep([*said, *_whole(form, answer)]), KEPT, False)
        return answer

    return awaited if inspect.iscoroutinefunction(inspect.unwrap(call)) else blocking


def _guarded(work: Callable[[], T], otherwise: T) -> T:
    """Return what ``work`` gives; for what it cannot read, ``otherwise`` and a line in the log."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the call goes on, whatever it was given
        log.warning("The memory cannot read a call, which goes on: %r", error)
        return otherwise


def _said(form: Form, fields: Json) -> tuple[list[MessageDraft], str]:
    """Return what is new in a call, after the model's last turn, and the user's last words."""
    turns = _guarded(lambda: form.turns(fields), list[MessageDraft]())
    answered = max((at for at, one in enumerate(turns) if one["role"] == "assistant"), default=-1)
    new = [one for one in turns[answered + 1 :] if one["role"] != "system"]
    question = next((_text(one["content"]) for one in reversed(turns) if one["role"] == "user"), "")
    return new, question


def _whole(form: Form, answer: Any) -> list[MessageDraft]:
    return [turn] if (turn := _guarded(lambda: form.read(answer), None)) else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text for part in content or () if isinstance(text := _of(part, "text"), str))


def _of(value: Any, name: str) -> Any:
    """Return a field of an object or a mapping; None where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _plain(value: Any) -> Any:
    """Return the JSON of an object of a client."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _answer(text: str, calls: list[Json]) -> MessageDraft | None:
    if calls:
        return MessageDraft(role="assistant", content={"content": text or None, "tool_calls": calls})
    return MessageDraft(role="assistant", content=text) if text else None


def _call(id_: Any, name: Any, arguments: Any) -> Json:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": given}}


class Reader:
    """Puts the parts of a stream together."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: dict[Any, Json] = {}

    def take(self, part: Any) -> None:
        """Take the next part."""
        raise NotImplementedError

    def whole(self) -> MessageDraft | None:
        """Return what the model has answered so far; None for nothing."""
        return _answer(self.text, list(self.calls.values()))


class Form:
    """A wire format: what a call says, how a block joins it, and what an answer says."""

    reader: type[Reader]

    def turns(self, fields: Json) -> list[MessageDraft]:
        """Return the turns of a call, in order."""
        raise NotImplementedError

    def with_known(self, fields: Json, known: str) -> Json:
        """Return the call with what is known in the system's text, behind what a model may have cached of it."""
        raise NotImplementedError

    def read(self, answer: Any) -> MessageDraft | None:
        """Return what a whole answer says; None for nothing."""
        raise NotImplementedError


class ChatReader(Reader):
    """Chunks of chat completions."""

    def take(self, part: Any) -> None:
        for choice in (_of(part, "choices") or ())[:1]:
            delta = _of(choice, "delta")
            self.text += _of(delta, "content") or ""
            for one in _of(delta, "tool_calls") or ():
                function = _of(one, "function")
                call = self.calls.setdefault(_of(one, "index"), _call(_of(one, "id"), _of(function, "name"), ""))
                call["function"]["arguments"] += _of(function, "arguments") or ""


class Chat(Form):
    """OpenAI's chat completions, which litellm speaks as well."""

    reader = ChatReader

    def turns(self, fields: Json) -> list[MessageDraft]:
        return [_turn(_plain(message)) for message in fields["messages"]]

    def with_known(self, fields: Json, known: str) -> Json:
        messages = list(fields["messages"])
        leads = (at for at, one in enumerate(messages) if _of(one, "role") not in ("system", "developer"))
        messages.insert(next(leads, len(messages)), {"role": "system", "content": known})
        return fields | {"messages": messages}

    def read(self, answer: Any) -> MessageDraft | None:
        message = _of(_of(answer, "choices")[0], "message")
        return _answer(_of(message, "content") or "", [_plain(one) for one in _of(message, "tool_calls") or ()])


def _turn(message: Json) -> MessageDraft:
    given = message["role"]
    role: Role = "system" if given == "developer" else "tool" if given == "function" else given
    turn = MessageDraft(role=role, content=message.get("content") or "")
    if message.get("tool_call_id"):
        turn["tool_call_id"] = message["tool_call_id"]
    return turn


class ResponsesReader(Reader):
    """Events of responses; the last one has it all."""

    def take(self, part: Any) -> None:
        if _of(part, "type") == "response.output_text.delta":
            self.text += _of(part, "delta") or ""
        elif _of(part, "type") == "response.completed":
            self.text, calls = _response_parts(_of(part, "response"))
            self.calls = dict(enumerate(calls))


class Responses(Form):
    """OpenAI's responses."""

    reader = ResponsesReader

    def turns(self, fields: Json) -> list[MessageDraft]:
        given = fields["input"]
        if isinstance(given, str):
            return [MessageDraft(role="user", content=given)]
        found: list[MessageDraft] = []
        for item in map(_plain, given):
            if "role" in item:
                found.append(_turn(item))
            elif item.get("type") == "function_call_output":
                found.append(MessageDraft(role="tool", content=item["output"], tool_call_id=item["call_id"]))
            elif item.get("type") == "function_call":
                found.append(MessageDraft(role="assistant", content=""))
        return found

    def with_known(self, fields: Json, known: str) -> Json:
        given = fields.get("instructions")
        return fields | {"instructions": f"{given}\n\n{known}" if isinstance(given, str) and given else known}

    def read(self, answer: Any) -> MessageDraft | None:
        return _answer(*_response_parts(answer))


def _response_parts(response: Any) -> tuple[str, list[Json]]:
    items = _of(response, "output") or ()
    text = "\n".join(_text(_of(one, "content")) for one in items if _of(one, "type") == "message")
    calls = [one for one in items if _of(one, "type") == "function_call"]
    return text, [_call(_of(one, "call_id"), _of(one, "name"), _of(one, "arguments")) for one in calls]


class MessagesReader(Reader):
    """Events of messages."""

    def take(self, part: Any) -> None:
        block, delta = _of(part, "content_block"), _of(part, "delta")
        if _of(part, "type") == "content_block_start" and _of(block, "type") == "tool_use":
            self.calls[_of(part, "index")] = _call(_of(block, "id"), _of(block, "name"), "")
        elif _of(delta, "type") == "text_delta":
            self.text += _of(delta, "text") or ""
        elif _of(delta, "type") == "input_json_delta":
            self.calls[_of(part, "index")]["function"]["arguments"] += _of(delta, "partial_json") or ""


class Messages(Form):
    """Anthropic's messages."""

    reader = MessagesReader

    def turns(self, fields: Json) -> list[MessageDraft]:
        return [turn for message in fields["messages"] for turn in _message_turns(_plain(message))]

    def with_known(self, fields: Json, known: str) -> Json:
        given = fields.get("system")
        blocks = [{"type": "text", "text": given}] if isinstance(given, str) and given else list(given or ())
        return fields | {"system": [*blocks, {"type": "text", "text": known}]}

    def read(self, answer: Any) -> MessageDraft | None:
        blocks = _of(answer, "content") or ()
        uses = [one for one in blocks if _of(one, "type") == "tool_use"]
        texts = [_of(one, "text") for one in blocks if _of(one, "type") == "text"]
        return _answer("\n".join(texts), [_call(_of(one, "id"), _of(one, "name"), _of(one, "input")) for one in uses])


def _message_turns(message: Json) -> Iterator[MessageDraft]:
    """Yield the turns of one message: what a tool answered is one of its own."""
    if isinstance(message["content"], str):
        yield MessageDraft(role=message["role"], content=message["content"])
        return
    blocks = [_plain(one) for one in message["content"]]
    for one in blocks:
        if one.get("type") == "tool_result":
            content = _text(one.get("content")) or json.dumps(one.get("content"))
            yield MessageDraft(role="tool", content=content, tool_call_id=one["tool_use_id"])
    said = _text([one for one in blocks if one.get("type") == "text"])
    if said or message["role"] == "assistant":
        yield MessageDraft(role=message["role"], content=said)


class _Stream:
    """A stream, blocking or awaited, which is kept as a whole once it has ended or is closed."""

    def __init__(self, stream: Any, reader: Reader, said: list[MessageDraft], memory: _Memory) -> None:
        self._stream = stream
        self._reader = reader
        self._memory = memory
        self._said = said

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _take(self, part: Any) -> Any:
        _guarded(lambda: self._reader.take(part), None)
        return part

    def _begin_to_keep(self) -> Future[bool] | None:
        """Return None where it is kept already, or nothing is to be."""
        said, self._said = self._said, []
        whole = self._reader.whole()
        return self._memory.keep([*said, *([whole] if whole else [])]) if said else None

    def _keep(self) -> None:
        if (work := self._begin_to_keep()) is not None:
            self._memory.outcome(work, KEPT, False)

    async def _keep_awaited(self) -> None:
        if (work := self._begin_to_keep()) is not None:
            await self._memory.awaited(work, KEPT, False)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._take(next(self._stream))
        except StopIteration:
            self._keep()
            raise

    def close(self) -> Any:
        """Close it, to be awaited where the stream is; what came until then is the answer."""
        if inspect.iscoroutinefunction(self._stream.close):
            return self._close_awaited()
        self._keep()
        return self._stream.close()

    async def _close_awaited(self) -> None:
        await self._keep_awaited()
        await self._stream.close()

    def __enter__(self) -> _Stream:
        self._stream.__enter__()
        return self

    def __exit__(self, *raised: Any) -> Any:
        self._keep()
        return self._stream.__exit__(*raised)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return self._take(await anext(self._stream))
        except StopAsyncIteration:
            await self._keep_awaited()
            raise

    async def __aenter__(self) -> _Stream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        await self._keep_awaited()
        return await self._stream.__aexit__(*raised)


FORMS: dict[str, Form] = {
    "chat.completions.create": Chat(),
    "responses.create": Responses(),
    "messages.create": Messages(),
    "completion": Chat(),
    "acompletion": Chat(),
}
"""The methods with a memory."""
