"""The page of the Python client's methods: their signatures, and the first sentences of their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from reverie_client import Reverie
from scripts.clients.document import OURS
from scripts.clients.methods import Method, methods

HEAD = """# Methods of the Python client

<!-- Made by scripts/clients of the OpenAPI document and of docstrings: make clients. -->

`Reverie` has these methods, `AsyncReverie` the same ones, awaited; lists and streams are iterated over. A method
has the name of the operation of the API, whose [reference](http://localhost:8000/docs) has every field; in the
[TypeScript client](../clients/typescript/README.md) it is that name in camel case. `…` are the other fields of the
operation, by name. [The Python clients](python-client.md) says what all have in common.
"""
STREAMS = ("stream_events", "ask_memory_stream", "export_records", "export_workspace", "import_records")
CLIENT = ("send", "lines", "for_user", "close")


def reference() -> str:
    """Return the page."""
    made = methods()
    tags = dict.fromkeys(one.operation["tags"][0] for one in made)
    groups = {tag: [_row_of(one) for one in made if one.operation["tags"][0] == tag] for tag in tags}
    groups["streams and files"] = [_row(name, getattr(Reverie, name)) for name in STREAMS]
    groups["the client itself"] = [_row(name, getattr(Reverie, name)) for name in CLIENT]
    head = ["", "| method | does |", "| --- | --- |"]
    parts = ["\n".join([f"## {tag.capitalize()}", *head, *rows]) for tag, rows in groups.items()]
    return "\n\n".join([HEAD.strip(), *parts]) + "\n"


def _row_of(one: Method) -> str:
    if one.name in OURS["by_hand"]:
        return _row(one.name, getattr(Reverie, one.name))
    taken = [f"{p.name}={p.default}" if p.default else p.name for p in one.parameters] + ["…"] * bool(one.options)
    return _line(one.name, taken, one.text)


def _row(name: str, function: Callable[..., Any]) -> str:
    parameters = list(inspect.signature(function).parameters.values())
    taken = [
        "…" if p.kind is p.VAR_KEYWORD else p.name if p.default is p.empty else f"{p.name}={_default(p.default)}"
        for p in parameters
        if p.name != "self"
    ]  # fmt: skip
    return _line(name, taken, inspect.getdoc(function) or "")


def _default(value: Any) -> str:
    if callable(value):
        return str(value.__name__)
    return (
        repr(value).replace("'", '"')
        if value is None or isinstance(value, str | bool | tuple)
        else type(value).__name__
    )


def _line(name: str, taken: list[str], said: str) -> str:
    does = " ".join(said.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")
    return f"| `{name}({', '.join(taken)})` | {does} |"
