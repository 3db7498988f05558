"""The methods of both clients: what of an operation is which parameter."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass

from scripts.clients.document import NAMES, Schema, component, document, referred, type_of, without_null

NOT_FIELDS = frozenset({"cursor", "stream"})
"""What lists and streams, which are methods of their own, send."""
FOR_USER = "user"
"""What says for whom a request is made: in the body, or else in every query."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method; ``default`` is empty for one that must be given."""

    name: str
    field: str
    place: str
    schema: Schema
    type: str
    default: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the clients, of which an operation has one or several."""

    name: str
    verb: str
    path: str
    operation: Schema
    parameters: tuple[Parameter, ...]
    leading: int
    """How many parameters are before ``/``."""
    fixed: dict[str, bool]
    options: str
    returns: str

    @property
    def id(self) -> str:
        return str(self.operation["operationId"])

    @property
    def text(self) -> str:
        """What it does, in the words of the document."""
        summary, more = self.operation["summary"], self.operation.get("description", "")
        said = f"Count what this would take: {summary[0].lower()}{summary[1:]}" if "dry_run" in self.fixed else summary
        return f"{said}." if more in ("", f"{summary}.") else f"{said}.\n\n{more}"

    @property
    def is_list(self) -> bool:
        return any(one["name"] == "cursor" for one in self.operation.get("parameters", ()))

    @property
    def agent_in(self) -> str:
        """Where the client's own agent is named when the call names none: nowhere in what admins do for others."""
        if "{agent}" in self.path or "admin" in self.operation["tags"]:
            return ""
        return next((one.place for one in fields_of(self.operation) if one.field == "agent"), "")

    @property
    def user_in(self) -> str:
        """Where the client's own user is named when the call names none."""
        in_body = any((one.field, one.place) == (FOR_USER, "body") for one in fields_of(self.operation))
        return "body" if in_body and self.id not in NAMES["other_users"] else "query"

    def at(self, *places: str) -> list[Parameter]:
        return [one for one in self.parameters if one.place in places]

    def others(self) -> list[Parameter]:
        """Return the fields that ``options`` has."""
        named = {one.field for one in self.parameters} | self.fixed.keys()
        return [one for one in fields_of(self.operation) if one.field not in named]


def body_of(operation: Schema) -> str:
    """Return the name of the component that the body is; empty where there is none."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {"schema": {}})
    return referred(without_null(content["schema"])[0])


def fields_of(operation: Schema) -> list[Parameter]:
    """Return what can be sent: parts of the path, what is needed, what is not.

    Raises ValueError for an operation with a query and a body, whose other fields would be of two places.
    """
    takes_user = operation["operationId"] in NAMES["for_user"]
    found = [
        (one["name"], one["in"], one["schema"], one["required"])
        for one in operation.get("parameters", ())
        if one["in"] != "header" and (one["name"] != FOR_USER or one["in"] == "path" or takes_user)
    ]
    if body := body_of(operation):
        if any(place == "query" for _, place, _, _ in found):
            raise ValueError(f"{operation['operationId']} has a query and a body")
        needed = component(body).get("required", ())
        found += [(name, "body", one, name in needed) for name, one in component(body)["properties"].items()]
    elif "requestBody" in operation:
        found.append(("body", "whole", {}, True))
    fields = [
        Parameter(
            name,
            name,
            place,
            schema,
            type_of(schema, f"{body}.{name}", sent=True, many="Sequence"),
            "" if needed else default_of(schema),
        )
        for name, place, schema, needed in found
        if name not in NOT_FIELDS and "const" not in schema
    ]
    return sorted(fields, key=lambda one: (one.place != "path", one.default != ""))


def default_of(schema: Schema) -> str:
    default = schema.get("default")
    if isinstance(default, list):
        return "()"
    return "None" if isinstance(default, dict) else json.dumps(default) if isinstance(default, str) else repr(default)


def methods() -> list[Method]:
    """Return the methods, those of a tag together."""
    found = [
        method(signature, verb.upper(), path, operation)
        for path, operations in document()["paths"].items()
        for verb, operation in operations.items()
        if (id_ := operation["operationId"]) not in NAMES["streams"]
        for signature in signatures(id_)
    ]
    tags = list(dict.fromkeys(one.operation["tags"][0] for one in found))
    return sorted(found, key=lambda one: tags.index(one.operation["tags"][0]))


def signatures(operation: str) -> list[str]:
    named: str | list[str] = NAMES["methods"].get(operation, operation)
    return [named] if isinstance(named, str) else named


def method(signature: str, verb: str, path: str, operation: Schema) -> Method:
    """Return the method that a signature of ``clients/names.toml`` declares."""
    declaration, _, returns = signature.partition(" -> ")
    own = fields_of(operation)
    if "(" not in declaration:
        return Method(declaration, verb, path, operation, tuple(own), 0, {}, "", returns)
    function = ast.parse(f"def {declaration}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    declared = function.args
    given = [*declared.posonlyargs, *declared.args]
    defaults = [None] * (len(given) - len(declared.defaults)) + declared.defaults
    fixed = {
        one.arg: said.value
        for one in given
        if isinstance(said := one.annotation, ast.Constant) and isinstance(said.value, bool)
    }
    pairs = zip(given, defaults, strict=True)
    parameters = tuple(parameter(one, default, own) for one, default in pairs if one.arg not in fixed)
    options = declared.kwarg.arg if declared.kwarg else ""
    return Method(function.name, verb, path, operation, parameters, len(declared.posonlyargs), fixed, options, returns)


def parameter(declared: ast.arg, default: ast.expr | None, own: list[Parameter]) -> Parameter:
    """Return the parameter that a signature declares, of what can be sent."""
    said = ast.unparse(declared.annotation) if declared.annotation else ""
    if said == "body":
        return Parameter(declared.arg, "", "whole", {}, "Json", "")
    renamed = isinstance(declared.annotation, ast.Constant)
    field = ast.literal_eval(said) if renamed else declared.arg
    [found] = [one for one in own if one.field == field]
    written = ast.unparse(default) if default else found.default
    type_ = said if said and not renamed else found.type
    if written == "None" and not type_.endswith(" | None"):
        type_ += " | None"
    return Parameter(declared.arg, field, found.place, found.schema, type_, "" if written == "..." else written)
