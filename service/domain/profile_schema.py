"""Profiles whose fields a workspace's JSON Schema names: each property of it is filled by rules where it is what a slot
holds, and by a language model else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from service.domain.field_types import CONTENT_MAX, reject_unstorable
from service.domain.guards import normalize
from service.domain.json import JsonValue, dumps
from service.domain.json_schema import check_schema, problems
from service.domain.profile import GROUPS, SEVERAL, SINGLE, Known, ProfileField, Scalar, field_of_kind, values_of

SLOT: Final = "x-reverie-slot"
NAME_MAX: Final = 100
PROPERTIES_MAX: Final = 50
SCHEMA_BYTES_MAX: Final = 8_000
_SCALARS: Final = {"string", "integer", "number", "boolean"}
_TOP: Final = {"$schema", "$comment", "title", "description", "type", "properties", "required", "additionalProperties"}
_YES, _NO = ("true", "yes"), ("false", "no")
_NUMBER_CHARACTERS: Final = frozenset("0123456789.-")
_NUMBER_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Property:
    """A field of the profile. ``slot``: the field (and aspect, if one is meant) or attribute that rules fill it from,
    None for one that a model fills; ``value``: the schema of one value; ``several``: it has any number of them."""

    name: str
    slot: tuple[str, str | None] | None
    value: Mapping[str, JsonValue]
    several: bool


@dataclass(frozen=True, slots=True)
class Filled:
    """A value that a model has given a property, the memories that it cited, and since when it holds."""

    name: str
    value: JsonValue
    memory_ids: tuple[UUID, ...]
    since: datetime


def check_profile_schema(schema: Mapping[str, JsonValue]) -> None:
    """Raise ValueError for what is no schema of a profile: an object whose properties are texts, numbers or booleans,
    or lists of such."""
    if unknown := schema.keys() - _TOP:
        raise ValueError(f"must not use the keyword {min(unknown)!r}; allowed are {', '.join(sorted(_TOP))}")
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict):
        raise ValueError("must be of the type `object` and have `properties`")
    if not 1 <= len(properties) <= PROPERTIES_MAX:
        raise ValueError(f"must have 1 to {PROPERTIES_MAX} properties")
    check_schema({**schema, "properties": dict(map(_checked, properties.items()))}, bytes_max=SCHEMA_BYTES_MAX)


def _checked(item: tuple[str, JsonValue]) -> tuple[str, JsonValue]:
    """Return a property without its slot, as JSON Schema knows it."""
    name, given = item
    if not name.strip() or not name.isprintable() or len(name) > NAME_MAX:
        raise ValueError(f"must have properties named by 1 to {NAME_MAX} printable characters")
    if not isinstance(given, dict):
        raise ValueError(f"must have an object for the property {name!r}")
    slot = given.get(SLOT, name)
    if not isinstance(slot, str) or not slot.strip() or len(slot) > NAME_MAX:
        raise ValueError(f"must have 1 to {NAME_MAX} characters for `{SLOT}` of the property {name!r}")
    reject_unstorable(slot)
    one = given.get("items") if given.get("type") == "array" else given
    if not isinstance(one, dict) or not _is_scalar(one):
        raise ValueError(
            f"must have for the property {name!r} a `type` of `string`, `integer`, `number` or `boolean`, an `enum` of "
            "such, or `array` with such `items`"
        )
    return name, {keyword: value for keyword, value in given.items() if keyword != SLOT}


def _is_scalar(schema: Mapping[str, JsonValue]) -> bool:
    of_type, listed = schema.get("type"), schema.get("enum", [schema["const"]] if "const" in schema else None)
    if of_type is not None:
        return isinstance(of_type, str) and of_type in _SCALARS
    return isinstance(listed, list) and bool(listed) and all(isinstance(one, str | int | float) for one in listed)


def properties_of(schema: Mapping[str, JsonValue]) -> list[Property]:
    """Return the fields of a checked schema, by name: as it is stored, it has no order."""
    found = []
    for name, given in sorted(schema["properties"].items()):
        several = given.get("type") == "array"
        value = given["items"] if several else {key: part for key, part in given.items() if key != SLOT}
        named = given.get(SLOT)
        slot = _slot(named) or (named.strip().casefold(), None) if named is not None else _slot(name)
        found.append(Property(name, slot, value, several))
    return found


def _slot(named: str) -> tuple[str, str | None] | None:
    """Return what rules know under this name: a field of theirs, one aspect of it, or an attribute that fills one."""
    folded = normalize(named)
    spaced = folded.replace("_", " ")
    if spaced in GROUPS:
        return spaced, None
    if "/" in spaced and spaced.partition("/")[0] in GROUPS:
        field, _, aspect = spaced.partition("/")
        return field, aspect
    for attributes in (SINGLE, SEVERAL):
        if folded in attributes:
            return attributes[folded]
    if spaced.startswith("favorite "):
        return "likes", spaced.removeprefix("favorite ")
    relatives = field_of_kind(folded)
    return (relatives, folded) if relatives else None


def profile_by_schema(
    user: str, known: Iterable[Known], filled: Sequence[Filled], as_of: datetime, schema: Mapping[str, JsonValue]
) -> list[ProfileField]:
    """Return the fields of the schema that have a value, by name and the newest first within each."""
    said = values_of(user, known, as_of)
    fields: list[ProfileField] = []
    for each in properties_of(schema):
        fields += _by_slot(each, each.slot, said) if each.slot else _by_model(each, filled)
    return fields


def _by_slot(wanted: Property, slot: tuple[str, str | None], said: Sequence[ProfileField]) -> Iterator[ProfileField]:
    """Yield what rules know, as the schema wants it. Where the newest value does not fit, an older one does not stand
    for it."""
    field, aspect = slot
    found = [one for one in said if one.name == field and aspect in (None, one.detail)]
    for one in found if wanted.several else sorted(found, key=lambda one: one.since)[-1:]:
        value = coerced(str(one.value), wanted.value)
        if value is not None:
            yield ProfileField(wanted.name, None, value, one.memory_ids, one.since, one.group)


def _by_model(wanted: Property, filled: Sequence[Filled]) -> Iterator[ProfileField]:
    newest_first = sorted((one for one in filled if one.name == wanted.name), key=lambda one: one.since, reverse=True)
    shown = set()
    for one in newest_first if wanted.several else newest_first[:1]:
        value = fitting(one.value, wanted.value)
        if value is not None and (key := dumps(value)) not in shown:
            shown.add(key)
            yield ProfileField(wanted.name, None, value, one.memory_ids, one.since, "static")


def fitting(value: JsonValue, data_schema: Mapping[str, JsonValue]) -> Scalar | None:
    """Return the value itself where it is one and fits the schema, else None."""
    if not isinstance(value, str | bool | int | float):
        return None
    if isinstance(value, str) and not 0 < len(value) <= CONTENT_MAX:
        return None
    return None if problems(value, data_schema) else value


def coerced(text: str, data_schema: Mapping[str, JsonValue]) -> Scalar | None:
    """Return a value in words as the schema wants it: one of an enumeration whatever its case, a number, or yes and no;
    None where it is not to be had of it."""
    return next(
        (value for one in _readings(text, data_schema) if (value := fitting(one, data_schema)) is not None), None
    )


def _readings(text: str, data_schema: Mapping[str, JsonValue]) -> Iterator[Scalar]:
    folded = normalize(text)
    yield text
    for listed in data_schema.get("enum", [data_schema.get("const")]):
        if isinstance(listed, str) and normalize(listed) == folded:
            yield listed
    if folded in _YES or folded in _NO:
        yield folded in _YES
    if 0 < len(folded) <= _NUMBER_MAX and set(folded) <= _NUMBER_CHARACTERS:
        try:
            number = float(folded)
        except ValueError:
            return
        if math.isfinite(number):
            yield int(number) if number.is_integer() else number
