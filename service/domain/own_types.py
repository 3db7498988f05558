"""Types of memories and kinds of entities that a workspace defines for itself, beside the built-in ones.

A type of its own behaves like the built-in one that it names, and a JSON Schema may say what its memories' metadata
must be; so may one of a kind for that of its entities.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from service.domain.field_types import BoundedObject, Text
from service.domain.json import JsonValue
from service.domain.json_schema import Checked, problems
from service.domain.strict import FrozenModel
from service.domain.types import POLICIES, MemoryType, TypePolicy
from service.errors import Loc

OWN_MAX = 20
NAME_MAX = 40
NO_TYPES: Mapping[str, OwnType] = {}
NO_KINDS: Mapping[str, EntityKind] = {}
TYPES_MAX = len(MemoryType) + OWN_MAX
_PEER_TYPES = {"factual": "fact", "episodic": "event", "procedural": "fact", "semantic": "fact"}
"""Memory types of other services, and ours. What is done in a way does not fade: a procedure is a fact."""
_DECIDES = re.compile(
    r"\b(?:decid(?:ed|es|ing)|decisions?|chose|chosen|agreed (?:to|on|that)|opted|settled on|went with|approved"
    r"|committed to|resolved to|(?:will|going to) (?:use|go with)|entschied\w*|beschlossen|décidé\w*|decidi\w+"
    r"|acord(?:ó|amos|aron))\b|决定|決定",
    re.IGNORECASE,
)
TYPES_NAMED = f"{', '.join(MemoryType)}, or one of the setting `memory_types`"
SCHEMA_BYTES_MAX = 4_000

BUILT_IN = frozenset(map(str, MemoryType))
BUILT_IN_KINDS = ("person", "project", "company", "product", "place", "thing")


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
MetadataSchema = BoundedObject | None


class EntityKind(FrozenModel):
    """Kind of entities of the workspace's own."""

    description: Description = Field(
        "", description="Meaning of the kind, for the language model; at most 500 characters. Default empty."
    )
    metadata_schema: MetadataSchema = Field(
        None,
        description="JSON Schema (draft 2020-12) of the entities' metadata, at most 4,000 bytes, without references "
        "and regular expressions. Null: any metadata. Default null.",
    )


class OwnType(FrozenModel):
    """Memory type of the workspace's own."""

    description: Description = Field(
        "", description="Meaning of the type, for the language model; at most 500 characters. Default empty."
    )
    like: Literal["fact", "preference", "decision", "identity", "event", "observation", "goal"] = Field(
        "fact",
        description="Built-in type whose policies (decay, identity, place in contexts, default importance) apply: "
        "`fact`, `preference`, `decision`, `identity`, `event`, `observation` or `goal`. Default `fact`.",
    )
    metadata_schema: MetadataSchema = Field(
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

    def __init__(self, loc: Loc, message: str) -> None:
        super().__init__(message)
        self.loc = loc


def known_as(types: Mapping[str, OwnType], name: str, content: str) -> str:
    """Return our name of a type of another memory service, by what the memory says a decision, and any other name, or
    one of the workspace's, as it is."""
    if name in types or name not in _PEER_TYPES:
        return name
    return MemoryType.DECISION.value if _DECIDES.search(content) else _PEER_TYPES[name]


def like(types: Mapping[str, OwnType], name: str) -> MemoryType:
    """Return the built-in type that one behaves like; a fact where it is not known any more."""
    if name in BUILT_IN:
        return MemoryType(name)
    return MemoryType(types[name].like) if name in types else MemoryType.FACT


def policy(types: Mapping[str, OwnType], name: str) -> TypePolicy:
    """Return the policies of a type."""
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


def check_memory(
    types: Mapping[str, OwnType], name: str, metadata: Mapping[str, JsonValue], checked: Checked | None = None
) -> None:
    """Raise Misfit for a type that is not known, or for metadata that does not fit its schema, or that is too much with
    what the request has ``checked`` before."""
    check_known(types, name)
    _check_metadata(types[name].metadata_schema if name in types else None, metadata, checked)


def check_entity(
    kinds: Mapping[str, EntityKind], kind: str, metadata: Mapping[str, JsonValue], checked: Checked | None = None
) -> None:
    """Raise Misfit for metadata that does not fit the schema of a kind. None at all fits: a first mention need not say
    everything."""
    if metadata:
        _check_metadata(kinds[kind].metadata_schema if kind in kinds else None, metadata, checked)


def _check_metadata(schema: MetadataSchema, metadata: Mapping[str, JsonValue], checked: Checked | None) -> None:
    wrong = problems(metadata, schema, checked) if schema is not None else []
    if wrong:
        raise Misfit(("metadata", *wrong[0].path), wrong[0].message)
