"""The OpenAPI document, and the types of Python that its schemas are."""

from __future__ import annotations

import json
import textwrap
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from service.app import create_app
from service.settings import Settings

Schema = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent.parent
MADE = "Made by scripts/clients of the OpenAPI document and of clients/names.toml: make clients."
NAMES: Schema = tomllib.loads((ROOT / "clients" / "names.toml").read_text("utf-8"))
OURS: Schema = NAMES["python"]
WIDTH = 120
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
FORMATS = {"uuid": ("UUID", "Id"), "date-time": ("datetime", "Moment")}
"""What such a text is in an answer, and in a request."""


@cache
def document() -> Schema:
    return create_app(Settings(DATABASE_URL="postgresql://nowhere", _env_file=None)).openapi()


def component(name: str) -> Schema:
    found: Schema = document()["components"]["schemas"][name]
    return found


def referred(schema: Schema) -> str:
    """Return the name of the component that a schema is; empty for one written in place."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def without_null(schema: Schema) -> tuple[Schema, bool]:
    """Return a schema without null, and whether it allowed that."""
    kept = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if len(kept) == len(schema.get("anyOf", ())):
        return schema, False
    return (kept[0] if len(kept) == 1 else {"anyOf": kept}), True


def paragraphs(text: str, width: int) -> list[str]:
    """Return the lines of a text, each paragraph rewrapped."""
    wrapped = [textwrap.fill(" ".join(one.split()), width, break_on_hyphens=False) for one in text.split("\n\n")]
    return "\n\n".join(wrapped).splitlines()


@cache
def named_words(kind: str) -> dict[tuple[str, ...], str]:
    """Return the names of words that have one, in answers or in requests alone, by the words."""
    places = {name: place.split(".") for name, place in OURS[kind].items()}
    return {words_of(component(schema)["properties"][field]): name for name, (schema, field) in places.items()}


def words_of(schema: Schema) -> tuple[str, ...]:
    """Return the words that a schema, or its items, allow; empty where they are not enumerated."""
    schema = without_null(schema)[0]
    schema = component(referred(schema)) if referred(schema) else schema
    return words_of(schema["items"]) if "items" in schema else tuple(schema.get("enum", ()))


def literal(words: tuple[str, ...]) -> str:
    return f"Literal[{', '.join(map(json.dumps, words))}]"


def type_of(schema: Schema, place: str = "", *, sent: bool, many: str = "list") -> str:
    """Return the type of a field at ``Schema.field``, sent in a request or answered."""
    said = OURS["types"].get(place, "")
    if said not in ("", "Literal"):
        return str(said)
    schema, nullable = without_null(schema)
    kind = literal(words_of(schema)) if said else _type_of(schema, sent, many)
    return f"{kind} | None" if nullable else kind


def _type_of(schema: Schema, sent: bool, many: str) -> str:
    name, kind = referred(schema), schema.get("type")
    if "items" not in schema and (words := words_of(schema)):
        named = named_words("answer_words") | (named_words("option_words") if sent else {})
        return named.get(words) or (literal(words) if sent else "str")
    if name:
        return (name if name in OURS["drafts"] else "Json") if sent else model_of(name)
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "anyOf" in schema:
        kinds = [type_of(one, sent=sent) for one in schema["anyOf"]]
        return "Any" if "Any" in kinds else " | ".join(kinds)
    if kind == "array":
        return f"{many}[{type_of(schema['items'], sent=sent)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values, sent=sent)}]" if isinstance(values, dict) else "Json"
    return FORMATS[schema["format"]][sent] if schema.get("format") in FORMATS else PLAIN.get(str(kind), "Any")


def model_of(name: str) -> str:
    """Return what the client calls the answer that a component describes."""
    if name in OURS["plain"]:
        return "Json"
    fields = component(name).get("properties", {})
    if name not in OURS["models"] and "items" in fields and (name.startswith("Items_") or "next_cursor" in fields):
        return f"Page[{type_of(fields['items']['items'], sent=False)}]"
    return str(OURS["models"].get(name, name))
