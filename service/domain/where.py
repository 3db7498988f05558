"""The filter ``where``: conditions on metadata and fields of memories, joined by ``and``, ``or`` and ``not``.

``{"and": [{"metadata.priority": {"gte": 3}}, {"not": {"tags": {"in": ["draft"]}}}]}``; docs/filters.md has the grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, get_args

from pydantic import Field

from service.domain.field_types import BoundedObject, reject_unstorable_json
from service.domain.json import JsonObject, JsonValue
from service.errors import InvalidInput, Loc

CONDITIONS_MAX = 50
DEPTH_MAX = 8
"""Of ``and``, ``or`` and ``not`` inside each other."""
VALUES_MAX = 500
"""Of one ``in``."""
TEXT_MAX = 1_000
"""Characters of a value, and of a path."""
KEYS_MAX = 16
"""Of a path."""
JSON_MAX = 16_000
"""Characters of a filter in a query string."""

JSON_FIELDS = ("metadata", "source")
NAME_FIELDS = ("agent", "team", "task", "session", "user", "hearsay_by", "key", "tags")
TIME_FIELDS = (
    "created_at", "updated_at", "happened_at", "occurred_at", "valid_from", "valid_until", "expires_at",
)  # fmt: skip
OTHER_FIELDS = ("type", "scope", "origin", "status", "importance", "confidence", "decay_exempt")
FIELDS = (*JSON_FIELDS, *NAME_FIELDS, *OTHER_FIELDS, *TIME_FIELDS)

Operator = Literal["eq", "ne", "in", "gt", "gte", "lt", "lte", "exists"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
RANGES = ("gt", "gte", "lt", "lte")
_PLAIN_KEY = re.compile(r'[^."]+')

WhereObject = Annotated[
    BoundedObject | None,
    Field(
        description="Filter of the memories by conditions on `metadata.<key>`, `source.<key>` and fields, with `and`, "
        "`or`, `not`, `eq`, `ne`, `in`, `gt`, `gte`, `lt`, `lte` and `exists`; at most 50 conditions.",
        examples=[{"and": [{"metadata.priority": {"gte": 3}}, {"not": {"tags": {"in": ["draft"]}}}]}],
    ),
]


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of what stands at ``keys`` under a field; ``value`` is a scalar, and of ``in`` a list of them."""

    field: str
    keys: tuple[str, ...]
    operator: Operator
    value: JsonValue
    loc: Loc
    """Where the request has it."""


@dataclass(frozen=True, slots=True)
class Junction:
    """``and`` or ``or`` of its parts."""

    word: Literal["and", "or"]
    parts: tuple[Where, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """What the part is not true of."""

    part: Where


Where = Condition | Junction | Negation


def parse_where(given: Mapping[str, JsonValue] | None, loc: Loc) -> Where | None:
    """Return the filter in a request's JSON object at ``loc``; None for none. Raises InvalidInput, which names the
    path."""
    if given is None:
        return None
    found = _parsed(given, loc, 0)
    if sum(1 for _ in conditions_of(found)) > CONDITIONS_MAX:
        raise InvalidInput(loc, f"must not have more than {CONDITIONS_MAX} conditions")
    return found


def parse_where_text(given: str | None, loc: Loc) -> Where | None:
    """Return the filter in a query string, which has it as JSON."""
    if given is None:
        return None
    try:
        value = reject_unstorable_json(json.loads(given))
    except RecursionError:
        raise InvalidInput(loc, "is nested too deep") from None
    except ValueError as error:
        raise InvalidInput(loc, f"must be a JSON object: {error}") from None
    return parse_where(_object(value, loc), loc)


def conditions_of(where: Where) -> Iterator[Condition]:
    """Yield every condition in it, in order."""
    if isinstance(where, Condition):
        yield where
    else:
        for part in where.parts if isinstance(where, Junction) else (where.part,):
            yield from conditions_of(part)


def with_conditions(where: Where, changed: Callable[[Condition], Condition]) -> Where:
    """Return the same with each condition changed, in order."""
    if isinstance(where, Condition):
        return changed(where)
    if isinstance(where, Negation):
        return Negation(with_conditions(where.part, changed))
    return replace(where, parts=tuple(with_conditions(part, changed) for part in where.parts))


def restated(given: Mapping[str, JsonValue], where: Where) -> JsonObject:
    """Return the JSON object of a filter with the keys and values of ``where``, which is that filter with its
    conditions changed."""
    return _restated(given, conditions_of(where))


def _restated(given: Mapping[str, JsonValue], left: Iterator[Condition]) -> JsonObject:
    """``left``: the conditions that are still to come, in the order of the object."""
    object_: JsonObject = {}
    for name, value in given.items():
        if name == "not":
            object_[name] = _restated(value, left)
        elif name in ("and", "or"):
            object_[name] = [_restated(part, left) for part in value]
        else:
            for operator, operand in (value if isinstance(value, dict) else {"eq": value}).items():
                one = next(left)
                kept = operand if operator == "exists" else one.value
                object_.setdefault(_path_of(one), {})[operator] = kept
    return object_


def _path_of(condition: Condition) -> str:
    keys = (key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in condition.keys)
    return ".".join((condition.field, *keys))


def _parsed(given: JsonValue, loc: Loc, depth: int) -> Where:
    entries = _object(given, loc)
    if not entries:
        raise InvalidInput(loc, "must have at least one condition")
    parts = tuple(_entry(name, value, (*loc, name), depth) for name, value in entries.items())
    return parts[0] if len(parts) == 1 else Junction("and", parts)


def _entry(name: str, value: JsonValue, loc: Loc, depth: int) -> Where:
    if name not in ("and", "or", "not"):
        return _comparisons(name, value, loc)
    if depth >= DEPTH_MAX:
        raise InvalidInput(loc, f"must not be nested more than {DEPTH_MAX} levels deep")
    if name == "not":
        return Negation(_parsed(value, loc, depth + 1))
    if not isinstance(value, list) or not value:
        raise InvalidInput(loc, "must be a list of at least one filter")
    parts = tuple(_parsed(part, (*loc, position), depth + 1) for position, part in enumerate(value))
    return Junction("and" if name == "and" else "or", parts)


def _comparisons(path: str, value: JsonValue, loc: Loc) -> Where:
    field, keys = _path(path, loc)
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise InvalidInput(loc, 'must be a value or an object of operators; a list of values stands under "in"')
        value = {"eq": value}
    if not value:
        raise InvalidInput(loc, f"must have at least one operator of {', '.join(OPERATORS)}")
    parts = tuple(_condition(field, keys, name, operand, loc) for name, operand in value.items())
    return parts[0] if len(parts) == 1 else Junction("and", parts)


def _condition(field: str, keys: tuple[str, ...], name: str, operand: JsonValue, at: Loc) -> Where:
    loc = (*at, name)
    operator = next((one for one in OPERATORS if one == name), None)
    if operator is None:
        raise InvalidInput(loc, f"is not one of the operators {', '.join(OPERATORS)}")
    if operator == "exists":
        if not isinstance(operand, bool):
            raise InvalidInput(loc, "must be true or false")
        found = Condition(field, keys, "exists", True, loc)
        return found if operand else Negation(found)
    if operator == "in":
        if not isinstance(operand, list) or not 1 <= len(operand) <= VALUES_MAX:
            raise InvalidInput(loc, f"must be a list of 1 to {VALUES_MAX} values")
        values = [_value(field, one, (*loc, position)) for position, one in enumerate(operand)]
        return Condition(field, keys, "in", values, loc)
    value = _value(field, operand, loc)
    if operator in RANGES and (isinstance(value, bool) or value is None):
        raise InvalidInput(loc, "must be a number, a text or a time")
    if operator == "ne":
        return Negation(Condition(field, keys, "eq", value, loc))
    return Condition(field, keys, operator, value, loc)


def _value(field: str, value: JsonValue, loc: Loc) -> JsonValue:
    if isinstance(value, dict | list):
        raise InvalidInput(loc, "must be a text, a number, true, false or null")
    if isinstance(value, str) and len(value) > TEXT_MAX:
        raise InvalidInput(loc, f"must not be longer than {TEXT_MAX} characters")
    if value is None and field not in JSON_FIELDS:
        raise InvalidInput(loc, 'must not be null: {"exists": false} finds memories without it')
    return _time(value, loc) if field in TIME_FIELDS else value


def _time(value: JsonValue, loc: Loc) -> str:
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(loc, "must be an RFC 3339 timestamp or a date") from None


def _path(path: str, loc: Loc) -> tuple[str, tuple[str, ...]]:
    """Return the field and the keys of ``metadata.a."b.c"``: a key with a dot or a quote stands in quotes, as a JSON
    text."""
    if len(path) > TEXT_MAX:
        raise InvalidInput(loc, f"must not be longer than {TEXT_MAX} characters")
    field, dot, rest = path.partition(".")
    if field not in FIELDS:
        raise InvalidInput(loc, f"is no field: metadata.<key>, source.<key> or one of {', '.join(FIELDS[2:])}")
    if field not in JSON_FIELDS:
        if dot:
            raise InvalidInput(loc, f"{field} has no keys")
        return field, ()
    if not dot:
        raise InvalidInput(loc, f"needs a key: {field}.<key>")
    keys = tuple(_keys(rest, loc))
    if len(keys) > KEYS_MAX:
        raise InvalidInput(loc, f"must not have more than {KEYS_MAX} keys")
    return field, keys


def _keys(path: str, loc: Loc) -> Iterator[str]:
    at = 0
    while True:
        if path.startswith('"', at):
            try:
                key, at = json.JSONDecoder().raw_decode(path, at)
            except ValueError:
                raise InvalidInput(loc, "has a quote that is not closed") from None
        else:
            end = path.find(".", at)
            key, at = (path[at:], len(path)) if end < 0 else (path[at:end], end)
            if not key or '"' in key:
                raise InvalidInput(loc, 'has an empty key or a quote inside one: put the key in quotes, as in a."b.c"')
        yield key
        if at == len(path):
            return
        if path[at] != ".":
            raise InvalidInput(loc, "must have a dot after a quoted key")
        at += 1


def _object(value: JsonValue, loc: Loc) -> JsonObject:
    if not isinstance(value, dict):
        raise InvalidInput(loc, "must be a JSON object")
    return value
