"""JSON Schemas (draft 2020-12) that callers give, by an allow-list of keywords, each of which looks at a value once.

No references, so that nothing is fetched and nothing recurs; no patterns and formats, so that no regular expression of
a caller's is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import UnionType
from typing import TYPE_CHECKING, NamedTuple

from service.domain.json import JsonValue, dumps

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DEPTH_MAX = 10
COST_MAX = 10_000
"""Subschemas of a schema × values that it checks: some 0.06 s."""
PROBLEMS_MAX = 10
MESSAGE_MAX = 300
KEYWORDS = frozenset(
    {
        "$schema", "$comment", "title", "description", "default", "examples", "type", "enum", "const", "properties",
        "required", "additionalProperties", "minProperties", "maxProperties", "items", "prefixItems", "minItems",
        "maxItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
    }
)  # fmt: skip
_ONE = ("additionalProperties", "items", "not", "if", "then", "else")
_LIST = ("prefixItems", "anyOf", "oneOf", "allOf")


class Problem(NamedTuple):
    """What is wrong with a value, and the path from the whole to it."""

    path: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        place = ".".join(map(str, self.path))
        return f"{place}: {self.message}" if place else self.message


def check_schema(schema: Mapping[str, JsonValue], *, bytes_max: int) -> None:
    """Raise ValueError for what is no JSON Schema, or one that is too large or uses more than is allowed."""
    if len(dumps(schema)) > bytes_max:
        raise ValueError(f"must have at most {bytes_max:,} bytes")
    _check_keywords(schema, 1)
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise ValueError(
            f"is no JSON Schema: {Problem(tuple(error.absolute_path), _shortened(error.message))}"
        ) from None


def problems(value: JsonValue, data_schema: Mapping[str, JsonValue]) -> list[Problem]:
    """What is wrong with a JSON value under a checked schema: the first few, none where it fits.

    A value that is too large to be checked at all has that one problem.
    """
    if _count(data_schema, dict | list) * _count(value, object) > COST_MAX:
        return [Problem((), "has too many values to be checked against its schema")]
    errors = _validator(dumps(data_schema)).iter_errors(value)
    return [Problem(tuple(one.absolute_path), _shortened(one.message)) for one in islice(errors, PROBLEMS_MAX)]


def _check_keywords(schema: JsonValue, depth: int) -> None:
    if depth > DEPTH_MAX:
        raise ValueError(f"must be nested at most {DEPTH_MAX} deep")
    if not isinstance(schema, Mapping):
        return
    unknown = schema.keys() - KEYWORDS
    if unknown:
        raise ValueError(f"must not use the keyword {min(unknown)!r}; allowed are {', '.join(sorted(KEYWORDS))}")
    if schema.get("$schema", DIALECT) != DIALECT:
        raise ValueError(f"must be of the dialect {DIALECT}")
    for inside in _subschemas(schema):
        _check_keywords(inside, depth + 1)


def _subschemas(schema: Mapping[str, JsonValue]) -> Iterator[JsonValue]:
    properties = schema.get("properties")
    yield from properties.values() if isinstance(properties, dict) else ()
    for keyword in _ONE:
        if keyword in schema:
            yield schema[keyword]
    for keyword in _LIST:
        listed = schema.get(keyword)
        yield from listed if isinstance(listed, list) else ()


def _count(value: JsonValue, of: type | UnionType) -> int:
    """How many values of these classes there are in JSON."""
    left, count = [value], 0
    while left:
        one = left.pop()
        count += isinstance(one, of)
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
    return count


def _shortened(message: str) -> str:
    return message[:MESSAGE_MAX]


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Draft202012Validator:
    import orjson
    from jsonschema import Draft202012Validator

    return Draft202012Validator(orjson.loads(schema))
