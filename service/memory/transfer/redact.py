"""Personal data in the lines of an import: masked or refused before a line is kept anywhere."""

from __future__ import annotations

from uuid import UUID

from pydantic import BaseModel

from service.domain.export_lines import FORMER_NAMES
from service.domain.json import JsonObject, JsonValue
from service.domain.workspace import Masking
from service.errors import InvalidImportLine, InvalidInput
from service.memory.access.redaction import (
    MEMORY_FIELDS,
    MESSAGE_FIELDS,
    FieldValue,
    apply_redaction,
    kept_where,
    redact,
    with_masked_names,
)
from service.memory.engine import Engine
from service.memory.saving.documents import DOCUMENT_FIELDS

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


async def redact_lines(engine: Engine, workspace: UUID, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    """The lines as they may be kept. Raises InvalidImportLine for one with a filter that is none, or that the workspace
    refuses."""
    try:
        lines = [await _with_filter(engine, workspace, settings, one) for one in lines]
        if settings.off:
            return lines
        return await _redact_texts(engine, settings, await _mask_names(engine, workspace, settings, lines))
    except InvalidInput as error:
        raise InvalidImportLine(int(error.loc[1]), error.loc[2:], error.message) from None


async def _with_filter(engine: Engine, workspace: UUID, settings: Masking, line: Numbered) -> Numbered:
    number, record, given = line
    name = FILTERED.get(record)
    filtered = getattr(given, name) if name else None
    if name is None or filtered is None or filtered.where is None:
        return line
    where = await kept_where(engine, workspace, settings, filtered.where, ("body", number, name, "where"))
    return number, record, given.model_copy(update={name: filtered.model_copy(update={"where": where})})


async def _mask_names(engine: Engine, workspace: UUID, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    typed = [(type(line), line, ("body", number)) for number, _, line in lines]
    masked = await with_masked_names(engine, workspace, settings, typed, refuse=True)
    return [(number, record, line) for (number, record, _), line in zip(lines, masked, strict=True)]


async def _redact_texts(engine: Engine, settings: Masking, lines: list[Numbered]) -> list[Numbered]:
    written: list[FieldValue] = []
    owners: list[tuple[int, str]] = []
    for place, (number, record, line) in enumerate(lines):
        for name in FIELDS.get(record, ()):
            if name in line.model_fields_set:
                written.append((("body", number, name), _texts(record, name, getattr(line, name))))
                owners.append((place, name))
    changes: list[JsonObject] = [{} for _ in lines]
    for (place, name), (_, before), after in zip(owners, written, await redact(engine, settings, written), strict=True):
        if after != before:
            _, record, line = lines[place]
            changes[place][name] = getattr(line, name) | after if _is_former(record, name) else after

    def cleared_line(one: tuple[Numbered, JsonObject]) -> Numbered:
        (number, record, line), change = one
        return number, record, apply_redaction(line, change, ("body", number))

    return await engine.executor.each(cleared_line, list(zip(lines, changes, strict=True)), lambda _: 0)


def _is_former(record: str, name: str) -> bool:
    return (record, name) == ("history", "memory")


def _texts(record: str, name: str, value: JsonValue) -> JsonValue:
    """The texts of a field: of a former version of a memory, all but its names."""
    if _is_former(record, name):
        return {key: one for key, one in value.items() if (key,) not in FORMER_NAMES}
    return value.model_dump(mode="json", exclude_unset=True) if isinstance(value, BaseModel) else value
