"""Bounded values of the API: names, texts and JSON, checked once where they come in."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, StringConstraints

from service.domain.json import JsonObject, JsonValue

CONTENT_MAX = 8_000
MESSAGE_MAX = 200_000
QUERY_MAX = 8_000
TAG_MAX = 100
JSON_DEPTH_MAX = 16
JSON_NODES_MAX = 10_000
INT_MIN, INT_MAX = -(2**63), 2**63 - 1


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Identifies:
    """Marks texts that things are told apart and looked up by: masked, they must stay different."""


class NamesInside:
    """Marks a JSON object that holds such texts (or lists of them) at these paths."""

    def __init__(self, *paths: tuple[str, ...]) -> None:
        self.paths = paths


class AsGiven:
    """Marks a name that its use case masks itself."""


def reject_unstorable(text: str) -> str:
    """Return the text itself. Raises ValueError for what Postgres cannot store: NUL and lone surrogates."""
    if "\x00" in text:
        raise ValueError("must not contain a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode (it contains a lone surrogate)") from None
    return text


def replace_unstorable(text: str) -> str:
    """Return the text without what Postgres cannot store: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


def searchable(text: str) -> str:
    """Return a query without the NUL that Postgres cannot take; a search never fails for its text."""
    return text.replace("\x00", " ")


def not_blank(text: str) -> str:
    """Return the text itself. Raises ValueError when it is nothing but white space."""
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _printable(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("must be 1 to 200 printable characters")
    return text


def reject_unstorable_json(value: JsonValue) -> JsonValue:
    """Return the JSON value itself. Raises ValueError when it is too deep, too large, or holds what cannot be
    stored."""
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
            reject_unstorable(node)
        elif isinstance(node, dict):
            for key, child in node.items():
                reject_unstorable(str(key))
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


def _in_range(moment: datetime) -> datetime:
    _utc(moment)
    return moment


def _assume_utc(value: object) -> object:
    """Return a time without a zone as one of UTC, and a day as its beginning."""
    if isinstance(value, str) and _DAY.fullmatch(value.strip()):
        return f"{value.strip()}T00:00:00Z"
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    if isinstance(value, bool | int | float):
        raise ValueError("must be an RFC 3339 timestamp")
    return value


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_printable),
    AfterValidator(reject_unstorable),
    Field(json_schema_extra={"pattern": "^[^\\u0000-\\u001f\\u007f-\\u00a0]+$"}),
    Identifies(),
]
Text = Annotated[str, AfterValidator(reject_unstorable)]
Actor = Annotated[Text, Field(min_length=1, max_length=300), Identifies()]
"""Who changed something: a key, a dream, an import."""
Content = Annotated[
    str,
    StringConstraints(min_length=1, max_length=CONTENT_MAX),
    AfterValidator(reject_unstorable),
    AfterValidator(not_blank),
]
Query = Annotated[str, StringConstraints(max_length=QUERY_MAX), AfterValidator(searchable)]
Tag = Annotated[
    str, StringConstraints(min_length=1, max_length=TAG_MAX), AfterValidator(reject_unstorable), Identifies()
]
BoundedObject = Annotated[JsonObject, AfterValidator(reject_unstorable_json)]
LANGGRAPH_NAMES = (("langgraph", "namespace"), ("langgraph", "key"))
"""Where the LangGraph store keeps the names of an item in a memory's metadata (``reverie_client.langgraph``)."""
Metadata = Annotated[BoundedObject, NamesInside(*LANGGRAPH_NAMES)]
Json = Annotated[JsonValue, AfterValidator(reject_unstorable_json)]
UnitInterval = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
TOKENS_MAX = 16_000
TokenBudget = Annotated[int, Field(ge=0, le=TOKENS_MAX)]
Days = Annotated[int, Field(ge=1, le=36_500)]
Amount = Annotated[int, Field(ge=0)]
CostUsd = Annotated[float, Field(ge=0)]
LocalTimestamp = Annotated[AwareDatetime, BeforeValidator(_assume_utc), AfterValidator(_in_range)]
Timestamp = Annotated[LocalTimestamp, AfterValidator(_utc)]

ActingAgent = Annotated[
    Name | None,
    Field(description="Name of the acting agent. Required with an admin or reader key; ignored with an agent key."),
]
ReadTask = Annotated[Name | None, Field(description="Current task; its task-scoped memories are included.")]
AgentName = Annotated[str, Field(description="Name of the agent.")]
CreatedAt = Annotated[datetime, Field(description="Creation time.")]
