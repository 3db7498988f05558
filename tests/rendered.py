"""Queries under any flags."""

from __future__ import annotations

from functools import cache

from service.db.queries import Flag, Query, all_queries

VALUES: dict[str, Flag] = {
    "vector_column": "embedding",
    "other_vector_column": "embedding_float32",
    "vector_type": "halfvec",
    "dim": 256,
    "model": 1,
    "parts": (1, 2),
}
"""Of flags that are not booleans."""


@cache
def renderings(name: str) -> list[Query]:
    """The statement of a query with all of its flags on or off, and with all but one."""
    names = [flag for flag in all_queries().templates[name].flags if flag not in VALUES]
    shapes = [dict.fromkeys(names, True), dict.fromkeys(names, False)]
    shapes += [shape | {flag: not shape[flag]} for shape in shapes for flag in names]
    return list(dict.fromkeys(all_queries().query(name, VALUES | shape) for shape in shapes))
