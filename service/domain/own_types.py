"""Types of memories and kinds of entities that a workspace defines for itself, beside the built-in ones.

A type of its own behaves like the built-in one that it names, and a JSON Schema may say what its memories' metadata
must be. Schemas are read by an allow-list of keywords: no references, no regular expressions, nothing that costs more
than one look at each value.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from service.domain.field_types import JsonObject, Text
from service.domain.json import dumps
from service.domain.types import POLICIES, MemoryType, TypePolicy

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

OWN_MAX = 20
NAME_MAX = 40
NO_TYPES: Mapping[str, OwnType] = {}
TYPES_MAX = len(MemoryType) + OWN_MAX
TYPES_NAMED = f"{', '.join(MemoryType)}, or one of the setting `memory_types`"
SCHEMA_BYTES_MAX = 4_000
SCHEMA_DEPTH_MAX = 10
COST_MAX = 10_000
"""Subschemas of a schema × values of the metadata it checks: some 0.06 s."""
MESSAGE_MAX = 300
DIALECT = "https://json-schema.org/draft/2020-12/schema"

BUILT_IN = frozenset(map(str, MemoryType))
BUILT_IN_KINDS = ("person", "project", "company", "product", "place", "thing")
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


def _own_name(name: str) -> str:
    if not name.isidentifier() or unicodedata.normalize("NFKC", name).casefold() != name:
        raise ValueError("must be letters, digits and underscores, in lower case, and begin with a letter")
    return name


def _own_type_name(name: str) -> str:
    if name in BUILT_IN:
        raise ValueError("is a built-in type")
    return name


def _own_kind_name(name: str) -> str:
    if name in BUILT_IN_KINDS:
        raise ValueError("is a built-in kind")
    return name


_OwnName = Annotated[str, StringConstraints(min_length=1, max_length=NAME_MAX), AfterValidator(_own_name)]
TypeName = _OwnName
"""The name of a built-in type or, perhaps, of one of the workspace's own."""
Description = Annotated[Text, StringConstraints(max_length=500)]


class EntityKind(BaseModel):
    """Kind of entities of the workspace's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Description = Field(
        "", description="Meaning of the kind, for the language model; at most 500 characters. Default empty."
    )


class OwnType(BaseModel):
    """Memory type of the workspace's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Description = Field(
        "", description="Meaning of the type, for the language model; at most 500 characters. Default empty."
    )
    like: Literal["fact", "preference", "decision", "identity", "event", "observation", "goal"] = Field(
        "fact",
        description="Built-in type whose policies (decay, identity, place in contexts, default importance) apply: "
        "`fact`, `preference`, `decision`, `identity`, `event`, `observation` or `goal`. Default `fact`.",
    )
    metadata_schema: JsonObject | None = Field(
        None,
        description="JSON Schema (draft 2020-12) of the metadata, at most 4,000 bytes, without references and regular "
        "expressions. Null: any metadata. Default null.",
    )


MemoryTypes = Annotated[dict[Annotated[_OwnName, AfterValidator(_own_type_name)], OwnType], Field(max_length=OWN_MAX)]
EntityKinds = Annotated[
    dict[Annotated[_OwnName, AfterValidator(_own_kind_name)], EntityKind], Field(max_length=OWN_MAX)
]


class Misfit(ValueError):
    """A type that is not there, or metadata that does not fit its schema; ``loc`` leads from the memory to it."""

    def __init__(self, loc: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.loc = loc


def like(types: Mapping[str, OwnType], name: str) -> MemoryType:
    """The built-in type that one behaves like; a fact where it is not known any more."""
    if name in BUILT_IN:
        return MemoryType(name)
    return MemoryType(types[name].like) if name in types else MemoryType.FACT


def policy(types: Mapping[str, OwnType], name: str) -> TypePolicy:
    """The policies of a type."""
    return POLICIES[like(types, name)]


def check_known(types: Mapping[str, OwnType], name: str) -> None:
    """Raise Misfit for a type that is neither built in nor the workspace's own."""
    if name not in BUILT_IN and name not in types:
        names = ", ".join([*MemoryType, *types])
        raise Misfit(("type",), f"must be one of {names}")


def check_filter(types: Mapping[str, OwnType], named: Iterable[str] | None) -> None:
    """Raise Misfit for a type to filter by that is not known."""
    for name in named or ():
        check_known(types, name)


def check_memory(types: Mapping[str, OwnType], name: str, metadata: Mapping[str, Any]) -> None:
    """Raise Misfit for a type that is not known, or for metadata that does not fit its schema."""
    check_known(types, name)
    schema = types[name].metadata_schema if name in types else None
    if schema is None:
        return
    if _count(schema, dict | list) * _count(metadata, object) > COST_MAX:
        raise Misfit(("metadata",), f"has too many values to be checked against the schema of the type {name}")
    error = next(_validator(dumps(schema)).iter_errors(metadata), None)
    if error is not None:
        raise Misfit(("metadata", *error.absolute_path), error.message[:MESSAGE_MAX])


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise ValueError for what is no JSON Schema, or one that is too large or uses more than is allowed."""
    if len(dumps(schema)) > SCHEMA_BYTES_MAX:
        raise ValueError(f"must have at most {SCHEMA_BYTES_MAX:,} bytes")
    _check_keywords(schema, 1)
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path))
        raise ValueError(f"is no JSON Schema: {place}{': ' if place else ''}{error.message[:MESSAGE_MAX]}") from None


def _check_keywords(schema: Any, depth: int) -> None:
    if depth > SCHEMA_DEPTH_MAX:
        raise ValueError(f"must be nested at most {SCHEMA_DEPTH_MAX} deep")
    if not isinstance(schema, dict):
        return
    unknown = schema.keys() - KEYWORDS
    if unknown:
        raise ValueError(f"must not use the keyword {min(unknown)!r}; allowed are {', '.join(sorted(KEYWORDS))}")
    if schema.get("$schema", DIALECT) != DIALECT:
        raise ValueError(f"must be of the dialect {DIALECT}")
    for inside in _subschemas(schema):
        _check_keywords(inside, depth + 1)


def _subschemas(schema: Mapping[str, Any]) -> Iterator[Any]:
    properties = schema.get("properties")
    yield from properties.values() if isinstance(properties, dict) else ()
    for keyword in _ONE:
        if keyword in schema:
            yield schema[keyword]
    for keyword in _LIST:
        listed = schema.get(keyword)
        yield from listed if isinstance(listed, list) else ()


def _count(value: Any, of: Any) -> int:
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


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Draft202012Validator:
    import orjson
    from jsonschema import Draft202012Validator

    return Draft202012Validator(orjson.loads(schema))
