"""The named SQL of ``sql/queries``: Jinja2 templates, whose ``:name`` parameters become Postgres' ``$1, $2, …``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, Template, meta

from service.shipped import shipped

SQL_DIR = shipped("sql")
RENDERED_MAX = 500
"""Statements kept; a search has one for each set of flags."""

Flag = bool | int | str | tuple[Any, ...]
Flags = Mapping[str, Flag]
NO_FLAGS: Flags = MappingProxyType({})

_BLOCK = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
_COMMENT = re.compile(r"--[^\n]*")
_WRITING = re.compile(r"\b(INSERT|UPDATE|DELETE)\b")
_WRITES_EVENTS = re.compile(r"\bINSERT INTO events\b")


@dataclass(frozen=True, slots=True)
class Query:
    """One statement: ``sql`` with positional parameters, ``parameters`` their names in order.

    ``known`` are the parameters of its template, some of which other flags leave out. ``writes`` tells whether it
    changes or locks rows, ``emits_events`` whether it writes events.
    """

    name: str
    sql: str
    parameters: tuple[str, ...]
    known: frozenset[str]
    writes: bool
    emits_events: bool

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in the statement's order. Raises TypeError on a missing or unknown parameter."""
        if not values.keys() <= self.known or any(name not in values for name in self.parameters):
            wrong = sorted(set(self.parameters) - set(values) | set(values) - self.known)
            raise TypeError(f"query {self.name}: parameters missing or unknown: {wrong}")
        return [values[name] for name in self.parameters]


@dataclass(frozen=True, slots=True)
class QueryTemplate:
    """A query before its ``flags``, by name in order, have a value; ``known`` are its parameters under any flags."""

    name: str
    template: Template
    flags: tuple[str, ...]
    known: frozenset[str]

    def render(self, values: Mapping[str, Flag]) -> Query:
        """The statement under these flags."""
        text = self.template.render(values)
        order: dict[str, int] = {}
        sql = _PARAMETER.sub(lambda match: f"${order.setdefault(match.group(1), len(order) + 1)}", text)
        sql = sql.strip().rstrip(";").rstrip()
        return Query(
            self.name, sql, tuple(order), self.known, bool(_WRITING.search(sql)), bool(_WRITES_EVENTS.search(sql))
        )


class Queries:
    """Named queries, which include fragments, out of the texts of SQL files by their names."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """Raises ValueError when a name is used twice, KeyError for an unknown fragment."""
        blocks: dict[str, dict[str, str]] = {"name": {}, "fragment": {}}
        for file, text in files.items():
            parts = _BLOCK.split(text)
            for kind, name, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
                if name in blocks[kind]:
                    raise ValueError(f"{file}: the {kind} {name} is defined twice")
                blocks[kind][name] = _COMMENT.sub("", body).strip()
        self._fragments = blocks["fragment"]
        self._environment = Environment(loader=DictLoader(self._fragments), undefined=StrictUndefined)
        self.templates = {name: self._template(name, body) for name, body in blocks["name"].items()}
        self.flags = frozenset(flag for template in self.templates.values() for flag in template.flags)

    def _template(self, name: str, body: str) -> QueryTemplate:
        text = "\n".join([body, *self._included(body)])
        flags = meta.find_undeclared_variables(self._environment.parse(text))
        known = frozenset(_PARAMETER.findall(text))
        return QueryTemplate(name, self._environment.from_string(body), tuple(sorted(flags)), known)

    def _included(self, body: str) -> list[str]:
        """The fragments that a text includes, and those that they include."""
        named = meta.find_referenced_templates(self._environment.parse(body))
        texts = [self._fragments[name] for name in named if name is not None]
        return [each for text in texts for each in (text, *self._included(text))]

    def query(self, name: str, flags: Flags = NO_FLAGS) -> Query:
        """The query of that name under the flags that it has.

        Raises KeyError when there is none, TypeError when it has a flag that is not given, or when no query has one
        that is.
        """
        template = self.templates[name]
        if not flags.keys() <= self.flags or any(flag not in flags for flag in template.flags):
            wrong = sorted(set(template.flags) - flags.keys() | flags.keys() - self.flags)
            raise TypeError(f"query {name}: flags missing or unknown: {wrong}")
        return _rendered(template, tuple(flags[flag] for flag in template.flags))


@lru_cache(maxsize=RENDERED_MAX)
def _rendered(template: QueryTemplate, values: tuple[Flag, ...]) -> Query:
    return template.render(dict(zip(template.flags, values, strict=True)))


@cache
def all_queries() -> Queries:
    """Those of ``sql/queries/*.sql``."""
    paths = sorted((SQL_DIR / "queries").glob("*.sql"))
    return Queries({path.name: path.read_text(encoding="utf-8") for path in paths})


def query(name: str, flags: Flags = NO_FLAGS) -> Query:
    """One of these by its name, as ``Queries.query``."""
    return all_queries().query(name, flags)
