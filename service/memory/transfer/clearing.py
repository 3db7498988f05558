"""Personal data in the lines of an import: masked or refused before a line is kept anywhere (row P1)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from service.domain.workspace import PiiSettings
from service.errors import BrokenLine, InvalidInput
from service.memory.documents import DOCUMENT_FIELDS
from service.memory.engine import Engine
from service.memory.redaction import MEMORY_FIELDS, MESSAGE_FIELDS, Written, cleared, rewritten

Numbered = tuple[int, str, BaseModel]
"""A line with its number and its record."""

FIELDS: dict[str, tuple[str, ...]] = {
    "agent": ("name", "settings"),
    "message": MESSAGE_FIELDS,
    "memory": (*MEMORY_FIELDS, "change_reason"),
    "history": ("memory", "reason"),
    "entity": ("name", "aliases"),
    "merge": ("aliases",),
    "document": DOCUMENT_FIELDS,
    "bulletin": ("content", "parts"),
}
"""What was written in a line. What names something is left as it is, as everywhere."""


async def cleared_lines(engine: Engine, settings: PiiSettings, lines: list[Numbered]) -> list[Numbered]:
    """The lines as they may be kept. Raises BrokenLine for one that the workspace refuses."""
    if settings.mode == "off":
        return lines
    written: list[Written] = []
    owners: list[tuple[int, str]] = []
    for place, (number, record, line) in enumerate(lines):
        for name in FIELDS.get(record, ()):
            if name in line.model_fields_set:
                written.append((("body", number, name), _written(getattr(line, name))))
                owners.append((place, name))
    try:
        changes: list[dict[str, Any]] = [{} for _ in lines]
        for (place, name), (_, before), after in zip(
            owners, written, await cleared(engine, settings, written), strict=True
        ):
            if after != before:
                whole = getattr(lines[place][2], name)
                changes[place][name] = whole | after if isinstance(whole, dict) else after
        return [
            (number, record, rewritten(line, change, ("body", number)))
            for (number, record, line), change in zip(lines, changes, strict=True)
        ]
    except InvalidInput as error:
        raise BrokenLine(int(error.loc[1]), error.loc[2:], error.message) from None


def _written(value: Any) -> Any:
    """Of a former version of a memory, what was written in it; anything else as it is."""
    if isinstance(value, dict) and value.keys() >= {"type", "content"}:
        return {name: value[name] for name in MEMORY_FIELDS if name in value}
    return value
