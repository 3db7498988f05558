"""The module of the calls of the TypeScript client, and what its types are made of."""

from __future__ import annotations

import json
import re
from typing import Any

from scripts.clients.document import MADE, NAMES, WIDTH, component, paragraphs
from scripts.clients.methods import Method, Parameter, body_of, methods


def camel(name: str) -> str:
    return re.sub("_(.)", lambda letter: letter[1].upper(), name)


def typescript() -> str:
    """Return the module of the functions that make the calls of the TypeScript client."""
    made = [typescript_call(one) for one in methods() if one.name not in NAMES["typescript"]["by_hand"]]
    return f"""// {MADE}

/** A function for each method of the client, which makes its call. */

import {{ get, list, patch, path, post, put, remove }} from "../call.js";
import type {{ Body, Fields, Query }} from "../types.js";

""" + "\n\n".join(made)


def typescript_call(one: Method) -> str:
    """Return the function that makes the call of a method: arguments, and one object with all the rest."""
    given = [p for number, p in enumerate(one.parameters) if not p.default or number < one.leading]
    left = [p for p in one.parameters if p not in given]
    has_body = body_of(one.operation) or one.at("whole")
    declared = [f"{camel(p.name)}{'?' if p.default == 'None' else ''}: {typescript_type(one, p)}" for p in given]
    rest = ("fields" if has_body else "query") if left or one.options else ""
    if rest:
        declared.append(f"{rest}?: {typescript_rest(one, given, left)}")
    path = re.sub(r"\{(\w+)\}", lambda field: path_part(one, field[1]), one.path)
    sent = [f"path`{path}`" if one.at("path") else f'"{path}"']
    pairs = [(p.field, camel(p.name)) for p in given if p.place != "path" and p.place != "whole"]
    always = [f"{name}: {str(value).lower()}" for name, value in one.fixed.items()]
    values = [field if field == name else f"{field}: {name}" for field, name in pairs]
    parts = [*values, *([f"...{rest}"] if rest else []), *always]
    made = f"{{ {', '.join(parts)} }}" if values or always else rest
    query = made if not has_body and made else ""
    settings = [query if query == "query" else f"query: {query}"] if query and not one.is_list else []
    settings += [f'agentIn: "{one.agent_in}"'] if one.agent_in else []
    settings += ['userIn: "body"'] if one.user_in == "body" else []
    settings += ["onlyReads: true"] if one.id in NAMES["only_reads"] else []
    if one.is_list:
        sent += [query or "undefined"]
    elif one.verb in ("POST", "PUT", "PATCH"):
        body = one.at("whole")[0].name if one.at("whole") else f"{{ ...{rest} }}" if made == rest and rest else made
        sent += [body if has_body else "undefined"] if has_body or settings else []
    sent += [f"{{ {', '.join(settings)} }}"] if settings else []
    verb = "list" if one.is_list else "remove" if one.verb == "DELETE" else one.verb.lower()
    head = f"export function {camel(one.name)}({', '.join(declared)}) {{"
    return f'{comment(one.text)}\n{head}\n  return {verb}<"{one.id}">({", ".join(sent)});\n}}'


def path_part(one: Method, field: str) -> str:
    [found] = [p for p in one.at("path") if p.field == field]
    return f"${{{camel(found.name) if found.schema.get('type') != 'integer' else f'String({camel(found.name)})'}}}"


def typescript_type(one: Method, p: Parameter) -> str:
    kinds = {"str": "string", "Id": "string", "int": "number", "float": "number", "bool": "boolean"}
    if p.place == "whole":
        return f'Body<"{one.id}">'
    many = re.fullmatch(r"Sequence\[(str|Id)\]( \| None)?", p.type)
    if many:
        return "string[]" + (" | null" if many[2] else "")
    return kinds.get(p.type) or f'{"Query" if p.place == "query" else "Body"}<"{one.id}">["{p.field}"]'


def typescript_rest(one: Method, given: list[Parameter], left: list[Parameter]) -> str:
    """Return the type of the object that has what is no argument."""
    if body_of(one.operation):
        named = [p.field for p in given if p.place == "body"]
        named += [field for field in ("stream",) if field in component(body_of(one.operation))["properties"]]
        return f'Fields<"{one.id}", {" | ".join(map(json.dumps, named))}>' if named else f'Body<"{one.id}">'
    if one.fixed or any(p.place == "query" for p in given):
        return f'Pick<Query<"{one.id}">, {" | ".join(json.dumps(p.field) for p in left)}>'
    return f'Query<"{one.id}">'


def comment(text: str) -> str:
    lines = paragraphs(text, WIDTH - 3)
    return "\n".join(["/**", *(f" * {one}".rstrip() for one in lines), " */"]) if lines[1:] else f"/** {lines[0]} */"


def described(node: Any) -> Any:
    """Return what of the document the types of TypeScript are made of.

    Answers of failures are left out: they are classes of the client. So are titles, which say the name of a field
    again, and objects as defaults, whose fields have their own.
    """
    if isinstance(node, list):
        return [described(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for name, one in node.items():
        if name == "properties":
            found[name] = {field: described(inner) for field, inner in one.items()}
        elif name == "responses":
            found[name] = {status: described(inner) for status, inner in one.items() if status < "300"}
        elif not (name == "title" and isinstance(one, str)) and not (name == "default" and isinstance(one, dict)):
            found[name] = described(one)
    return found
