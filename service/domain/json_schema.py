"""A bounded part of JSON Schema, for schemas that callers give: checked once, and linear to validate with.

No references, so that nothing is fetched and nothing recurs; no patterns and formats, so that no regular expression of
a caller's is run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

from service.domain.field_types import JsonObject
from service.domain.json import dumps

DEPTH_MAX = 8
NODES_MAX = 200
BYTES_MAX = 20_000
PROBLEMS_MAX = 10

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength")
_BOUNDS = ("minimum", "maximum")
_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "title",
     "description", "default", "examples", *_COUNTS, *_BOUNDS}
)  # fmt: skip

Json = dict[str, Any]


def check_schema(schema: Json) -> Json:
    """The schema itself. Raises ValueError, naming the place, for one that is too large, or that uses anything else."""
    if len(dumps(schema)) > BYTES_MAX:
        raise ValueError(f"must have at most {BYTES_MAX:,} bytes")
    nodes = 0
    stack: list[tuple[str, Any, int]] = [("the schema", schema, 1)]
    while stack:
        place, node, depth = stack.pop()
        nodes += 1
        if nodes > NODES_MAX:
            raise ValueError(f"must have at most {NODES_MAX} subschemas")
        if depth > DEPTH_MAX:
            raise ValueError(f"{place} is nested more than {DEPTH_MAX} levels deep")
        if not isinstance(node, dict):
            raise ValueError(f"{place} must be an object")
        _check_keywords(place, node)
        stack += [(inner_place, inner, depth + 1) for inner_place, inner in _subschemas(place, node)]
    return schema


Schema = Annotated[JsonObject, AfterValidator(check_schema)]


def problems(value: Any, data_schema: Json) -> list[str]:
    """What is wrong with a JSON value under a checked schema, each with its place; the first few, empty for nothing."""
    found: list[str] = []
    for problem in _problems(value, data_schema, "the value"):
        found.append(problem)
        if len(found) == PROBLEMS_MAX:
            break
    return found


def _check_keywords(place: str, node: Json) -> None:
    unknown = sorted(node.keys() - _KEYWORDS)
    if unknown:
        raise ValueError(f"{place} uses {unknown[0]!r}; the keywords are {', '.join(sorted(_KEYWORDS))}")
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or not all(isinstance(kind, str) and kind in _TYPES for kind in kinds):
        raise ValueError(f"{place}: type must be one or more of {', '.join(_TYPES)}")
    names = node.get("required", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{place}: required must be a list of names")
    if "enum" in node and (not isinstance(node["enum"], list) or not node["enum"]):
        raise ValueError(f"{place}: enum must be a list of values")
    for name in _COUNTS:
        if name in node and (type(node[name]) is not int or node[name] < 0):
            raise ValueError(f"{place}: {name} must be a number of 0 or more")
    for name in _BOUNDS:
        if name in node and not _is_number(node[name]):
            raise ValueError(f"{place}: {name} must be a number")


def _subschemas(place: str, node: Json) -> Iterator[tuple[str, Any]]:
    inner = node.get("properties", {})
    if not isinstance(inner, dict):
        raise ValueError(f"{place}: properties must be an object")
    yield from ((f"{place}.{name}", one) for name, one in inner.items())
    alternatives = node.get("anyOf", [])
    if not isinstance(alternatives, list) or ("anyOf" in node and not alternatives):
        raise ValueError(f"{place}: anyOf must be a list of schemas")
    yield from ((f"{place}, alternative {number}", one) for number, one in enumerate(alternatives, start=1))
    if "items" in node:
        yield f"{place}[]", node["items"]
    if not isinstance(node.get("additionalProperties", True), bool):
        yield f"{place}.*", node["additionalProperties"]


def _problems(value: Any, schema: Json, place: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_of(value, kind) for kind in kinds):
        yield f"{place} must be of type {' or '.join(kinds)}"
        return
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield f"{place} must be one of {dumps(schema['enum']).decode()}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{place} must be {dumps(schema['const']).decode()}"
    if schema.get("anyOf") and not any(next(_problems(value, one, place), None) is None for one in schema["anyOf"]):
        yield f"{place} fits none of its alternatives"
    if isinstance(value, dict):
        yield from _of_object(value, schema, place)
    elif isinstance(value, list):
        yield from _of_size(len(value), schema.get("minItems"), schema.get("maxItems"), f"{place} must have", "items")
        if "items" in schema:
            for number, one in enumerate(value):
                yield from _problems(one, schema["items"], f"{place}[{number}]")
    elif isinstance(value, str):
        yield from _of_size(
            len(value), schema.get("minLength"), schema.get("maxLength"), f"{place} must have", "characters"
        )
    elif _is_number(value):
        yield from _of_size(value, schema.get("minimum"), schema.get("maximum"), f"{place} must be", "")


def _of_object(value: Json, schema: Json, place: str) -> Iterator[str]:
    yield from (f"{place} lacks {name!r}" for name in schema.get("required", []) if name not in value)
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, one in value.items():
        if name in known:
            yield from _problems(one, known[name], f"{place}.{name}")
        elif isinstance(others, dict):
            yield from _problems(one, others, f"{place}.{name}")
        elif not others:
            yield f"{place} must not have {name!r}"


def _of_size(size: float, least: float | None, most: float | None, place: str, unit: str) -> Iterator[str]:
    if least is not None and size < least:
        yield f"{place} at least {least} {unit}".rstrip()
    if most is not None and size > most:
        yield f"{place} at most {most} {unit}".rstrip()


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _same(value: Any, other: Any) -> bool:
    return value == other and isinstance(value, bool) == isinstance(other, bool)
