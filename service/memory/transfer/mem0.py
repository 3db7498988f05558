"""Memories of a Mem0 export: a JSON list of memories, bare or under ``results`` or ``memories``."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import IO
from uuid import NAMESPACE_URL, UUID, uuid5

import ijson

from service.concurrency.executor import NOT_KNOWN, FairExecutor
from service.domain.field_types import JSON_DEPTH_MAX
from service.domain.json import JsonObject, JsonValue
from service.errors import InvalidImportLine
from service.memory.transfer.parse import utc_text

NAMESPACE = uuid5(NAMESPACE_URL, "https://mem0.ai/memories")
LISTS = ("item", "results.item", "memories.item")
READ_AT_ONCE = 50
DEPTH_MAX = JSON_DEPTH_MAX + 4
"""Levels of nesting: those of metadata, and those around it."""
KEPT = ("hash", "categories", "run_id", "app_id", "actor_id", "role")


async def memories(
    chunks: AsyncIterator[bytes], executor: FairExecutor, agent: str | None
) -> AsyncIterator[tuple[int, JsonObject]]:
    """Each memory as a line of record ``memory``, numbered from 1 by its place in the list.

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
    """The next items, and whether these were the last: because what follows is broken, or because nothing does."""
    some: list[tuple[int, JsonValue]] = []
    try:
        some.extend(islice(items, READ_AT_ONCE))
    except InvalidImportLine as broken:
        return some, broken
    return some, not some


def _items(file: IO[bytes]) -> Iterator[JsonValue]:
    found = 0
    for prefix in LISTS:
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


def _bounded(events: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
    """The events of JSON that is nested within bounds: what follows takes time by the depth for each of them."""
    depth = 0
    for event, value in events:
        depth += event.startswith("start_") - event.startswith("end_")
        if depth > DEPTH_MAX:
            raise ijson.JSONError(f"it is nested more than {DEPTH_MAX} levels deep")
        yield event, value


def _memory(number: int, item: JsonValue, agent: str | None) -> JsonObject:
    text = item.get("memory") or item.get("data") if isinstance(item, dict) else None
    if not isinstance(text, str):
        raise InvalidImportLine(number, ("memory",), "a Mem0 memory has its text here")
    metadata = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    extra = {name: item[name] for name in KEPT if item.get(name) is not None}
    user = item.get("user_id") or metadata.get("user_id")
    categories = [str(name)[:100] for name in item.get("categories") or [] if name]
    return {
        "record": "memory",
        "id": _uuid(item.get("id"), text),
        "agent": item.get("agent_id") or metadata.get("agent_id") or agent or user or item.get("run_id"),
        "user": user,
        "type": "fact",
        "content": text,
        "tags": categories[:50],
        "metadata": metadata,
        "source": {"kind": "mem0", "id": item.get("id"), **extra},
        "created_at": utc_text(item.get("created_at")),
        "updated_at": utc_text(item.get("updated_at") or item.get("created_at")),
        "expires_at": utc_text(item.get("expiration_date")),
    }


def _uuid(given: object, text: str) -> str:
    try:
        return str(UUID(str(given)))
    except ValueError:
        return str(uuid5(NAMESPACE, f"{given}" if given else text))
