"""Queries under any flags."""

from __future__ import annotations

from functools import cache

from service.db.queries import Flag, Query, all_queries
from service.domain.where import parse_where
from service.store.where import compiled, where_flag

VALUES: dict[str, Flag] = {
    "vector_column": "embedding",
    "other_vector_column": "embedding_float32",
    "vector_type": "halfvec",
    "dim": 256,
    "model": 1,
    "parts": (1, 2),
}
"""Of flags that are not booleans."""

WHERE = compiled(
    parse_where(
        {
            "or": [
                {"metadata.a.b": "x", "tags": {"in": ["a"]}, "user": {"exists": True}},
                {"not": {"source.kind": {"gt": "a"}, "importance": {"lte": 1}}},
                {"created_at": {"gte": "2026-01-01", "in": ["2026-01-01"]}, "agent": "a", "session": "s", "team": "t"},
                {"task": "t"},
            ]
        },
        (),
    )
)
"""A value of the flag ``where`` with all that it may have."""

ORDERS = ("newest", "oldest", "happened", "recalled", "importance")
"""Values of the flag ``order``."""


@cache
def renderings(name: str) -> list[Query]:
    """The statement of a query with all of its flags on or off, and with all but one."""
    flags = all_queries().templates[name].flags
    names = [flag for flag in flags if flag not in VALUES and flag != "order"]
    shapes: list[dict[str, Flag]] = [dict.fromkeys(names, True), dict.fromkeys(names, False)]
    shapes += [shape | {flag: not shape[flag]} for shape in shapes for flag in names]
    if "where" in names:
        shapes = [shape | {"where": where_flag(WHERE if shape["where"] else None)} for shape in shapes]
    orders = ORDERS if "order" in flags else ORDERS[:1]
    values = [VALUES | {"order": order} | shape for order in orders for shape in shapes]
    return list(dict.fromkeys(all_queries().query(name, one) for one in values))
