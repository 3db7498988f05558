"""Opaque keyset cursors: the sort key of the last item of a page, as URL-safe text."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson

from service.domain.json import dumps
from service.errors import InvalidInput


def encode(*key: Any) -> str:
    """A cursor that continues after this sort key."""
    return base64.urlsafe_b64encode(dumps(key)).decode().rstrip("=")


def decode(cursor: str | None, *types: Any) -> list[Any] | None:
    """The sort key of a cursor, each part built by the type at its place. Raises InvalidInput for a foreign one."""
    if cursor is None:
        return None
    try:
        parts = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(parts, list) or len(parts) != len(types):
            raise ValueError
        return [make(part) for make, part in zip(types, parts, strict=True)]
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error, UnicodeError):
        raise InvalidInput(("query", "cursor"), "is not a cursor of this list") from None
