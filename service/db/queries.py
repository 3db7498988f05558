"""The named SQL of ``sql/queries``: read once, ``:name`` parameters turned into Postgres' ``$1, $2, …``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SQL_DIR = Path(__file__).resolve().parents[2] / "sql"

_BLOCK = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
_COMMENT = re.compile(r"--[^\n]*")


@dataclass(frozen=True, slots=True)
class Query:
    """One named statement: ``sql`` with positional parameters, ``parameters`` their names in order."""

    name: str
    sql: str
    parameters: tuple[str, ...]

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        """The values in the statement's order. Raises TypeError on a missing or unknown parameter."""
        if len(values) != len(self.parameters) or any(name not in values for name in self.parameters):
            wrong = sorted(set(self.parameters) ^ set(values))
            raise TypeError(f"query {self.name}: parameters missing or unknown: {wrong}")
        return [values[name] for name in self.parameters]


def compile_query(name: str, text: str) -> Query:
    """Turn ``:name`` placeholders into ``$n``; a name used twice is one parameter. ``::type`` casts are kept."""
    order: dict[str, int] = {}

    def place(match: re.Match[str]) -> str:
        return f"${order.setdefault(match.group(1), len(order) + 1)}"

    sql = _PARAMETER.sub(place, _COMMENT.sub("", text)).strip().rstrip(";").rstrip()
    return Query(name, sql, tuple(order))


@cache
def all_queries() -> dict[str, Query]:
    """Every named query of ``sql/queries/*.sql``. Raises ValueError when a name is used twice."""
    found: dict[str, Query] = {}
    for path in sorted((SQL_DIR / "queries").glob("*.sql")):
        parts = _BLOCK.split(path.read_text(encoding="utf-8"))
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            if name in found:
                raise ValueError(f"{path.name}: the query {name} is defined twice")
            found[name] = compile_query(name, body)
    return found


def query(name: str) -> Query:
    """The query of that name. Raises KeyError when there is none."""
    return all_queries()[name]
