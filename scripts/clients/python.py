"""The modules of the Python client."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

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
    referred,
    type_of,
    words_of,
)
from scripts.clients.methods import Method, body_of, default_of, methods


def docstring(text: str, indent: str = "    ") -> str:
    """Return a docstring, each paragraph of the text wrapped anew."""
    wrapped = [
        textwrap.fill(" ".join(one.split()), WIDTH - len(indent) - 3, break_on_hyphens=False)
        for one in text.split("\n\n")
    ]
    lines = textwrap.indent('"""' + "\n\n".join(wrapped), indent)
    return f'{lines}\n{indent}"""' if len(wrapped) > 1 else f'{lines}"""'


def module(about: str, *parts: str) -> str:
    return "\n".join([f'# {MADE}\n"""{about}"""', "from __future__ import annotations", *parts])


def words(kind: str) -> list[str]:
    places = [(name, place.partition(".")) for name, place in OURS[kind].items()]
    return [f"{name} = {literal(words_of(component(one)['properties'][field]))}" for name, (one, _, field) in places]


def answers() -> str:
    """Return the module of what the API answers."""
    answered = [answer_of(one.operation) for one in methods() if not one.returns]
    models = list(dict.fromkeys(part for name in [*answered, *OURS["streamed"]] for part in parts_of(name)))
    exported = sorted([*OURS["answer_words"], *map(model_of, models)])
    return module(
        "What the API answers.",
        "from datetime import datetime\nfrom typing import Any, Literal\nfrom uuid import UUID",
        "from pydantic import Field",
        "from reverie_client.models.base import Answer, Found, Hearsay, Json, Page",
        f"__all__ = {json.dumps(exported)}",
        *words("answer_words"),
        *map(model, models),
    )


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
    called = OURS["bases"].get(model_of(name), "Answer")
    return "\n".join(
        [
            f"class {model_of(name)}({called}):",
            docstring(component(name).get("description", "A list, all of it.")),
            "",
            *lines,
        ]
    )


def model_field(name: str, field: str) -> str:
    """Return the declaration of a field. What an answer lacks is None or empty, if it may be that."""
    schema, place = component(name)["properties"][field], f"{name}.{field}"
    type_ = type_of(schema, place, sent=False)
    default = OURS["defaults"].get(place, "")
    if not default and field not in component(name).get("required", ()):
        default = default_of(schema)
        type_ += "" if default != "None" or type_ == "Any" or type_.endswith(" | None") else " | None"
    if not default and type_.endswith(" | None"):
        default = "None"
    if not default and type_.startswith(("list[", "dict[", "Json")):
        default = "[]" if type_.startswith("list[") else "{}"
    part = component(referred(schema)) if referred(schema) else {"required": True}
    if not default and "properties" in part and not part.get("required"):
        default = f"{type_}()"
    renamed = OURS["renamed"].get(place)
    value = f'Field(alias="{field}")' if renamed else default
    return f"{renamed or field}: {type_}" + (f" = {value}" if value else "")


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
        "from typing import Any, Literal, TypedDict",
        f"from reverie_client.models import Id, Json, Moment, {', '.join(OURS['answer_words'])}",
        f"__all__ = {json.dumps(sorted([*OURS['option_words'], *classes, 'Moment']))}",
        *words("option_words"),
        *classes.values(),
    )


def also(users: list[Method]) -> str:
    return f"What {' and '.join(f'``{one.name}``' for one in users)} can be given besides."


def typed_dict(name: str, base: str, about: str, fields: dict[str, str]) -> str:
    lines = [f"    {field}: {type_.replace('Sequence[', 'list[')}" for field, type_ in fields.items()]
    return "\n".join([f"class {name}({base}):", docstring(about), "", *lines])


def calls() -> str:
    """Return the module of the functions that make calls."""
    made = [call(one) for one in methods() if one.name not in OURS["by_hand"]]
    return module(
        "A function for each method of the clients, which makes its call.",
        "from collections.abc import Sequence\nfrom typing import Any, Literal, Unpack",
        "from reverie_client import models as m\nfrom reverie_client import options as o",
        "from reverie_client.call import Call, Id, drop_none, part",
        *made,
    )


def call(one: Method) -> str:
    """Return the function that makes the call of a method."""
    declared = [f"{p.name}: {qualified(p.type)}" + (f" = {p.default}" if p.default else "") for p in one.parameters]
    declared += [f"**fields: Unpack[o.{one.options}]"] if one.options else []
    answer = qualified(returned(one))
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


def qualified(type_: str) -> str:
    """Return a type as the calls name it: ``m`` are the models, ``o`` the options."""
    own = {"Any", "Id", "Literal", "None", "Sequence"}
    sent = {*OURS["option_words"], *OURS["drafts"]}
    parts = re.split(r'("[^"]*")', type_)
    prefixed = [
        re.sub(r"\b[A-Z]\w+", lambda n: n[0] if n[0] in own else f"{'o' if n[0] in sent else 'm'}.{n[0]}", part)
        if number % 2 == 0
        else part
        for number, part in enumerate(parts)
    ]
    return "".join(prefixed)


def api() -> str:
    """Return the module of the class that has the methods."""
    lines = [f"    {one.name} = {'Listing' if one.is_list else 'Method'}(calls.{one.name})" for one in methods()]
    return module(
        "The methods of both clients: one for each call, named after it (``reverie_client.calls`` documents each).",
        "from reverie_client import calls\nfrom reverie_client.bindings import Listing, Method",
        "\n".join(["class Api:", docstring("The whole API but for its streams."), "", *lines]),
    )
