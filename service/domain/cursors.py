"""Opaque keyset cursors: the sort key of the last item of a page, as URL-safe text."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol, TypeVar, runtime_checkable
from uuid import UUID

import orjson

from service.domain.field_types import INT_MAX, INT_MIN, reject_unstorable
from service.domain.json import JsonValue, dumps
from service.errors import InvalidInput

Item = TypeVar("Item")

CURSOR_MAX = 1_200
"""Characters: room for the longest name, each character of which takes four bytes."""


def encode(*key: object) -> str:
    """Return a cursor that continues after this sort key."""
    return base64.urlsafe_b64encode(dumps(key)).decode().rstrip("=")


def decode(cursor: str | None, *types: type) -> list[JsonValue]:
    """Return the sort key of a cursor; ``types`` are those of its parts: UUID, int (64 bits), str or datetime.

    Without a cursor, each part is None. Raises InvalidInput for anything that ``encode`` has not made of such a key:
    what is decoded is encoded again, and has to be the same.
    """
    if cursor is None:
        return [None] * len(types)
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(parts, list):
            raise ValueError
        key = [_READ[kind](part) for kind, part in zip(types, parts, strict=True)]
        if encode(*key) != cursor:
            raise ValueError
    except (ValueError, OverflowError):
        raise InvalidInput(("query", "cursor"), "is not a cursor of this list") from None
    return key


def number(part: str) -> float:
    """Return a part of a cursor that is a finite number, as ``repr`` writes it. Raises InvalidInput."""
    try:
        value = float(part)
        if repr(value) != part or not math.isfinite(value):
            raise ValueError
    except ValueError:
        raise InvalidInput(("query", "cursor"), "is not a cursor of this list") from None
    return value


def paginate(rows: list[Item], limit: int, *fields: str) -> tuple[list[Item], str | None]:
    """Return the first ``limit`` of ``limit + 1`` rows or records asked for, and the cursor of the next page, made of
    these fields of the last of them; None where there is no more."""
    more = encode(*(_field(rows[limit - 1], name) for name in fields)) if len(rows) > limit else None
    return rows[:limit], more


@runtime_checkable
class _Row(Protocol):
    """What has its columns by name; a record has them as fields."""

    def __getitem__(self, name: str, /) -> object: ...


def _field(item: object, name: str) -> object:
    return item[name] if isinstance(item, _Row) else getattr(item, name)


def _text(part: object) -> str:
    if not isinstance(part, str):
        raise ValueError
    return reject_unstorable(part)


def _number(part: object) -> int:
    if type(part) is not int or not INT_MIN <= part <= INT_MAX:
        raise ValueError
    return part


def _moment(part: object) -> datetime:
    return datetime.fromisoformat(_text(part)).astimezone(UTC)


_READ: dict[type, Callable[[object], object]] = {
    UUID: lambda part: UUID(_text(part)),
    int: _number,
    str: _text,
    datetime: _moment,
}
