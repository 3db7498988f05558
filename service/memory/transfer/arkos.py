"""Messages of ARKOS' table ``conversation_context``, as CSV with a header line (``COPY … CSV HEADER``) or NDJSON.

Columns: id, user_id, session_id, role, message, created_at. ``message`` is the JSON of a message object with its
``content``, or plain text in older rows; ``created_at`` has no time zone and is taken as UTC.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import AsyncIterator
from uuid import NAMESPACE_URL, uuid5

import orjson

from service.concurrency.executor import FairExecutor
from service.domain.json import JsonObject, JsonValue
from service.errors import InvalidImportLine
from service.memory.transfer.parse import LINE_BYTES_MAX, raw_lines, utc_text

NAMESPACE = uuid5(NAMESPACE_URL, "arkos/conversation_context")
NEEDED = ("user_id", "role", "message")


async def messages(chunks: AsyncIterator[bytes], executor: FairExecutor) -> AsyncIterator[tuple[int, JsonObject]]:
    """Each row as a line of record ``message`` with the number of the line it begins on.

    Rows keep their order within a session; a row without ``session_id`` goes to a session named after its user. The
    id of a message follows from its row, so that reading the table in again adds only what is new. Raises
    InvalidImportLine.
    """
    first = b""
    async for chunk in chunks:
        first += chunk
        if first.strip():
            break
    whole = _with_first(first, chunks)
    rows = raw_lines(whole, executor) if first.lstrip().startswith(b"{") else _csv_rows(whole)
    async for number, row in rows:
        yield number, _message(number, row)


async def _with_first(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


async def _csv_rows(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, JsonObject]]:
    header: list[str] | None = None
    async for number, text in _records(chunks):
        try:
            fields = next(csv.reader([text], strict=True))
        except (csv.Error, StopIteration) as error:
            raise InvalidImportLine(number, (), f"is not CSV: {error}") from None
        if header is None:
            header = fields
            missing = [name for name in NEEDED if name not in header]
            if missing:
                raise InvalidImportLine(number, (), f"the header has no column {', '.join(missing)}")
        elif len(fields) != len(header):
            raise InvalidImportLine(number, (), f"has {len(fields)} fields, not {len(header)}")
        else:
            yield number, dict(zip(header, fields, strict=True))


async def _records(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, str]]:
    """CSV records with the number of the line each begins on; a quoted field may run over several lines."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    rest, record, number, begins = "", "", 0, 1
    async for chunk in chunks:
        *complete, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in complete:
            number += 1
            begins = begins if record else number
            record += line + "\n"
            if record.count('"') % 2 == 0:
                if record.strip():
                    yield begins, record.rstrip("\r\n")
                record = ""
        if len(record) + len(rest) > LINE_BYTES_MAX:
            raise InvalidImportLine(begins, (), f"is longer than {LINE_BYTES_MAX} characters")
    if (record + rest).strip():
        yield (begins if record else number + 1), (record + rest).rstrip("\r\n")


def _message(number: int, row: JsonObject) -> JsonObject:
    for name in NEEDED:
        if not row.get(name):
            raise InvalidImportLine(number, (name,), "must not be empty")
    session = row.get("session_id") or f"user {row['user_id']}"
    content, extra = _content(row["message"])
    row_id = row.get("id")
    key = f"{row_id}" if row_id else f"{row['user_id']}\x1f{session}\x1f{row.get('created_at')}\x1f{row['message']}"
    return {
        "record": "message",
        "id": str(uuid5(NAMESPACE, f"{row['user_id']}\x1f{session}\x1f{key}")),
        "agent": row.get("agent"),
        "session": session,
        "user": row["user_id"],
        "role": row["role"],
        "content": content if extra is None else {"content": content, "tool_calls": extra},
        "created_at": utc_text(row.get("created_at")),
    }


def _content(message: JsonValue) -> tuple[str, JsonValue]:
    """The text and the tool calls of a stored message."""
    try:
        stored = orjson.loads(message) if isinstance(message, str) else message
    except orjson.JSONDecodeError:
        return str(message), None
    if not isinstance(stored, dict) or "content" not in stored:
        return str(message), None
    return stored["content"] or "", stored.get("tool_calls")
