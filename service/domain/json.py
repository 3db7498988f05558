"""JSON as Reverie writes it: to the database, to clients, to files."""

from __future__ import annotations

from typing import Any, TypeAlias
from uuid import UUID

import orjson
from pydantic import BaseModel

JsonValue: TypeAlias = Any  # type: ignore[explicit-any]  # here alone: a union would have every reader narrow it
"""A JSON value of a caller's own: nothing is known of its shape."""
JsonObject: TypeAlias = dict[str, JsonValue]
"""A JSON object of a caller's own (metadata, a source, arguments of a tool): nothing is known of its fields."""

_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_SERIALIZE_DATACLASS | orjson.OPT_NON_STR_KEYS


def dumps(value: object) -> bytes:
    """Return the value as UTF-8 JSON; times end in Z. Raises TypeError for what has no JSON form."""
    return orjson.dumps(value, _plain, _OPTIONS)


def _plain(value: object) -> str | JsonObject:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, BaseModel):
        return value.model_dump()
    raise TypeError(f"{type(value).__name__} has no JSON form")
