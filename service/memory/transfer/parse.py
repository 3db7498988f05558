"""From the bytes of an import to checked lines, each with its number, kept on disk until all of them are known good.

Read are exports, memories of Mem0 and messages of ARKOS.

Memories of Mem0 are a JSON list, bare or under ``results`` or ``memories``.

Messages of ARKOS' table ``conversation_context`` are CSV with a header line (``COPY … CSV HEADER``) or NDJSON. Columns:
id, user_id, session_id, role, message, created_at. ``message`` is the JSON of a message object with its ``content``, or
plain text in older rows; ``created_at`` has no time zone and is taken as UTC.
"""

from __future__ import annotations

import codecs
import csv
import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import IO, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

import ijson
import orjson
from pydantic import BaseModel, ValidationError

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.domain.export_lines import LINES, RECORDS
from service.domain.field_types import JSON_DEPTH_MAX
from service.domain.json import JsonObject, JsonValue, dumps
from service.domain.own_types import NO_TYPES, known_as
from service.domain.validation import reason_of
from service.domain.workspace import without_former
from service.errors import InvalidImportLine, TooLarge

LINE_BYTES_MAX = 32 * 1024 * 1024
"""Room for the largest document."""
BATCH_BYTES_MAX = 8 * 1024 * 1024
IMPORT_BYTES_MAX = 16 * 1024**3
FRAME = ("export", "end")
"""The first and the last line of an export: they say what is between them and are not read in themselves."""

ARKOS_NAMESPACE = uuid5(NAMESPACE_URL, "arkos/conversation_context")
ARKOS_NEEDED = ("user_id", "role", "message")
MEM0_NAMESPACE = uuid5(NAMESPACE_URL, "https://mem0.ai/memories")
MEM0_LISTS = ("item", "results.item", "memories.item")
READ_AT_ONCE = 50
DEPTH_MAX = JSON_DEPTH_MAX + 4
"""Levels of nesting: those of metadata, and those around it."""
PEER_KEYS = {"apiKeyId", "api_key_id"}
"""By which a row of OmniRoute is told."""
_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
EPOCH_MS_FROM = 10**11
"""A time since 1970 from here on is of milliseconds."""
MEM0_KEPT = ("hash", "categories", "run_id", "app_id", "actor_id", "role")
NO_MEM0 = "holds no memories of Mem0: a list of them is needed, bare or under `results` or `memories`"
Format = Literal["reverie", "mem0", "arkos"]
HEAD_BYTES = 256 * 1024
ARKOS = set(ARKOS_NEEDED)
LIST_PREFIXES = {prefix.rpartition(".item")[0] for prefix in MEM0_LISTS if "." in prefix}
"""The keys of an object under which Mem0's memories are a list."""


class ParsedLines:
    """The good lines of an import by record, in files that are gone when it is closed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._files: dict[str, IO[bytes]] = {}

    def add(self, record: str, number: int, line: BaseModel) -> None:
        """Keep a line."""
        if record not in self._files:
            self._files[record] = tempfile.TemporaryFile(prefix="reverie-")  # noqa: SIM115 (closed by close())
        kept = {"number": number, "line": line.model_dump(mode="json", exclude_unset=True)}
        self._files[record].write(dumps(kept) + b"\n")
        self.counts[record] += 1

    def batches(self, record: str, size: int) -> Iterator[list[tuple[int, BaseModel]]]:
        """Yield the lines of one record with their numbers, in their order, ``size`` at a time, fewer where they are
        long."""
        if record not in self._files:
            return
        file = self._files[record]
        file.seek(0)
        batch: list[tuple[int, BaseModel]] = []
        taken = 0
        for text in file:
            kept = orjson.loads(text)
            batch.append((kept["number"], LINES[record].model_validate(kept["line"])))
            taken += len(text)
            if len(batch) == size or taken > BATCH_BYTES_MAX:
                yield batch
                batch, taken = [], 0
        if batch:
            yield batch

    def close(self) -> None:
        """Remove the files."""
        for file in self._files.values():
            file.close()


async def raw_lines(chunks: AsyncIterator[bytes], executor: FairExecutor) -> AsyncIterator[tuple[int, JsonObject]]:
    """Yield JSON objects of an NDJSON stream with their line numbers, from 1; blank lines count and are passed over.

    Raises InvalidImportLine for one that is no JSON object or too long, TooLarge past the bound of an import.
    """
    number, taken = 0, 0
    rest = bytearray()
    async for chunk in chunks:
        taken += len(chunk)
        if taken > IMPORT_BYTES_MAX:
            raise TooLarge(f"An import may have at most {IMPORT_BYTES_MAX} bytes.")
        rest += chunk
        if b"\n" in chunk:
            *complete, end = bytes(rest).split(b"\n")
            rest = bytearray(end)
            for text in complete:
                number += 1
                if text.strip():
                    yield number, await executor.run(_object, number, text, characters=len(text))
        if len(rest) > LINE_BYTES_MAX:
            raise InvalidImportLine(number + 1, (), f"is longer than {LINE_BYTES_MAX} bytes")
    if rest.strip():
        yield number + 1, await executor.run(_object, number + 1, bytes(rest), characters=len(rest))


async def without_mark(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a stream without the byte order mark at its beginning."""
    first = b""
    async for chunk in chunks:
        first += chunk
        if len(first) >= len(codecs.BOM_UTF8):
            break
    yield first.removeprefix(codecs.BOM_UTF8)
    async for chunk in chunks:
        yield chunk


def _object(number: int, text: bytes) -> JsonObject:
    if len(text) > LINE_BYTES_MAX:
        raise InvalidImportLine(number, (), f"is longer than {LINE_BYTES_MAX} bytes")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidImportLine(number, (), f"is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidImportLine(number, (), "is not a JSON object")
    return value


def parse_line(number: int, raw: JsonObject, agent: str | None) -> tuple[str, BaseModel] | None:
    """Return the record and the line of a raw one, its agent filled in; None for the frame of an export.

    Raises InvalidImportLine.
    """
    record = raw.get("record", "memory")
    if record in FRAME:
        return None
    if PEER_KEYS & raw.keys():
        raw = _row_of_a_peer(number, raw)
    if record not in RECORDS:
        raise InvalidImportLine(number, ("record",), f"must be one of {', '.join(RECORDS)}")
    shape = LINES[record]
    if agent is not None and "agent" in shape.model_fields and raw.get("agent") is None:
        raw = raw | {"agent": agent}
    if former_settings(raw):
        raw = raw | {"settings": without_former(raw["settings"])[0]}
    try:
        line = shape.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidImportLine(number, first["loc"], reason_of(first)) from None
    if "agent" in shape.model_fields and getattr(line, "agent", None) is None:
        raise InvalidImportLine(number, ("agent",), "name the agent, on the line or for the whole import")
    return record, line


def _row_of_a_peer(number: int, row: JsonObject) -> JsonObject:
    """Return a row of OmniRoute's table of memories, as its database or its API writes it, as a line."""
    named = {_CAPITAL.sub("_", name).lower(): value for name, value in row.items()}
    metadata = named.get("metadata") or {}
    try:
        metadata = orjson.loads(metadata) if isinstance(metadata, str) else metadata
    except orjson.JSONDecodeError:
        raise InvalidImportLine(number, ("metadata",), "is not JSON") from None
    said = {name: named[name] for name in ("agent", "type", "content", "tags") if named.get(name) is not None}
    times = {name: utc_text(named.get(name)) for name in ("created_at", "updated_at", "expires_at")}
    return said | {
        "id": _uuid(named.get("id"), str(named.get("content"))),
        "session": named.get("session_id") or None,
        "key": named.get("key") or None,
        "metadata": metadata,
        "source": {"kind": "omniroute", "id": named.get("id"), "api_key_id": named.get("api_key_id")},
        **{name: moment for name, moment in times.items() if moment},
    }


def former_settings(raw: JsonObject) -> list[str]:
    """Return the dotted names of the settings of a former release that a raw line has, and is taken without."""
    settings = raw.get("settings") if raw.get("record") in ("settings", "agent") else None
    return without_former(settings)[1] if isinstance(settings, dict) else []


def utc_text(moment: JsonValue) -> JsonValue:
    """Return a time or day of another system as RFC 3339, in UTC where it names no zone; anything else as it is, or
    None."""
    if not moment:
        return None
    try:
        if isinstance(moment, int | float):
            found = datetime.fromtimestamp(moment / (1000 if moment > EPOCH_MS_FROM else 1), UTC)
        else:
            found = datetime.fromisoformat(str(moment).strip())
    except (ValueError, OverflowError, OSError):
        return moment
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


async def arkos_messages(chunks: AsyncIterator[bytes], executor: FairExecutor) -> AsyncIterator[tuple[int, JsonObject]]:
    """Yield each row as a line of record ``message`` with the number of the line it begins on.

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
            missing = [name for name in ARKOS_NEEDED if name not in header]
            if missing:
                raise InvalidImportLine(number, (), f"the header has no column {', '.join(missing)}")
        elif len(fields) != len(header):
            raise InvalidImportLine(number, (), f"has {len(fields)} fields, not {len(header)}")
        else:
            yield number, dict(zip(header, fields, strict=True))


async def _records(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, str]]:
    """Yield CSV records with the number of the line each begins on; a quoted field may run over several lines."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
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
    for name in ARKOS_NEEDED:
        if not row.get(name):
            raise InvalidImportLine(number, (name,), "must not be empty")
    session = row.get("session_id") or f"user {row['user_id']}"
    content, extra = _content(row["message"])
    row_id = row.get("id")
    key = f"{row_id}" if row_id else f"{row['user_id']}\x1f{session}\x1f{row.get('created_at')}\x1f{row['message']}"
    return {
        "record": "message",
        "id": str(uuid5(ARKOS_NAMESPACE, f"{row['user_id']}\x1f{session}\x1f{key}")),
        "agent": row.get("agent"),
        "session": session,
        "user": row["user_id"],
        "role": row["role"],
        "content": content if extra is None else {"content": content, "tool_calls": extra},
        "created_at": utc_text(row.get("created_at")),
    }


def _content(message: JsonValue) -> tuple[str, JsonValue]:
    """Return the text and the tool calls of a stored message."""
    try:
        stored = orjson.loads(message) if isinstance(message, str) else message
    except orjson.JSONDecodeError:
        return str(message), None
    if not isinstance(stored, dict) or "content" not in stored:
        return str(message), None
    return stored["content"] or "", stored.get("tool_calls")


async def mem0_memories(
    chunks: AsyncIterator[bytes], executor: FairExecutor, agent: str | None
) -> AsyncIterator[tuple[int, JsonObject]]:
    """Yield each memory as a line of record ``memory``, numbered from 1 by its place in the list.

    Its user and agent become ours, its metadata is kept, its categories become tags as well. One that names no agent is
    of ``agent``, else of its user, else of its run, as ``Memory`` of the client calls it. A Mem0 id that is not a
    UUID gives one that is always the same. Raises InvalidImportLine for a file that is no such JSON.
    """
    with tempfile.TemporaryFile(prefix="reverie-") as file:
        async for chunk in chunks:
            file.write(chunk)
        items = enumerate(_items(file), start=1)
        ended: InvalidImportLine | bool = False
        while not ended:
            part, ended = await executor.run(_some, items, characters=NOT_KNOWN)
            for number, item in part:
                yield number, _memory(number, item, agent)
        if isinstance(ended, InvalidImportLine):
            raise ended


def _some(items: Iterator[tuple[int, JsonValue]]) -> tuple[list[tuple[int, JsonValue]], InvalidImportLine | bool]:
    """Return the next items, and whether these were the last: because what follows is broken, or because nothing
    does."""
    some: list[tuple[int, JsonValue]] = []
    try:
        some.extend(islice(items, READ_AT_ONCE))
    except InvalidImportLine as broken:
        return some, broken
    return some, not some


def _items(file: IO[bytes]) -> Iterator[JsonValue]:
    found = 0
    for prefix in MEM0_LISTS:
        file.seek(0)
        try:
            events = ijson.parse(_bounded(ijson.basic_parse(file, use_float=True)))
            for item in ijson.items(events, prefix):
                found += 1
                yield item
        except ijson.JSONError as error:
            raise InvalidImportLine(found + 1, (), f"is not JSON: {error}") from None
        if found:
            return
    file.seek(0)
    if not _is_empty_list(file):
        raise InvalidImportLine(1, (), NO_MEM0)


def _is_empty_list(file: IO[bytes]) -> bool:
    """Return whether JSON is a list without items, bare or under one of the keys that are looked at."""
    try:
        whole = [(prefix, event) for prefix, event, _ in islice(ijson.parse(file), 50)]
    except ijson.JSONError:
        return False
    lists = ("", *sorted(LIST_PREFIXES))
    return any((prefix, "start_array") in whole and (prefix, "end_array") in whole for prefix in lists)


def _bounded(events: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
    """Yield the events of JSON that is nested within bounds: what follows takes time by the depth for each of them."""
    depth = 0
    for event, value in events:
        depth += event.startswith("start_") - event.startswith("end_")
        if depth > DEPTH_MAX:
            raise ijson.JSONError(f"it is nested more than {DEPTH_MAX} levels deep")
        yield event, value


def _memory(number: int, item: JsonValue, agent: str | None) -> JsonObject:
    if item is None or (isinstance(item, dict) and {"memory", "data"} & item.keys() and not _text_of(item)):
        return {"record": "memory", "content": None}
    if isinstance(item, dict) and PEER_KEYS & item.keys():
        return item
    text = _text_of(item) if isinstance(item, dict) else None
    if not isinstance(text, str):
        raise InvalidImportLine(
            number, ("memory",), "is needed: the text of a Mem0 memory stands here, or under `data`"
        )
    metadata = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    extra = {name: item[name] for name in MEM0_KEPT if item.get(name) is not None}
    user = item.get("user_id") or metadata.get("user_id")
    categories = [str(name)[:100] for name in item.get("categories") or [] if name]
    return {
        "record": "memory",
        "id": _uuid(item.get("id"), text),
        "agent": item.get("agent_id") or metadata.get("agent_id") or agent or user or item.get("run_id"),
        "user": user,
        "type": known_as(NO_TYPES, "factual", text),
        "content": text,
        "tags": categories[:50],
        "metadata": metadata,
        "source": {"kind": "mem0", "id": item.get("id"), **extra},
        "created_at": utc_text(item.get("created_at")),
        "updated_at": utc_text(item.get("updated_at") or item.get("created_at")),
        "expires_at": utc_text(item.get("expiration_date")),
    }


def _text_of(item: JsonObject) -> JsonValue:
    return item.get("memory") or item.get("data")


def says_nothing(raw: JsonObject) -> bool:
    """Return whether a raw line is a memory without a text."""
    return raw.get("record", "memory") == "memory" and raw.get("content", "") is None


def _uuid(given: object, text: str) -> str:
    try:
        return str(UUID(str(given)))
    except ValueError:
        return str(uuid5(MEM0_NAMESPACE, f"{given}" if given else text))


def recognise(head: bytes) -> Format:
    """Return the format of a file that begins like this; ``reverie`` for what is none of the others, so that its errors
    are those of an export."""
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return "mem0"
    first, _, rest = text.partition(b"\n")
    if not text.startswith(b"{"):
        header = next(csv.reader([first.decode(errors="replace")]), [])
        return "arkos" if set(header) >= ARKOS else "reverie"
    line = _object_or_none(first)
    if line is None:
        return "mem0" if rest and _first_key(text) in LIST_PREFIXES else "reverie"
    if LIST_PREFIXES & line.keys():
        return "mem0"
    return "arkos" if line.keys() >= ARKOS else "reverie"


def _object_or_none(text: bytes) -> JsonObject | None:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _first_key(text: bytes) -> str | None:
    """Return the first key of an object that may be cut off."""
    with suppress(ijson.JSONError):
        for event, value in islice(ijson.basic_parse(text, use_float=True), 2):
            if event == "map_key":
                return str(value)
    return None
