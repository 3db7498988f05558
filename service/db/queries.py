"""The named SQL of ``sql/queries``: Jinja2 templates, whose ``:name`` parameters become Postgres' ``$1, $2, …``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, Template, meta, nodes

from service.resources import resource

SQL_DIR = resource("sql")
RENDERED_MAX = 500
"""Statements kept; a search has one for each set of flags."""

Flag = bool | int | str | tuple[Any, ...]
Flags = Mapping[str, Flag]
NO_FLAGS: Flags = MappingProxyType({})

_BLOCK = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
_COMMENT = re.compile(r"--[^\n]*")
_JINJA = re.compile(r"\{[%{#]")
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
        """Return the values in the statement's order. Raises TypeError on a missing or unknown parameter."""
        if not values.keys() <= self.known or any(name not in values for name in self.parameters):
            wrong = sorted(set(self.parameters) - set(values) | set(values) - self.known)
            raise TypeError(f"query {self.name}: parameters missing or unknown: {wrong}")
        return [values[name] for name in self.parameters]


@dataclass(frozen=True, slots=True)
class QueryTemplate:
    """A query before its ``flags``, by name in order, have a value; ``known`` are its parameters under any flags.

    ``environment`` compiles ``body``, when it is first asked for; it is None where that is SQL as it stands.
    """

    name: str
    body: str
    environment: Environment | None
    flags: tuple[str, ...]
    known: frozenset[str]

    def render(self, values: Mapping[str, Flag]) -> Query:
        """Return the statement under these flags."""
        text = _compiled(self.environment, self.body).render(values) if self.environment else self.body
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
        self._of_fragments: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._environment = Environment(loader=DictLoader(self._fragments), undefined=StrictUndefined)
        self.templates = {name: self._template(name, body) for name, body in blocks["name"].items()}
        self.flags = frozenset(flag for template in self.templates.values() for flag in template.flags)

    def _template(self, name: str, body: str) -> QueryTemplate:
        flags, known = self._named_in(body)
        environment = self._environment if _JINJA.search(body) else None
        return QueryTemplate(name, body, environment, tuple(sorted(flags)), known)

    def _named_in(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the flags and the parameters of a text and of the fragments that it includes."""
        parameters = frozenset(_PARAMETER.findall(text))
        if not _JINJA.search(text):
            return frozenset(), parameters
        parsed = self._environment.parse(text)
        parts = [self._named_in_fragment(name) for name in meta.find_referenced_templates(parsed) if name is not None]
        set_here = {one.name for one in parsed.find_all(nodes.Name) if one.ctx == "store"}
        flags = frozenset(meta.find_undeclared_variables(parsed)).union(*(each - set_here for each, _ in parts))
        return flags, parameters.union(*(each for _, each in parts))

    def _named_in_fragment(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        if name not in self._of_fragments:
            self._of_fragments[name] = self._named_in(self._fragments[name])
        return self._of_fragments[name]

    def query(self, name: str, flags: Flags = NO_FLAGS) -> Query:
        """Return the query of that name under the flags that it has.

        Raises KeyError when there is none, TypeError when it has a flag that is not given, or when no query has one
        that is.
        """
        template = self.templates[name]
        if not flags.keys() <= self.flags or any(flag not in flags for flag in template.flags):
            wrong = sorted(set(template.flags) - flags.keys() | flags.keys() - self.flags)
            raise TypeError(f"query {name}: flags missing or unknown: {wrong}")
        return _rendered(template, tuple(flags[flag] for flag in template.flags))


@cache
def _compiled(environment: Environment, body: str) -> Template:
    return environment.from_string(body)


@lru_cache(maxsize=RENDERED_MAX)
def _rendered(template: QueryTemplate, values: tuple[Flag, ...]) -> Query:
    return template.render(dict(zip(template.flags, values, strict=True)))


@cache
def all_queries() -> Queries:
    """Return those of ``sql/queries/*.sql``."""
    paths = sorted((SQL_DIR / "queries").glob("*.sql"))
    return Queries({path.name: path.read_text(encoding="utf-8") for path in paths})


def query(name: str, flags: Flags = NO_FLAGS) -> Query:
    """Return one of these by its name, as ``Queries.query``."""
    return all_queries().query(name, flags)
