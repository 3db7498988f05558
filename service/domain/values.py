"""Bounded values of the API: names, texts and JSON, checked once where they come in."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, StringConstraints

CONTENT_MAX = 8_000
MESSAGE_MAX = 200_000
QUERY_MAX = 8_000
JSON_DEPTH_MAX = 16
JSON_NODES_MAX = 10_000
INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def storable(text: str) -> str:
    """The text itself. Raises ValueError for what Postgres cannot store: NUL and lone surrogates."""
    if "\x00" in text:
        raise ValueError("must not contain a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode (it contains a lone surrogate)") from None
    return text


def searchable(text: str) -> str:
    """A query without the NUL that Postgres cannot take; a search never fails for its text."""
    return text.replace("\x00", " ")


def not_blank(text: str) -> str:
    """The text itself. Raises ValueError when it is nothing but white space."""
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _printable(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("must be 1 to 200 printable characters")
    return text


def storable_json(value: Any) -> Any:
    """The JSON value itself. Raises ValueError when it is too deep, too large, or holds what cannot be stored."""
    nodes = 0
    stack = [(value, 0)]
    while stack:
        node, depth = stack.pop()
        nodes += 1
        if depth > JSON_DEPTH_MAX:
            raise ValueError(f"must not be nested more than {JSON_DEPTH_MAX} levels deep")
        if nodes > JSON_NODES_MAX:
            raise ValueError(f"must not hold more than {JSON_NODES_MAX} values")
        if isinstance(node, str):
            storable(node)
        elif isinstance(node, dict):
            for key, child in node.items():
                storable(str(key))
                stack.append((child, depth + 1))
        elif isinstance(node, list | tuple):
            stack.extend((child, depth + 1) for child in node)
        elif isinstance(node, float) and not math.isfinite(node):
            raise ValueError("must not contain NaN or an infinity")
        elif isinstance(node, int) and not INT_MIN <= node <= INT_MAX:
            raise ValueError("must not contain an integer beyond 64 bits")
    return value


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


def _assume_utc(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    if isinstance(value, bool | int | float):
        raise ValueError("must be an RFC 3339 timestamp")
    return value


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_printable),
    AfterValidator(storable),
    Field(json_schema_extra={"pattern": "^[^\\u0000-\\u001f\\u007f-\\u00a0]+$"}),
]
Text = Annotated[str, AfterValidator(storable)]
Content = Annotated[
    str, StringConstraints(min_length=1, max_length=CONTENT_MAX), AfterValidator(storable), AfterValidator(not_blank)
]
Query = Annotated[str, StringConstraints(max_length=QUERY_MAX), AfterValidator(searchable)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(storable)]
JsonObject = Annotated[dict[str, Any], AfterValidator(storable_json)]
Json = Annotated[Any, AfterValidator(storable_json)]
Unit = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Moment = Annotated[AwareDatetime, BeforeValidator(_assume_utc), AfterValidator(_utc)]
