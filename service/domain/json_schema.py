"""JSON Schemas (draft 2020-12) that callers give, by an allow-list of keywords, each of which looks at a value once.

No references, so that nothing is fetched and nothing recurs; no patterns and formats, so that no regular expression of
a caller's is run. The validator is compiled; what it compares is counted beforehand, and bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from service.domain.json import JsonValue, dumps
from service.errors import Loc

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DEPTH_MAX = 10
PAIRS_MAX = 25_000
"""Values in a schema × values that it checks: some 0.0025 s at worst, in which no other thread runs."""
REQUEST_PAIRS_MAX = 2_500_000
"""Of all that one request has checked: some 0.25 s at worst, 0.015 s as a rule."""
MULTIPLE_OF_VALUES = 200
"""What `multipleOf` counts for, which computes with fractions of any length: 30 µs for 1e300, 150 times a `const`."""
EXPLAINED_PAIRS_MAX = 4_000
EXPLAINED_BYTES_MAX = 1_000_000
"""Values in a schema × bytes of the value. What does not fit is told in detail up to here: each alternative that failed
becomes an error of its own, with a copy of the value."""
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

    path: Loc
    message: str

    def __str__(self) -> str:
        place = ".".join(map(str, self.path))
        return f"{place}: {self.message}" if place else self.message


def check_schema(schema: Mapping[str, JsonValue], *, bytes_max: int) -> None:
    """Raise ValueError for what is no JSON Schema, or one that is too large or uses more than is allowed."""
    if len(dumps(schema)) > bytes_max:
        raise ValueError(f"must have at most {bytes_max:,} bytes")
    _check_keywords(schema, 1)
    from jsonschema_rs import ValidationError, meta

    try:
        meta.validate({**schema, "$schema": DIALECT})
    except ValidationError as error:
        problem = Problem(tuple(error.instance_path), _shortened(error.message))
        raise ValueError(f"is no JSON Schema: {problem}") from None


class Checked:
    """Pairs of values that a request has had compared so far."""

    def __init__(self) -> None:
        self.pairs = 0


def problems(value: JsonValue, data_schema: Mapping[str, JsonValue], checked: Checked | None = None) -> list[Problem]:
    """Return what is wrong with a JSON value under a checked schema: the first few, none where it fits.

    A value that is too large to be checked at all, or comes after too many others of the request, has that one problem.
    """
    values, validator = _compiled(dumps(data_schema))
    pairs = values * _count(value, PAIRS_MAX // values + 1)
    if pairs > PAIRS_MAX:
        return [Problem((), "has too many values to be checked against its schema")]
    if checked is not None:
        checked.pairs += pairs
        if checked.pairs > REQUEST_PAIRS_MAX:
            return [Problem((), "has, with all before it, too many values to be checked in one request; send fewer")]
    if validator.is_valid(value):
        return []
    if pairs > EXPLAINED_PAIRS_MAX or values * len(dumps(value)) > EXPLAINED_BYTES_MAX:
        return [Problem((), "does not fit its schema")]
    errors = validator.iter_errors(value)
    return [Problem(tuple(one.instance_path), _shortened(one.message)) for one in islice(errors, PROBLEMS_MAX)]


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


def _count(value: JsonValue, most: int) -> int:
    """Return how many values there are in JSON, itself among them; counted up to ``most``."""
    left, count = [value], 0
    while left and count < most:
        one = left.pop()
        count += 1
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
    return count


def _shortened(message: str) -> str:
    return message[:MESSAGE_MAX]


@lru_cache(maxsize=256)
def _compiled(schema: bytes) -> tuple[int, Draft202012Validator]:
    """Return how many values a schema counts for, and its validator."""
    import orjson
    from jsonschema_rs import Draft202012Validator

    read = orjson.loads(schema)
    multiples = schema.count(b'"multipleOf":') * MULTIPLE_OF_VALUES
    return _count(read, len(schema)) + multiples, Draft202012Validator(read)
