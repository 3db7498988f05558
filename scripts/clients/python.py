"""The modules of the Python client."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator

from scripts.clients.document import (
    MADE,
    NAMES,
    OURS,
    WIDTH,
    Schema,
    component,
    document,
    literal,
    model_of,
    named_words,
    paragraphs,
    referred,
    type_of,
)
from scripts.clients.methods import Method, body_of, default_of, methods


def docstring(text: str) -> str:
    lines = paragraphs(f'"""{text}', WIDTH - 7)
    return textwrap.indent("\n".join(lines) + ('\n"""' if len(lines) > 1 else '"""'), "    ")


def module(about: str, imports: str, exported: Iterable[str], *parts: str) -> str:
    all_ = f"__all__ = {json.dumps(sorted(exported))}"
    return "\n".join([f'# {MADE}\n"""{about}"""', "from __future__ import annotations", imports, all_, *parts])


def words(kind: str) -> list[str]:
    return [f"{name} = {literal(allowed)}" for allowed, name in named_words(kind).items()]


def answers() -> str:
    """Return the module of what the API answers."""
    return module(
        "What the API answers.",
        "from datetime import datetime\nfrom typing import Any, Literal\nfrom uuid import UUID\n"
        "from pydantic import Field\n"
        "from reverie_client.models.base import Answer, Found, Hearsay, Json, Page",
        [*OURS["answer_words"], *map(model_of, answered())],
        *words("answer_words"),
        *map(model, answered()),
    )


def answered() -> list[str]:
    """Return the components that are models, each after those that it is made of."""
    whole = [answer_of(one.operation) for one in methods() if not one.returns]
    return list(dict.fromkeys(part for name in [*whole, *OURS["streamed"]] for part in parts_of(name)))


def answer_of(operation: Schema) -> str:
    """Return the name of the component that an operation answers with; empty where that is none."""
    done = next(one for status, one in operation["responses"].items() if status < "300")
    return referred(done.get("content", {}).get("application/json", {}).get("schema", {}))


def returned(one: Method) -> str:
    """Return the type of what a method answers."""
    name = answer_of(one.operation)
    return one.returns or (model_of(name) if name else "None" if "204" in one.operation["responses"] else "Json")


def parts_of(name: str) -> Iterator[str]:
    """Yield the components that are models, of those a component is made of, before itself."""
    if not name or name in OURS["plain"] or not component(name).get("properties"):
        return
    yield from parts_of(base_of(name))
    for field, schema in component(name)["properties"].items():
        if f"{name}.{field}" not in OURS["types"]:
            for part in re.findall(r"'#/components/schemas/(\w+)'", str(schema)):
                yield from parts_of(part)
    if not model_of(name).startswith("Page["):
        yield name


def base_of(name: str) -> str:
    """Return the component whose model is the base of that of another; empty where that has none."""
    base = OURS["bases"].get(model_of(name), "")
    found = {model: one for one, model in OURS["models"].items()}.get(base, base)
    return found if found in document()["components"]["schemas"] else ""


def model(name: str) -> str:
    """Return the class of an answer."""
    fields, base = component(name)["properties"], base_of(name)
    inherited = component(base)["properties"].keys() if base else set()
    if not inherited <= fields.keys():
        raise ValueError(f"{name} has not all fields of {base}")
    lines = [f"    {model_field(name, field)}" for field in fields if field not in inherited]
    head = f"class {model_of(name)}({OURS['bases'].get(model_of(name), 'Answer')}):"
    return "\n".join([head, docstring(component(name).get("description", "A list, all of it.")), "", *lines])


def model_field(name: str, field: str) -> str:
    """Return the declaration of a field. What an answer lacks is None or empty, if it may be that."""
    schema, place = component(name)["properties"][field], f"{name}.{field}"
    type_, part = type_of(schema, place, sent=False), component(referred(schema)) if referred(schema) else {}
    default = OURS["defaults"].get(place, "")
    if default:
        pass
    elif type_.endswith(" | None"):
        default = "None"
    elif type_.startswith(("list[", "dict[", "Json")):
        default = "[]" if type_.startswith("list[") else "{}"
    elif field not in component(name).get("required", ()):
        default = default_of(schema)
    elif "properties" in part and not part.get("required"):
        default = f"{type_}()"
    if place in OURS["renamed"]:
        field, default = OURS["renamed"][place], f'Field(alias="{field}")'
    return f"{field}: {type_} = {default}" if default else f"{field}: {type_}"


def options() -> str:
    """Return the module of the optional fields that calls take."""
    using: dict[str, list[Method]] = {}
    for one in methods():
        using.setdefault(one.options, []).append(one)
    optional = "TypedDict, total=False"
    classes = {
        name: typed_dict(name, optional, also(users), {one.field: one.type for one in users[0].others()})
        for name, users in using.items()
        if name
    }
    for draft in OURS["drafts"]:
        schema, base = component(draft), f"{draft.removesuffix('Draft')}Fields"
        types = {field: type_of(one, f"{draft}.{field}", sent=True) for field, one in schema["properties"].items()}
        needed = {field: types.pop(field) for field in schema["required"]}
        classes.setdefault(base, typed_dict(base, optional, f"The optional fields of ``{draft}``.", types))
        classes[draft] = typed_dict(draft, base, schema["description"], needed)
    return module(
        "The optional fields that calls take.",
        f"from typing import Any, Literal, TypedDict\n"
        f"from reverie_client.models import Id, Json, Moment, {', '.join(OURS['answer_words'])}",
        [*OURS["option_words"], *classes, "Moment"],
        *words("option_words"),
        *classes.values(),
    )


def also(users: list[Method]) -> str:
    return f"Optional fields of {' and '.join(f'``{one.name}``' for one in users)}."


def typed_dict(name: str, base: str, about: str, fields: dict[str, str]) -> str:
    lines = [f"    {field}: {type_.replace('Sequence[', 'list[')}" for field, type_ in fields.items()]
    return "\n".join([f"class {name}({base}):", docstring(about), "", *lines])


def calls() -> str:
    """Return the module of the functions that make calls."""
    made = [one for one in methods() if one.name not in OURS["by_hand"]]
    models = ["Json", "Page", *OURS["answer_words"], *map(model_of, answered())]
    sent = [*OURS["option_words"], *OURS["drafts"], *{one.options for one in made if one.options}, "Moment"]
    return module(
        "A function for each method of the clients, which makes its call.",
        "from collections.abc import Sequence\nfrom typing import Any, Literal, Unpack\n"
        "from reverie_client.call import Call, Id, drop_none, part\n"
        f"from reverie_client.models import {', '.join(models)}\nfrom reverie_client.options import {', '.join(sent)}",
        [one.name for one in made],
        *map(call, made),
    )


def call(one: Method) -> str:
    """Return the function that makes the call of a method."""
    declared = [f"{p.name}: {p.type}" + (f" = {p.default}" if p.default else "") for p in one.parameters]
    declared += [f"**fields: Unpack[{one.options}]"] if one.options else []
    answer = returned(one)
    path = one.path
    for p in one.at("path"):
        path = path.replace(f"{{{p.field}}}", f"{{part({p.name})}}")
    has_body = body_of(one.operation) or one.at("whole")
    sent = [f'"{one.verb}"', f'f"{path}"' if one.at("path") else f'"{path}"', answer]
    query = [f'"{p.field}": {p.name}' for p in one.at("query")]
    query += [f'"{name}": {value}' for name, value in one.fixed.items() if not has_body]
    query += ["**fields"] if one.options and not has_body else []
    sent += [f"query={{{', '.join(query)}}}"] if query else []
    sent += [f"body={python_body(one)}"] if has_body else []
    sent += [f'agent_in="{one.agent_in}"'] if one.agent_in else []
    sent += ['user_in="body"'] if one.user_in == "body" else []
    sent += ["only_reads=True"] if one.id in NAMES["only_reads"] else []
    head = f"def {one.name}({', '.join(declared)}) -> Call[{answer}]:"
    return f"{head}\n{docstring(one.text)}\n    return Call({', '.join(sent)})"


def python_body(one: Method) -> str:
    """Return the body: what must be given or has a value as it is, what is None left out."""
    whole = [p.name for p in one.at("whole")]
    if whole and not one.fixed:
        return whole[0]
    pairs = [f"**{name}" for name in whole]
    pairs += [f'"{p.field}": {p.name}' for p in one.at("body") if p.default != "None"]
    pairs += [f'"{name}": {value}' for name, value in one.fixed.items()]
    optional = [f'"{p.field}": {p.name}' for p in one.at("body") if p.default == "None"]
    left_out = [f"drop_none({{{', '.join(optional)}}})"] if optional else []
    if not pairs and not one.options:
        return left_out[0] if left_out else "{}"
    return f"{{{', '.join([*pairs, *(f'**{made}' for made in left_out), *(['**fields'] if one.options else [])])}}}"


def api() -> str:
    """Return the module of the class that has the methods."""
    lines = [f"    {one.name} = {'Listing' if one.is_list else 'Method'}(calls.{one.name})" for one in methods()]
    return module(
        "The methods of both clients: one for each call, named after it (``reverie_client.calls`` documents each).",
        "from reverie_client import calls\nfrom reverie_client.bindings import Listing, Method",
        ["Api"],
        "\n".join(["class Api:", docstring("The whole API but for its streams."), "", *lines]),
    )
