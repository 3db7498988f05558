"""The part of Helm's template language that the chart is written in, rendered in Python.

There is no helm on the package index, so the chart keeps to values by path, ``quote``, ``toYaml``, ``nindent``,
``not``, ``eq``, ``if``/``else``/``end`` and ``range`` over a map. Anything else is a ValueError here, so that it cannot
come in untested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
Scope = Mapping[str, Any]

_ACTION = re.compile(r"(\{\{-? .*? -?\}\})")
_RANGE = re.compile(r"range (\$\w+), (\$\w+) := (\S+)")


def render(chart: Path, release: str, values: Json) -> list[Json]:
    """The manifests of a chart for a release, with ``values`` laid over those of the chart."""
    own = yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8"))
    scope = {"Values": _over(own, values), "Release": {"Name": release}}
    manifests: list[Json] = []
    for template in sorted((chart / "templates").glob("*.yaml")):
        text = render_text(template.read_text(encoding="utf-8"), scope)
        manifests += [one for one in yaml.safe_load_all(text) if one]
    return manifests


def render_text(template: str, scope: Scope) -> str:
    """A template with its actions carried out. Raises ValueError for an action that is not among those above."""
    pieces = _ACTION.split(template)
    for number in range(1, len(pieces), 2):
        if pieces[number].startswith("{{-"):
            pieces[number - 1] = pieces[number - 1].rstrip()
        if pieces[number].endswith("-}}"):
            pieces[number + 1] = pieces[number + 1].lstrip()
        pieces[number] = pieces[number].strip("{}-").strip()
    text, ended_by = _block(iter(enumerate(pieces)), scope, shown=True)
    if ended_by is not None:
        raise ValueError(f"{ended_by!r} without its beginning")
    return text


def _block(pieces: Iterator[tuple[int, str]], scope: Scope, *, shown: bool) -> tuple[str, str | None]:
    """The text up to the ``else`` or ``end`` that closes the block, and which of them; None where the template ends."""
    text: list[str] = []
    for number, piece in pieces:
        if number % 2 == 0:
            text.append(piece)
        elif piece in ("else", "end"):
            return "".join(text) if shown else "", piece
        elif piece.startswith("if "):
            met = shown and bool(_value(piece.removeprefix("if "), scope))
            then, ended_by = _block(pieces, scope, shown=met)
            otherwise = _block(pieces, scope, shown=shown and not met)[0] if ended_by == "else" else ""
            text.append(then + otherwise)
        elif named := _RANGE.fullmatch(piece):
            text.append(_each(pieces, scope, *named.groups(), shown=shown))
        elif shown:
            text.append(str(_value(piece, scope)))
    return "".join(text) if shown else "", None


def _each(pieces: Iterator[tuple[int, str]], scope: Scope, key: str, value: str, path: str, *, shown: bool) -> str:
    body: list[tuple[int, str]] = []
    for number, piece in pieces:
        if number % 2 and piece == "end":
            break
        if number % 2 and piece.startswith(("if ", "range ")):
            raise ValueError("no block within a range")
        body.append((number, piece))
    entries = _value(path, scope).items() if shown else ()
    return "".join(_block(iter(body), {**scope, key: name, value: one}, shown=True)[0] for name, one in sorted(entries))


def _value(expression: str, scope: Scope) -> Any:
    first, *pipes = expression.split(" | ")
    value = _call(first.split(), scope)
    for pipe in pipes:
        function, *arguments = pipe.split()
        if function == "quote" and not arguments:
            value = json.dumps(str(value))
        elif function == "nindent" and len(arguments) == 1:
            value = "\n" + "\n".join(" " * int(arguments[0]) + line for line in str(value).splitlines())
        else:
            raise ValueError(f"{pipe!r} is not among the functions of the chart")
    return value


def _call(words: list[str], scope: Scope) -> Any:
    if len(words) == 1:
        return _named(words[0], scope)
    function, *arguments = words
    if function == "toYaml" and len(arguments) == 1:
        return yaml.safe_dump(_named(arguments[0], scope)).rstrip()
    if function == "not" and len(arguments) == 1:
        return not _named(arguments[0], scope)
    if function == "eq" and len(arguments) == 2:
        return _named(arguments[0], scope) == _named(arguments[1], scope)
    raise ValueError(f"{' '.join(words)!r} is not among the functions of the chart")


def _named(word: str, scope: Scope) -> Any:
    if word.startswith('"'):
        return json.loads(word)
    if word.startswith("$"):
        return scope[word]
    if not word.startswith("."):
        raise ValueError(f"{word!r} is no value")
    value: Any = scope
    for part in word[1:].split("."):
        value = value[part]
    return value


def _over(own: Json, given: Json) -> Json:
    """The chart's values with the given ones in their place. Raises ValueError for one that the chart does not have."""
    for name, value in given.items():
        if name not in own:
            raise ValueError(f"the chart has no value {name!r}")
        own[name] = _over(own[name], value) if isinstance(own[name], dict) and name != "env" else value
    return own
