"""The OpenAPI document describes every operation, field and parameter, under ids that generated clients can use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from fastapi.routing import APIRoute

from service.api.application import ROUTERS
from tests.api_document import DOCUMENT
from tests.tables import table

Document = dict[str, Any]

OPERATION_ID = re.compile(r"[a-z]+(?:_[a-z]+)+")
NAMED_VALUES_MAX = 12
"""Longer enumerations (the text-search configurations of Postgres) are not listed in a description."""


def faults(document: Document) -> list[str]:
    """What is missing, each with its place."""
    found = [fault for place, operation in operations(document) for fault in _of_operation(place, operation)]
    ids = [operation.get("operationId") for _, operation in operations(document)]
    found += [f"{one}: operation id of several operations" for one in set(ids) if ids.count(one) > 1]
    for name, schema in document["components"]["schemas"].items():
        if not name.endswith("_") and not schema.get("description"):
            found.append(f"{name}: description {schema.get('description')!r}")  # ``Page_Memory_`` says what it is
    for place, schema in described(document):
        found += _of_field(place, schema, document)
    return found


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def described(document: Document) -> Iterator[tuple[str, Document]]:
    """Every parameter and every property, with its place; a parameter with the schema's keys beside its own."""
    for place, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            yield f"{place} {parameter['name']}", parameter["schema"] | {"description": parameter.get("description")}
    for name, schema in document["components"]["schemas"].items():
        for field, inner in schema.get("properties", {}).items():
            yield f"{name}.{field}", inner


def _of_operation(place: str, operation: Document) -> Iterator[str]:
    if not OPERATION_ID.fullmatch(operation.get("operationId", "")) or "_v1_" in operation["operationId"]:
        yield f"{place}: operation id {operation.get('operationId')!r} is no verb_noun"
    if not operation.get("summary"):
        yield f"{place}: no summary"
    if not operation.get("tags"):
        yield f"{place}: no tag"


def _of_field(place: str, schema: Document, document: Document) -> Iterator[str]:
    description = schema.get("description") or _referred(schema, document).get("description", "")
    if not description:
        yield f"{place}: no description"
    default = schema.get("default")
    if isinstance(default, bool | int | float | str | list) and "Default" not in description:
        yield f"{place}: no default in {description!r}"
    for values, text in _enumerations(schema, description, document):
        if len(values) <= NAMED_VALUES_MAX and (unnamed := [value for value in values if value not in text]):
            yield f"{place}: {unnamed} not in {text!r}"


def _enumerations(schema: Document, text: str, document: Document) -> Iterator[tuple[list[str], str]]:
    """Each enumeration in a schema, with the description that has to name its values."""
    if "enum" in schema:
        yield schema["enum"], text
    component = _referred(schema, document)
    yield component.get("enum", []), component.get("description", "")
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from _enumerations(inner, text, document)


def _referred(schema: Document, document: Document) -> Document:
    """The component that a schema is; empty for one written in place. Its description holds where no other is given."""
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Document = document["components"]["schemas"][name] if name else {}
    return found


def test_everything_is_described() -> None:
    assert faults(DOCUMENT) == []


def test_ids_and_summaries_are_written_at_the_routes() -> None:
    all_routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    routes = [route for route in all_routes if route.include_in_schema]
    assert len(routes) == len(list(operations(DOCUMENT)))
    assert [route.path for route in routes if not route.operation_id or not route.summary] == []


def _search(document: Document) -> Document:
    operation: Document = document["paths"]["/v1/memories/search"]["post"]
    return operation


def _property(document: Document, schema: str, name: str) -> Document:
    found: Document = document["components"]["schemas"][schema]["properties"][name]
    return found


DAMAGES: tuple[Callable[[Document], object], ...] = (
    lambda d: _search(d).pop("operationId"),
    lambda d: _search(d).update(operationId="search_v1_memories_search_post"),
    lambda d: _search(d).update(operationId="preview_search"),
    lambda d: _search(d).update(operationId="search"),
    lambda d: _search(d).pop("summary"),
    lambda d: _search(d).pop("tags"),
    lambda d: d["paths"]["/v1/memories"]["get"]["parameters"][0].pop("description"),
    lambda d: _property(d, "SearchRequest", "limit").pop("description"),
    lambda d: _property(d, "SearchRequest", "limit").update(description="Number of results to return."),
    lambda d: _property(d, "Memory", "embedding").update(description="State of the vector."),
    lambda d: d["components"]["schemas"]["Session"].pop("description"),
    lambda d: d["components"]["schemas"]["Scope"].update(description="Scope of a memory."),
)


def test_whatever_is_missing_is_found() -> None:
    with table() as row:
        for number, damage in enumerate(DAMAGES):
            with row(number):
                document = deepcopy(DOCUMENT)
                damage(document)
                assert faults(document) != []
