"""The worst request that each way in allows: as large as its bounds let it be, and of what costs most per byte.

Used by the tests of the event loop and by the benchmark of tenants beside them. A ``path`` may name ``{memory}``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from service.domain.field_types import CONTENT_MAX, MESSAGE_MAX, QUERY_MAX
from service.domain.workspace import INSTRUCTIONS_MAX

BODY_BYTES = 1_048_576
"""The default bound on a body (``body_bytes_max``)."""
ROOM = 2_000
"""Left of it for the other fields."""
AGENT = "worst"
CHAT = "/v1/chat/completions"

PROSE = (
    "On 14 March Anna Berger flew from Berlin to Lisbon, where she signs ticket ABC-1234 for build 7.4.2 at "
    "https://example.com/orders/99?id=7. Why does she not like trains? Nobody knows. "
)
CHINESE = "我们昨天在北京的办公室讨论了新的项目计划。她喜欢喝茶,不喜欢咖啡,为什么?"
DOTS = ". "
PHONES = "Call me at +49 30 901820 or (415) 555-2671, not at 467-3395. "
ADDRESSES = "a.b@c.example 10.0.0.1 DE89 3704 0044 0532 0130 00 "
ALTERNATIVES = [*({"const": n} for n in range(230)), {"type": "integer"}, {"type": "string", "maxLength": 9}]
SCHEMA_TYPES = {"odd": {"metadata_schema": {"additionalProperties": {"items": {"anyOf": ALTERNATIVES}}}}}
"""A type with as many alternatives as a schema has room for."""


@dataclass(frozen=True, slots=True)
class Worst:
    """One request: ``statuses`` are those that it may be answered with."""

    name: str
    path: str
    body: bytes
    method: str = "POST"
    statuses: tuple[int, ...] = (200, 201)
    headers: dict[str, str] = field(default_factory=dict)


def worst_requests() -> list[Worst]:
    """All of them: saves first, as searches and folds work on what these have saved."""
    return [
        *_saves(),
        *_schemas(),
        *_appends(),
        *_documents(),
        *_changes(),
        *_reads(),
        *_refused(),
        *_imports(),
        *_others(),
    ]


def _saves() -> list[Worst]:
    save, batch = "/v1/memories", "/v1/memories/batch"
    metadata = {"metadata": {"notes": long_text(PROSE, BODY_BYTES - CONTENT_MAX - ROOM)}}
    return [
        Worst("save: long metadata", save, _memory(long_text(PROSE, CONTENT_MAX), **metadata)),
        Worst(
            "save: metadata of 9,000 values",
            save,
            _memory("Has many values.", metadata={f"phone {n}": f"+49 30 90{n:04}" for n in range(9_000)}),
        ),
        Worst("batch: 1,000 Chinese texts", batch, _batch(CHINESE, 1_000)),
        Worst("batch: 1,000 texts of dots", batch, _batch(DOTS, 1_000)),
        Worst("batch: 120 long texts", batch, _batch(PROSE, 120)),
        Worst(
            "batch under an idempotency key",
            batch,
            _batch(ADDRESSES, 1_000),
            headers={"Idempotency-Key": "worst-batch"},
        ),
    ]


def _schemas() -> list[Worst]:
    """Metadata that meet all alternatives of a type."""
    fits, too_long = {"numbers": [3_000] * 50}, {"texts": ["x" * 900_000]}
    items = [{"agent": AGENT, "type": "odd", "content": f"{n}", "metadata": fits} for n in range(120)]
    save, batch = "/v1/memories", "/v1/memories/batch"
    return [
        Worst("settings with a schema", "/v1/settings", orjson.dumps({"memory_types": SCHEMA_TYPES}), "PUT"),
        Worst("batch: 30 items against a schema", batch, orjson.dumps({"items": items[:30]})),
        Worst("batch: 120 items against a schema", batch, orjson.dumps({"items": items}), statuses=(422,)),
        Worst("save that fits no schema", save, _memory("x", type="odd", metadata=too_long), statuses=(422,)),
    ]


def _appends() -> list[Worst]:
    many = [{"role": "user", "content": f"{n} {long_text(PHONES, 900)}"} for n in range(1_000)]
    long = [{"role": "user", "content": f"{n} {long_text(PROSE, MESSAGE_MAX - 10)}"} for n in range(5)]
    parts = [{"type": "text", "text": long_text(CHINESE, 30)} for _ in range(3_000)]
    return [
        Worst("append: 1,000 messages with telephone numbers", _session("phones"), _messages(many)),
        Worst("append: five messages of 200,000 characters", _session("long"), _messages(long)),
        Worst("append: content in 3,000 parts", _session("parts"), _messages([{"role": "user", "content": parts}])),
    ]


def _documents() -> list[Worst]:
    prose = "# Minutes\n\n" + "\n\n".join(long_text(PROSE, 600) for _ in range(1_700))
    return [
        Worst("document: prose", "/v1/documents", _document(prose)),
        Worst("document: one word", "/v1/documents", _document("x" * (BODY_BYTES - ROOM))),
        Worst("document: Chinese", "/v1/documents", _document(long_text(CHINESE, (BODY_BYTES - ROOM) // 3))),
    ]


def _changes() -> list[Worst]:
    notes = long_text(PROSE, BODY_BYTES - CONTENT_MAX - ROOM)
    return [
        Worst(
            "patch of a memory",
            "/v1/memories/{memory}",
            orjson.dumps(
                {"version": 1, "content": long_text(CHINESE, CONTENT_MAX), "metadata": {"notes": notes[:900_000]}}
            ),
            "PATCH",
        ),
        Worst(
            "settings of an agent",
            f"/v1/agents/{AGENT}",
            orjson.dumps({"settings": {"instructions": notes[:INSTRUCTIONS_MAX]}}),
            "PUT",
        ),
        Worst(
            "members of a task",
            "/v1/tasks/worst",
            orjson.dumps({"members": [long_text(f"{n} ", 200) for n in range(1_000)]}),
            "PUT",
        ),
    ]


def _reads() -> list[Worst]:
    query = long_text(CHINESE, QUERY_MAX)
    tools = [long_text(PROSE, BODY_BYTES // 10 - ROOM) for _ in range(9)]
    return [
        Worst(
            "search with a long filter",
            "/v1/memories/search",
            orjson.dumps({"agent": AGENT, "query": query, "limit": 100, "metadata": {"notes": tools}}),
        ),
        Worst("preview", "/v1/memories/search/preview", orjson.dumps({"agent": AGENT, "query": query, "limit": 100})),
        Worst(
            "context with tool results",
            "/v1/context",
            orjson.dumps(
                {"agent": AGENT, "session": "phones", "message": query, "tool_results": tools, "max_tokens": 16_000}
            ),
        ),
        Worst("extract: prose", "/v1/extract", orjson.dumps({"agent": AGENT, "text": long_text(PROSE, 100_000)})),
        Worst(
            "extract: prompts",
            "/v1/extract",
            orjson.dumps({"agent": AGENT, "text": long_text(CHINESE, 100_000), "prompts": True}),
        ),
        Worst("ask", "/v1/ask", orjson.dumps({"agent": AGENT, "question": long_text(PROSE, 2_000)})),
        Worst("fold of 200 memories", "/v1/summarize", orjson.dumps({"agent": AGENT, "older_than_days": 0})),
        Worst("history of long messages", f"/v1/sessions/long/messages?agent={AGENT}&limit=200", b"", "GET"),
        Worst("compaction of a window", f"/v1/sessions/long/compact?agent={AGENT}", b""),
    ]


def _refused() -> list[Worst]:
    many = {f"u{n}": n for n in range(60_000)}
    items = [{"type": "fact", "content": "x"} | {f"unknown{n}": n for n in range(55)} for _ in range(1_000)]
    return [
        Worst("save with 60,000 unknown fields", "/v1/memories", _memory("x", **many), statuses=(422,)),
        Worst(
            "batch with 55,000 unknown fields", "/v1/memories/batch", orjson.dumps({"items": items}), statuses=(422,)
        ),
        Worst("search with 60,000 unknown fields", "/v1/memories/search", orjson.dumps(many), statuses=(422,)),
        Worst("a body of half a million lists", "/v1/memories", b"[" + b"[]," * 349_000 + b"[]]", statuses=(422,)),
    ]


def _imports() -> list[Worst]:
    messages = (
        {"record": "message", "agent": AGENT, "id": str(UUID(int=n + 1)), "session": "imported", "role": "user"}
        | {"content": f"{n} {long_text(PHONES, 2_000)}"}
        for n in range(300)
    )
    memories = (
        {"record": "memory", "agent": AGENT, "type": "fact", "content": f"{n} {long_text(CHINESE, 2_000)}"}
        for n in range(100)
    )
    document = {"record": "document", "agent": AGENT, "id": str(UUID(int=1)), "title": "Import"}
    documents = [document | {"text": long_text(PROSE, 2_000_000)}]
    lines = itertools.chain(messages, memories, documents)
    return [Worst("import", "/v1/import", b"\n".join(map(orjson.dumps, lines)))]


def _others() -> list[Worst]:
    arguments = {
        "content": long_text(PROSE, CONTENT_MAX),
        "type": "fact",
        "user": long_text("u", BODY_BYTES - 3 * ROOM - CONTENT_MAX),
    }
    call = {"name": "memory_save", "arguments": arguments}
    turns = [
        {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} {long_text(PHONES, 100_000)}"}
        for n in range(51)
    ]
    turns.append({"role": "user", "content": [{"type": "text", "text": long_text(CHINESE, 1_000)} for _ in range(300)]})
    return [
        Worst(
            "MCP call",
            "/mcp",
            orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
            headers={"Accept": "application/json, text/event-stream", "X-Reverie-Agent": AGENT},
        ),
        Worst(
            "completion through the proxy",
            CHAT,
            orjson.dumps({"model": "m", "messages": turns}),
            headers={"X-Reverie-Agent": AGENT},
        ),
        Worst(
            "response through the proxy",
            "/v1/responses",
            orjson.dumps({"model": "m", "input": turns, "instructions": long_text(PHONES, 100_000)}),
            headers={"X-Reverie-Agent": AGENT},
        ),
        Worst(
            "message through the proxy",
            "/v1/messages",
            orjson.dumps({"model": "claude-x", "max_tokens": 9, "messages": turns, "system": []}),
            headers={"X-Reverie-Agent": AGENT},
        ),
        Worst("export", "/v1/export", b"", "GET"),
    ]


def long_text(text: str, characters: int) -> str:
    """A text repeated to so many characters."""
    return (text * (characters // len(text) + 1))[:characters].strip()


def _memory(content: str, **fields: Any) -> bytes:
    return orjson.dumps({"agent": AGENT, "type": "fact", "content": content} | fields)


def _batch(text: str, count: int) -> bytes:
    """So many memories of that text, each another one, together as long as a body may be."""
    size = min(CONTENT_MAX - 10, (BODY_BYTES // count - 110) * len(text) // len(text.encode()))
    items = [
        {"agent": AGENT, "type": "fact", "importance": 0.3, "content": f"{n} {long_text(text, size)}"}
        for n in range(count)
    ]
    return orjson.dumps({"items": items})


def _messages(messages: Sequence[dict[str, Any]]) -> bytes:
    return orjson.dumps({"agent": AGENT, "user": "u", "messages": messages})


def _session(name: str) -> str:
    return f"/v1/sessions/{name}/messages"


def _document(text: str) -> bytes:
    return orjson.dumps({"agent": AGENT, "title": "The worst", "text": text[: BODY_BYTES - ROOM]})
