"""The named SQL of ``sql/queries``: read once, ``:name`` parameters turned into Postgres' ``$1, $2, …``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

SQL_DIR = Path(__file__).resolve().parents[2] / "sql"

_BLOCK = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_FRAGMENT = re.compile(r":\((\w+)\)")
_VARIANT = "__"
_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
_COMMENT = re.compile(r"--[^\n]*")
_BRANCH = re.compile(r"\{(if|each) (\w+)\}((?:(?!\{(?:if|each) \w+\}).)*?)\{end\}", re.DOTALL)
"""An innermost one."""
_COLUMNS = re.compile(r"\{columns of (\w+): ([\w\s]+)\}")
_WRITING = re.compile(r"\b(INSERT|UPDATE|DELETE)\b")
_TELLING = re.compile(r"\bINSERT INTO events\b")


@dataclass(frozen=True, slots=True)
class Query:
    """One named statement: ``sql`` with positional parameters, ``parameters`` their names in order.

    ``text`` is what it is made from, with the parameters ``known``. ``writes`` tells whether it changes or locks rows,
    ``tells`` whether it writes events.
    """

    name: str
    text: str
    sql: str
    parameters: tuple[str, ...]
    known: frozenset[str]
    writes: bool
    tells: bool

    def with_literals(self, **literals: Any) -> Query:
        """The statement with its ``{name}`` places filled by numbers: for what Postgres takes no parameter for.

        What stands between ``{each name}`` and ``{end}`` is there once for each number of a sequence; between
        ``{if name}`` and ``{end}``, unless the literal is False, when there is what follows an ``{else}``. Parameters
        of what is not there need no values.
        """
        given = ((name, n if isinstance(n, int) else tuple(n)) for name, n in literals.items())
        return _filled_in(self.name, self.text, *given)

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in the statement's order. Raises TypeError on a missing or unknown parameter."""
        if not values.keys() <= self.known or any(name not in values for name in self.parameters):
            wrong = sorted(set(self.parameters) - set(values) | set(values) - self.known)
            raise TypeError(f"query {self.name}: parameters missing or unknown: {wrong}")
        return [values[name] for name in self.parameters]


@lru_cache(maxsize=500)
def _filled_in(name: str, text: str, *literals: tuple[str, int | tuple[int, ...]]) -> Query:
    return compile_query(name, text, dict(literals))


def _put(text: str, name: str, number: int) -> str:
    return text.replace(f"{{{name}}}", str(int(number)))


def compile_query(name: str, text: str, literals: Mapping[str, Any] = MappingProxyType({})) -> Query:
    """Turn ``:name`` placeholders into ``$n``; a name used twice is one parameter. ``::type`` casts are kept.

    After ``{columns of t: a b}``, ``:a`` and ``:b`` are columns of ``t`` and no parameters, so that fragments that name
    them can be used for each row of ``t``.
    """
    order: dict[str, int] = {}
    columns: dict[str, str] = {}

    def of_table(match: re.Match[str]) -> str:
        columns.update((column, f"{match.group(1)}.{column}") for column in match.group(2).split())
        return ""

    def branch(match: re.Match[str]) -> str:
        kind, literal, body = match.groups()
        if kind == "if":
            then, _, otherwise = body.partition("{else}")
            return then if literals.get(literal, True) else otherwise
        return "".join(_put(body, literal, number) for number in literals[literal]) if literal in literals else body

    def place(match: re.Match[str]) -> str:
        if column := columns.get(match.group(1)):
            return column
        return f"${order.setdefault(match.group(1), len(order) + 1)}"

    filled, branches = _COLUMNS.sub(of_table, _COMMENT.sub("", text)), 1
    known = frozenset(_PARAMETER.findall(filled)) - columns.keys()
    while branches:
        filled, branches = _BRANCH.subn(branch, filled)
    for literal, value in literals.items():
        if isinstance(value, int):
            filled = _put(filled, literal, value)
    sql = _PARAMETER.sub(place, filled).strip().rstrip(";").rstrip()
    return Query(name, text, sql, tuple(order), known, bool(_WRITING.search(sql)), bool(_TELLING.search(sql)))


@cache
def all_queries() -> dict[str, Query]:
    """Every named query of ``sql/queries/*.sql``, with the ``:(fragments)`` of all of them filled in.

    A fragment ``a__v`` stands for ``a`` in the variant ``v``: a query that is another with it is there as well, under
    its name and ``__v``.

    Raises ValueError when a name is used twice, KeyError for an unknown fragment.
    """
    fragments: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for path in sorted((SQL_DIR / "queries").glob("*.sql")):
        parts = _BLOCK.split(path.read_text(encoding="utf-8"))
        for kind, name, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            blocks = fragments if kind == "fragment" else bodies
            if name in blocks:
                raise ValueError(f"{path.name}: the {kind} {name} is defined twice")
            blocks[name] = body if kind == "name" else _COMMENT.sub("", body).strip()
    filled = {name: _filled(body, fragments) for name, body in bodies.items()}
    queries = {name: compile_query(name, text) for name, text in filled.items()}
    for variant in sorted({name.partition(_VARIANT)[2] for name in fragments} - {""}):
        mark = f"{_VARIANT}{variant}"
        own = {name.removesuffix(mark): body for name, body in fragments.items() if name.endswith(mark)}
        for name, body in bodies.items():
            if (varied := _filled(body, fragments | own)) != filled[name]:
                queries[name + mark] = compile_query(name + mark, varied)
    return queries


def variant_of(name: str, variant: str) -> str:
    """What the query of that name is called in a variant: the name itself where it is no other."""
    varied = f"{name}{_VARIANT}{variant}"
    return varied if varied in all_queries() else name


def _filled(body: str, fragments: dict[str, str]) -> str:
    """The body with its fragments, and with theirs. Raises RecursionError for a fragment that holds itself."""
    return _FRAGMENT.sub(lambda match: _filled(fragments[match.group(1)], fragments), body)


def query(name: str) -> Query:
    """The query of that name. Raises KeyError when there is none."""
    return all_queries()[name]
