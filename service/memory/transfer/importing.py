"""Reading an export in: check every line, then write all of them in one transaction.

Nothing is written before the last line is known to be good, and nothing stays written if writing any of them fails.
Reading the same lines in twice changes nothing the second time.

Personal data in the lines is masked or refused before a line is kept anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import astuple, dataclass
from itertools import takewhile
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from service.concurrency.executor import ITEM_CHARACTERS, NOT_KNOWN, FairExecutor
from service.domain.export_lines import FORMER_NAMES, NEEDED, RECORDS, MemoryLine
from service.domain.json import JsonObject, JsonValue
from service.domain.principal import Principal
from service.domain.workspace import Masking, former_notice
from service.errors import Forbidden, InvalidImportLine, InvalidInput
from service.memory.access import audit
from service.memory.access.redaction import (
    MEMORY_FIELDS,
    MESSAGE_FIELDS,
    FieldValue,
    apply_redaction,
    kept_where,
    masking_of,
    redact,
    with_masked_names,
)
from service.memory.saving.documents import DOCUMENT_FIELDS
from service.memory.transfer.import_records import (
    BATCH,
    WRITERS,
    ImportCounts,
    ImportTransaction,
    Lines,
)
from service.memory.transfer.parse import (
    FRAME,
    Format,
    ParsedLines,
    arkos_messages,
    former_settings,
    mem0_memories,
    parse_line,
    raw_lines,
    says_nothing,
    without_mark,
)
from service.runtime import Runtime
from service.store import insights
from service.store.vectors import EmbeddingBatch

EMBEDDED_MAX = 1_000
"""Memories of an import that are embedded before it is written; of a larger one all stay pending, for the worker."""

NOTICES_MAX = 100
"""Of skipped memories so many are named, the others counted."""
LARGE = ("document",)
"""Lines that are checked one by one, as a batch of them could be too much to hold."""

Numbered = tuple[int, str, BaseModel]
"""A line with its number and its record."""
FIELDS: dict[str, tuple[str, ...]] = {
    "agent": ("name", "settings"),
    "settings": ("settings",),
    "message": MESSAGE_FIELDS,
    "memory": (*MEMORY_FIELDS, "change_reason"),
    "history": ("memory", "reason"),
    "document": DOCUMENT_FIELDS,
    "entity": ("metadata",),
    "bulletin": ("content", "parts"),
    "page": ("question", "scope", "versions"),
    "search": ("name", "query", "options", "results"),
    "proposal": ("content", "source", "metadata", "reason"),
}
"""The texts in a line; its names are found by their types."""
FILTERED = {"page": "scope", "search": "options"}
"""The fields with a filter of memories."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an import: lines checked, or of ``total`` lines those written."""

    stage: Literal["checking", "writing"]
    done: int
    total: int | None = None


@dataclass(slots=True)
class ImportResult(ImportCounts):
    """Result of an import."""

    complete: Annotated[
        bool | None,
        Field(
            description="Completeness of the export read: false for a truncated export, null for formats without an "
            "end marker."
        ),
    ]
    records: Annotated[dict[str, ImportCounts], Field(description="Counts by record type.")]
    notices: Annotated[
        list[str], Field(description="What was left out of a line, such as settings of a former release, and why.")
    ]

    @classmethod
    def of(cls, records: dict[str, ImportCounts], complete: bool | None, notices: list[str]) -> ImportResult:
        """Return the result with the sums of these counts."""
        created, unchanged, updated, skipped = map(sum, zip((0, 0, 0, 0), *map(astuple, records.values()), strict=True))
        return cls(created, unchanged, updated, skipped, complete, records, notices)


def _nothing(_: Progress) -> None:
    """Ignore the progress."""


async def import_lines(
    runtime: Runtime,
    principal: Principal,
    chunks: AsyncIterator[bytes],
    *,
    format: Format = "reverie",
    agent: str | None = None,
    on_progress: Callable[[Progress], None] = _nothing,
) -> ImportResult:
    """Read a stream in, all of it or nothing. ``agent`` is the agent of lines that name none.

    With the caller's memory off the lines are checked and none is written. Needs an admin key: lines name agents,
    teams and times as they like; each kind of line needs the scopes of the endpoint that makes the same. Raises
    Forbidden, and InvalidImportLine naming the first line (of Mem0 and ARKOS, the first item or row) that cannot be
    read in.
    """
    principal.require_admin()
    with closing(ParsedLines()) as lines:
        source = _source(runtime, format, without_mark(chunks), agent)
        notices: list[str] = []
        complete, skipped = await _check(runtime, principal, source, lines, agent, on_progress, notices)
        if principal.no_memory:
            return ImportResult.of({}, complete, notices)
        embedded = await _embed(runtime, lines)
        async with runtime.db.transaction(principal.workspace_id, viewer="everybody") as connection:
            writing = ImportTransaction(connection, principal, runtime.now(), embedded, runtime.executor)
            await _write(writing, lines, on_progress)
            await insights.retract_unsupported(connection, principal.workspace_id, None)
            await audit.record(connection, principal, "import", target=agent, details=dict(lines.counts))
    writing.tallies["memory"].skipped += skipped
    records = {name: tally for name, tally in writing.tallies.items() if name in lines.counts or tally.skipped}
    return ImportResult.of(records, complete, notices)


def _source(
    runtime: Runtime, format: Format, chunks: AsyncIterator[bytes], agent: str | None
) -> AsyncIterator[tuple[int, JsonObject]]:
    if format == "mem0":
        return mem0_memories(chunks, runtime.executor, agent)
    return {"reverie": raw_lines, "arkos": arkos_messages}[format](chunks, runtime.executor)


async def _check(
    runtime: Runtime,
    principal: Principal,
    source: AsyncIterator[tuple[int, JsonObject]],
    lines: ParsedLines,
    agent: str | None,
    on_progress: Callable[[Progress], None],
    notices: list[str],
) -> tuple[bool | None, int]:
    """Keep the lines that are good; return whether the export is whole, where it says so, and how many memories were
    skipped as they say nothing."""
    framed: bool | None = None
    done = skipped = 0
    settings = await masking_of(runtime, principal)
    batch: list[tuple[int, JsonObject]] = []

    async def keep() -> None:
        given = batch.copy()
        batch.clear()
        found = await runtime.executor.each(lambda one: _checked(*one, agent), given, _characters)
        good = list(takewhile(lambda one: not isinstance(one, InvalidImportLine), found))
        numbered = [one for one in good if isinstance(one, tuple)]
        for number, record, _ in numbered:
            _check_right(principal, number, record)
        cleared = await redact_lines(runtime, principal.workspace_id, settings, numbered)
        await runtime.executor.each(lambda one: lines.add(one[1], one[0], one[2]), cleared, lambda _: ITEM_CHARACTERS)
        for broken in found[len(good) :]:  # only now: an earlier line may be refused for its personal data
            assert isinstance(broken, InvalidImportLine)
            raise broken
        on_progress(Progress("checking", done))
        await asyncio.sleep(0)

    try:
        async for number, raw in source:
            if raw.get("record") in FRAME:
                framed = raw["record"] == "end"
            done += 1
            if says_nothing(raw):
                skipped += 1
                notices += [f"line {number}: skipped: a memory without a text"] if skipped <= NOTICES_MAX else []
                continue
            batch.append((number, raw))
            notices += [f"line {number}: {former_notice(name)}" for name in former_settings(raw)]
            if len(batch) == BATCH or raw.get("record") in LARGE:
                await keep()
    except InvalidImportLine:
        await keep()  # an earlier line may be refused for its personal data, and the first one is named
        raise
    await keep()
    return framed, skipped


def _checked(number: int, raw: JsonObject, agent: str | None) -> Numbered | InvalidImportLine | None:
    """Return the line, why it is none, or None for one that is not read in itself."""
    try:
        found = parse_line(number, raw, agent)
    except InvalidImportLine as broken:
        return broken
    return None if found is None else (number, *found)


def _check_right(principal: Principal, number: int, record: str) -> None:
    """Raise Forbidden, which names the line, for a kind of line that the key's scopes leave out."""
    try:
        principal.require_scopes(NEEDED[record])
    except Forbidden as error:
        raise Forbidden(f"line {number}: {record}: {error.message}") from None


def _characters(raw: tuple[int, JsonObject]) -> int:
    return sum(len(value) for value in raw[1].values() if isinstance(value, str))


async def _embed(runtime: Runtime, lines: ParsedLines) -> EmbeddingBatch:
    if lines.counts["memory"] > EMBEDDED_MAX:
        return EmbeddingBatch(None, [])
    return await runtime.embed(
        [
            line.content
            async for batch in _batches(runtime.executor, lines, "memory")
            for _, line in batch
            if isinstance(line, MemoryLine)
        ]
    )


async def _batches(executor: FairExecutor, lines: ParsedLines, record: str) -> AsyncIterator[Lines[BaseModel]]:
    batches = lines.batches(record, BATCH)
    while batch := await executor.run(next, batches, None, characters=NOT_KNOWN):
        yield batch


async def _write(writing: ImportTransaction, lines: ParsedLines, on_progress: Callable[[Progress], None]) -> None:
    total = sum(lines.counts.values())
    done = 0
    for record in RECORDS:
        async for batch in _batches(writing.executor, lines, record):
            await WRITERS[record](writing, batch)
            done += len(batch)
            on_progress(Progress("writing", done, total))
    await writing.finish()


async def redact_lines(runtime: Runtime, workspace: UUID, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    """Return the lines as they may be kept. Raises InvalidImportLine for one with a filter that is none, or that the
    workspace refuses."""
    try:
        lines = [await _with_filter(runtime, workspace, settings, one) for one in lines]
        if settings.off:
            return lines
        return await _redact_texts(runtime, settings, await _mask_names(runtime, workspace, settings, lines))
    except InvalidInput as error:
        raise InvalidImportLine(int(error.loc[1]), error.loc[2:], error.message) from None


async def _with_filter(runtime: Runtime, workspace: UUID, settings: Masking, line: Numbered) -> Numbered:
    number, record, given = line
    name = FILTERED.get(record)
    filtered = getattr(given, name) if name else None
    if name is None or filtered is None or filtered.where is None:
        return line
    where = await kept_where(runtime, workspace, settings, filtered.where, ("body", number, name, "where"))
    return number, record, given.model_copy(update={name: filtered.model_copy(update={"where": where})})


async def _mask_names(runtime: Runtime, workspace: UUID, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    typed = [(type(line), line, ("body", number)) for number, _, line in lines]
    masked = await with_masked_names(runtime, workspace, settings, typed, refuse=True)
    return [(number, record, line) for (number, record, _), line in zip(lines, masked, strict=True)]


async def _redact_texts(runtime: Runtime, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    written: list[FieldValue] = []
    owners: list[tuple[int, str]] = []
    for place, (number, record, line) in enumerate(lines):
        for name in FIELDS.get(record, ()):
            if name in line.model_fields_set:
                written.append((("body", number, name), _texts(record, name, getattr(line, name))))
                owners.append((place, name))
    changes: list[JsonObject] = [{} for _ in lines]
    for (place, name), (_, before), after in zip(
        owners, written, await redact(runtime, settings, written), strict=True
    ):
        if after != before:
            _, record, line = lines[place]
            changes[place][name] = getattr(line, name) | after if _is_former(record, name) else after

    def cleared_line(one: tuple[Numbered, JsonObject]) -> Numbered:
        (number, record, line), change = one
        return number, record, apply_redaction(line, change, ("body", number))

    return await runtime.executor.each(cleared_line, list(zip(lines, changes, strict=True)), lambda _: 0)


def _is_former(record: str, name: str) -> bool:
    return (record, name) == ("history", "memory")


def _texts(record: str, name: str, value: JsonValue) -> JsonValue:
    """Return the texts of a field: of a former version of a memory, all but its names."""
    if _is_former(record, name):
        return {key: one for key, one in value.items() if (key,) not in FORMER_NAMES}
    return value.model_dump(mode="json", exclude_unset=True) if isinstance(value, BaseModel) else value
