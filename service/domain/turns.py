"""One reading of turns, whatever wire format they come in; everything else knows only what this makes of them.

Read are messages of OpenAI (Chat Completions, Responses, Assistants), Anthropic, Google, Amazon Bedrock, Cohere,
Ollama, LangChain, LlamaIndex, Vercel's AI SDK, MCP and mem0. The content of a message is stored as it was said; its
parts are read from it: text, images, files, tool calls, tool results and what a model thinks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.word_lists import word_set

Kind = Literal["text", "image", "file", "tool_call", "tool_result", "thinking", "unknown", "none"]

MEDIA_TOKENS: Final = 1_500
"""Of an image, a sound or a file, whatever its size: about what a model takes for an image of 1024 × 1024."""

DEPTH_MAX: Final = 40
"""Levels of nesting that are gone through: more than a message of any format has."""

ROLES: Final[Mapping[str, str]] = {
    "system": "system", "developer": "system",
    "user": "user", "human": "user",
    "assistant": "assistant", "model": "assistant", "ai": "assistant", "bot": "assistant", "chatbot": "assistant",
    "gpt": "assistant",
    "tool": "tool", "function": "tool", "toolresult": "tool",
}  # fmt: skip
"""By the role in any format, in lower case."""

_WORDS: Final[Mapping[Kind, str]] = {
    "text": "text inputtext outputtext summarytext textcontent textpart markdown refusal",
    "image": "image imageurl inputimage imagefile imagecontent imageassetpointer imageblock",
    "file": """
            file inputfile document documenturl audio inputaudio audiourl audiocontent video inputvideo videourl media
            inlinedata filedata resource resourcelink embeddedresource sourceurl sourcedocument containerupload
            searchresult""",
    "thinking": "thinking redactedthinking reasoning reasoningcontent thought",
    "tool_call": """
            tooluse servertooluse mcptooluse function functioncall toolcall toolinvocation dynamictool executablecode
            mcpapprovalrequest""",
    "tool_result": "toolresult toolreturn toolresponse functionresponse codeexecutionresult",
    "none": "stepstart stepfinish cachepoint mcpapprovalresponse itemreference",
}
_KINDS: Final[Mapping[str, Kind]] = {name: kind for kind, names in _WORDS.items() for name in word_set(names)}
"""By the ``type`` of a part, or where it has none by its only key, both in small letters alone."""
_ENDINGS: Final[tuple[tuple[str, Kind], ...]] = (
    ("toolresult", "tool_result"), ("calloutput", "tool_result"), ("call", "tool_call"),
)  # fmt: skip
_TYPES: Final = ("type", "block_type", "part_kind", "content_type")
_BESIDE_TEXT: Final = word_set("text thought thoughtSignature thought_signature videoMetadata")
"""Keys of a part of Google's or Bedrock's that is text: they have no ``type``."""
_CONTENTS: Final = ("parts", "content", "blocks", "message", "text", "value")
"""Where a message has what it says; the first that is there."""
_CALLS: Final = ("tool_calls", "toolCalls", "toolInvocations")
_CALL_IDS: Final = ("call_id", "toolCallId", "tool_call_id", "toolUseId", "id")
_RESULT_IDS: Final = ("tool_use_id", "call_id", "toolCallId", "tool_call_id", "toolUseId", "id")
_NAMES: Final = ("name", "toolName", "tool_name")
_ARGUMENTS: Final = ("arguments", "input", "args", "parameters", "action")
_RESULTS: Final = ("content", "output", "result", "response")
_NOT_LETTERS: Final = re.compile("[^a-z]+")
_INLINE_NAMES: Final = word_set("data file_data")
_INLINE_MAX: Final = 2_000
"""Characters of what is kept of it; a longer one is left out of a copy."""
_INLINE_HEAD: Final = 200
ELIDED: Final = "(not kept)"


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a turn: ``said`` as it was given, with its words if it is text. A tool call has an ``id``, a ``name`` and
    its arguments as ``value``, a tool result the same with what the tool answered."""

    kind: Kind
    said: JsonValue
    text: str = ""
    id: str | None = None
    name: str | None = None
    value: JsonValue = None


def parts_of(content: JsonValue, depth: int = 0) -> list[Part]:
    """Return the parts of a content, in order; of JSON in no known form one that is ``unknown``."""
    if isinstance(content, str):
        return [Part("text", content, content)] if content else []
    if isinstance(content, list) and depth < DEPTH_MAX:
        return [part for one in content for part in parts_of(one, depth + 1)]
    if not isinstance(content, dict) or depth == DEPTH_MAX:
        return [] if content is None else [Part("unknown", content)]
    if (kind := _kind_of(content)) is not None:
        return list(_read(kind, content))
    calls = [part for name in _CALLS for part in _calls(content.get(name))]
    inner = next((content[name] for name in ("parts", "content") if name in content), None)
    if calls or isinstance(content.get("parts"), list) or content.keys() == {"content"}:
        return [*parts_of(inner, depth + 1), *calls]
    return [Part("unknown", content)]


def words_of(content: JsonValue, depth: int = 0) -> str:
    """Return the words of a content: what is text in it, a line each; empty where it has none."""
    if isinstance(content, dict) and all(part.kind == "unknown" for part in parts_of(content)):
        inner = content.get("content") or content.get("text") or ""
        return words_of(inner, depth + 1) if depth < DEPTH_MAX else ""
    return "\n".join(part.text for part in parts_of(content) if part.kind == "text" and part.text)


def text_of(content: JsonValue) -> str:
    """Return a content as text: its words; the JSON of what has none and is no image, file or thought."""
    if isinstance(content, str):
        return content
    parts = parts_of(content)
    if any(part.kind == "text" for part in parts):
        return words_of(content)
    written = isinstance(content, dict | list) and parts and not {part.kind for part in parts} & _WORDLESS
    if written or not isinstance(content, dict | list):
        return dumps(without_inline(content)).decode()
    return ""


_WORDLESS: Final = frozenset({"image", "file", "thinking"})


def tokens_of(value: JsonValue, count: Callable[[str], int]) -> int:
    """Return how many tokens a content, or all of a prompt, takes: text by ``count``, each image and file the same."""
    media: list[JsonValue] = []
    rest = _without_media(value, media)
    text = rest if isinstance(rest, str) else dumps(rest).decode() if rest else ""
    return count(text) + MEDIA_TOKENS * len(media) if text else MEDIA_TOKENS * len(media)


def _without_media(value: JsonValue, media: list[JsonValue], depth: int = 0) -> JsonValue:
    """Return a value with text parts as their text, and without its images and files, which ``media`` gets."""
    if isinstance(value, str):
        if not _is_inline("", value):
            return value
        media.append(value)
        return ""
    if depth == DEPTH_MAX:
        return " ".join(_strings(value))
    if isinstance(value, list):
        kept = [_without_media(one, media, depth + 1) for one in value]
        texts = [one for one in kept if isinstance(one, str)]
        return "\n".join(texts) if len(texts) == len(kept) else kept
    if not isinstance(value, dict):
        return value
    kind = _kind_of(value)
    if kind in ("image", "file"):
        media.append(value)
        return ""
    if kind == "text" and (text := _text(value)):
        return text
    return {name: _without_media(one, media, depth + 1) for name, one in value.items()}


def _strings(value: JsonValue) -> Iterator[str]:
    """Yield the texts in a value that is nested too deeply to be gone through by calls."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting.extend(one.values() if isinstance(one, dict) else one)


def without_inline(value: JsonValue, depth: int = 0) -> JsonValue:
    """Return a content without images, sounds and files that stand in it, each replaced by a note."""
    if isinstance(value, list) and depth < DEPTH_MAX:
        return [without_inline(one, depth + 1) for one in value]
    if not isinstance(value, dict) or depth == DEPTH_MAX:
        return value
    return {
        name: ELIDED if _is_inline(name, one) and len(str(one)) > _INLINE_MAX else without_inline(one, depth + 1)
        for name, one in value.items()
    }


def _is_inline(name: str, value: JsonValue) -> bool:
    """Return whether a value is an image, a sound or a file that stands in the JSON itself."""
    if not isinstance(value, str):
        return False
    return name in _INLINE_NAMES or (value.startswith("data:") and ";base64," in value[:_INLINE_HEAD])


def plain(content: JsonValue, joint: str = "\n") -> JsonValue:
    """Return a content as one text where all of it is text, else its parts without the marks of a cache, which move."""
    if not isinstance(content, list):
        return "" if content is None else content
    parts = parts_of(content)
    if all(part.kind == "text" for part in parts):
        return joint.join(part.text for part in parts)
    return [
        {name: value for name, value in one.items() if name != "cache_control"} if isinstance(one, dict) else one
        for one in content
    ]


def tool_call(id_: object, name: object, arguments: JsonValue) -> JsonObject:
    """Return a call of a tool as chat completions write it."""
    written = arguments if isinstance(arguments, str) else dumps({} if arguments is None else arguments).decode()
    named = {"name": name} if isinstance(name, str) and name else {}
    identified = {"id": id_} if isinstance(id_, str) and id_ else {}
    return {"type": "function", "function": {**named, "arguments": written}, **identified}


def normal_fields(raw: Mapping[str, JsonValue]) -> tuple[JsonObject, list[str]]:
    """Return a message of any format as ``role``, ``content``, ``name``, ``tool_call_id`` and ``created_at``, as far as
    it has them, and what of it is not read: types of parts, and names of fields. A role that is none stays as it is.
    """
    said = _unwrapped(raw)
    kind = _kind_of(said) if "role" not in said and said.get("type") != "message" else None
    if kind not in (None, "text", "none") and str(said.get("type")).lower() not in ROLES:
        return _item(said, kind), []
    where = next((name for name in _CONTENTS if said.get(name) not in (None, "", [])), None)
    where = where or next((name for name in _CONTENTS if name in said), None)
    content = said.get(where) if where else None
    calls = [
        tool_call(part.id, part.name, part.value)
        for name in (*_CALLS, "function_call")
        for part in _calls(said.get(name))
    ]
    taken = {where, "role", "type", "sender", "author", "from", *_CALLS, "function_call", "toolCallId", "createdAt"}
    content, more = _with_beside(said, content)
    fields: JsonObject = {"role": _role(said)} if _role(said) is not None else {}
    if calls:
        fields["content"] = {"content": content or None, "tool_calls": calls}
    elif where or more:
        fields["content"] = "" if content is None else content
    for name, others in (("name", ()), ("tool_call_id", ("toolCallId",)), ("created_at", ("createdAt",))):
        given = next((said[other] for other in (name, *others) if said.get(other) is not None), None)
        if given is not None:
            fields[name] = given
    words = words_of(content)
    skipped = [
        name for name, value in said.items()
        if name not in {*taken, *more, *fields} and value not in (None, "", [], {}, False)
        and not (name in _CONTENTS and words_of(value) in words)
    ]  # fmt: skip
    return fields, [*_unknown(content), *skipped]


def _unknown(content: JsonValue) -> Iterator[str]:
    """Yield the types of the parts of a list that are in no known form."""
    for part in parts_of(content) if isinstance(content, list) else ():
        if part.kind == "unknown":
            said = part.said if isinstance(part.said, dict) else {}
            yield next((str(said[name]) for name in _TYPES if said.get(name)), next(iter(said), "part"))


def _with_beside(said: JsonObject, content: JsonValue) -> tuple[JsonValue, set[str]]:
    """Return a content with what some formats have beside it, and the names of the fields that were read: a refusal or
    the transcript of a spoken answer in place of text, images and attachments after it."""
    read: set[str] = set()
    audio = said.get("audio")
    spoken = audio.get("transcript") if isinstance(audio, dict) else None
    for name, text in (("refusal", said.get("refusal")), ("audio", spoken)):
        if isinstance(text, str) and text and not content:
            content = text
            read.add(name)
    for name, kind in (("images", "image"), ("experimental_attachments", "file"), ("attachments", "file")):
        media = said.get(name)
        if isinstance(media, list) and media:
            text = {"type": "text", "text": content} if isinstance(content, str) else content
            before = content if isinstance(content, list) else [text] if content else []
            content = [*before, *({"type": kind, **(one if isinstance(one, dict) else {"data": one})} for one in media)]
            read.add(name)
    return content, read


def _item(said: JsonObject, kind: Kind | None) -> JsonObject:
    """Return an item that is no message, but a call, a result or a thought, as a message."""
    part = next(_read(kind or "unknown", said))
    if kind == "tool_result":
        return _answered(part)
    if kind == "tool_call" and part.name:
        return {
            "role": "assistant",
            "content": {"content": None, "tool_calls": [tool_call(part.id, part.name, part.value)]},
        }
    return {"role": "assistant" if kind in ("tool_call", "thinking") else "user", "content": [said]}


def split(fields: JsonObject) -> list[JsonObject]:
    """Return a message in normal form as one or more: what tools answered is the tools', whoever sent it."""
    parts = parts_of(fields.get("content")) if isinstance(fields.get("content"), list) else []
    if not any(part.kind == "tool_result" for part in parts):
        return [fields]
    messages: list[JsonObject] = []
    rest = {name: value for name, value in fields.items() if name not in ("role", "content", "tool_call_id", "name")}
    for is_result, run in groupby(parts, lambda part: part.kind == "tool_result"):
        said = list(run)
        if is_result:
            messages += [_answered(one) | rest for one in said]
        elif any(part.kind not in ("none", "text") or part.text for part in said):
            role = "assistant" if fields["role"] == "tool" else fields["role"]
            messages.append(fields | {"role": role, "content": [part.said for part in said]})
    return messages


def _answered(part: Part) -> JsonObject:
    """Return what a tool answered as a message."""
    named = {"tool_call_id": part.id, "name": part.name}
    return {"role": "tool", "content": plain(part.value)} | {
        name: one for name, one in named.items() if one is not None
    }


def chat_messages(raw: Mapping[str, JsonValue]) -> list[JsonObject]:
    """Return a message of any format as chat completions write it, without what a model thinks. An item that is no
    message is the model's, and one that only marks a place none."""
    if "role" not in raw and _kind_of(raw) == "none":
        return []
    return [_as_chat({"role": "assistant", "content": None, **fields}) for fields in split(normal_fields(raw)[0])]


def _as_chat(fields: JsonObject) -> JsonObject:
    content = fields["content"]
    calls = content.get("tool_calls") if isinstance(content, dict) else None
    said = content["content"] if calls else content
    if fields["role"] != "assistant":
        return fields | {"content": plain(said)}
    parts = parts_of(said) if isinstance(said, list) else []
    calls = [*(calls or []), *(tool_call(one.id, one.name, one.value) for one in parts if one.kind == "tool_call")]
    said = [one.said for one in parts if one.kind not in ("tool_call", "thinking", "none")] if parts else said
    return fields | {"content": plain(said, "") or None} | ({"tool_calls": calls} if calls else {})


def _unwrapped(raw: Mapping[str, JsonValue]) -> JsonObject:
    """Return a message out of the envelope that LangChain writes around it."""
    inner = raw.get("data") or raw.get("kwargs")
    if not isinstance(inner, dict) or "role" in raw or "content" in raw or not ("type" in raw or "lc" in raw):
        return dict(raw)
    named = raw["id"][-1] if isinstance(raw.get("id"), list) and raw["id"] else raw.get("type")
    kept = {name: raw[name] for name in raw if name not in ("data", "kwargs", "id", "lc", "type")}
    return kept | inner | {"type": inner.get("type") or named}


def _role(said: Mapping[str, JsonValue]) -> object:
    """Return the role of a message; as it is where it is none, None where it has none."""
    author = said.get("author")
    named = author.get("role") if isinstance(author, dict) else None
    given = next((said[name] for name in ("role", "sender", "from", "type") if said.get(name)), None) or named
    if not isinstance(given, str):
        return given
    name = _NOT_LETTERS.sub("", given.lower())
    return ROLES.get(name) or ROLES.get(name.removesuffix("chunk").removesuffix("message")) or given


def _kind_of(part: Mapping[str, JsonValue]) -> Kind | None:
    """Return what a part is; None for what is no part of any format, or of a type that is not known."""
    named = next((part[name] for name in _TYPES if isinstance(part.get(name), str)), None)
    if isinstance(part.get("parts"), list):
        return None
    if named is None:
        if isinstance(part.get("text"), str) and part.keys() <= _BESIDE_TEXT:
            return "thinking" if part.get("thought") is True else "text"
        keys = [_KINDS.get(_NOT_LETTERS.sub("", key.lower())) for key, value in part.items() if isinstance(value, dict)]
        return next((kind for kind in keys if kind not in (None, "text")), None) if len(part) <= 2 else None
    if named.startswith("tool-") and "toolCallId" in part and named not in ("tool-call", "tool-result"):
        return "tool_call"
    name = _NOT_LETTERS.sub("", named.lower())
    return _KINDS.get(name) or next((kind for end, kind in _ENDINGS if name.endswith(end)), None)


def _read(kind: Kind, part: JsonObject) -> Iterator[Part]:
    if kind == "text":
        yield Part(kind, part, _text(part))
    elif kind == "tool_call":
        yield from _calls([part])
    elif kind == "tool_result":
        fields = _inner(part)
        value = _first(fields, _RESULTS)
        if isinstance(value, dict) and "value" in value and value.keys() <= {"type", "value", "providerOptions"}:
            value = value["value"]
        yield Part(kind, part, id=_text_in(fields, _RESULT_IDS), name=_text_in(fields, _NAMES), value=value)
    else:
        yield Part(kind, part)


def _calls(given: JsonValue) -> Iterator[Part]:
    """Yield the calls among these, each with its result where it has it beside it, as the AI SDK writes them."""
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            continue
        fields = _inner(one)
        function = fields.get("function")
        of_call = {**fields, **function} if isinstance(function, dict) else fields
        id_, name = _text_in(fields, _CALL_IDS), _text_in(of_call, _NAMES)
        kind = str(one.get("type", ""))
        if name is None and kind.startswith("tool-") and kind not in ("tool-call", "tool-invocation"):
            name = kind.removeprefix("tool-")
        result = _first(fields, ("output", "result"))
        call = one if result is None else {"type": "tool-call", "toolCallId": id_, "toolName": name}
        arguments = _first(of_call, _ARGUMENTS)
        call = call if result is None else call | {"input": arguments}
        yield Part("tool_call", call, id=id_, name=name, value=arguments)
        if result is not None:
            said = {"type": "tool-result", "toolCallId": id_, "toolName": name, "output": result}
            yield Part("tool_result", said, id=id_, name=name, value=result)


def _inner(part: JsonObject) -> JsonObject:
    """Return the fields of a part that has them under its only key, as Google and Bedrock write them."""
    if any(name in part for name in _TYPES) and "toolInvocation" not in part:
        return part
    inner = [value for key, value in part.items() if isinstance(value, dict) and key != "function"]
    return inner[0] if len(inner) == 1 and _kind_of({k: v for k, v in part.items() if k != "type"}) else part


def _text(part: JsonObject) -> str:
    """Return the words of a part that is text."""
    value = _first(part, ("text", "content", "value", "refusal"))
    if isinstance(value, dict):
        value = _first(value, ("value", "text"))
    return value if isinstance(value, str) else ""


def _first(fields: Mapping[str, JsonValue], names: Iterable[str]) -> JsonValue:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _text_in(fields: Mapping[str, JsonValue], names: Iterable[str]) -> str | None:
    found = _first({name: value for name, value in fields.items() if isinstance(value, str) and value}, names)
    return found if isinstance(found, str) else None
