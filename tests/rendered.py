"""Queries under any flags, and with made-up values."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache

import asyncpg

from service.db.pool import Connection, Database
from service.db.queries import Flag, Query, all_queries
from service.domain.ids import DEFAULT_WORKSPACE
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


MADE_UP = {
    "uuid": "00000000-0000-7000-8000-00000000000a", "text": "x", "jsonb": "[]", "int2": "1", "int4": "1", "int8": "1",
    "float4": "0.5", "float8": "0.5", "bool": "false", "timestamptz": "2026-01-01T00:00:00Z", "bytea": "x",
    "halfvec": "[1,1,1,1]", "vector": "[1,1,1,1]", "name": "x", "varchar": "x", "interval": "1 day",
    "date": "2026-01-01",
}  # fmt: skip
"""A value of every type that statements take, as Postgres reads it."""
NO_FAULT = (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError, asyncpg.UndefinedObjectError)
"""What made-up values meet."""


class _RolledBack(Exception):
    """Ends a transaction."""


def with_values(query: Query, types: list[str]) -> str:
    """The statement with literals for its parameters, the default workspace for the workspace."""
    values = [
        f"'{DEFAULT_WORKSPACE}'::uuid"
        if name == "workspace"
        else f"ARRAY['{MADE_UP[kind[:-2]]}']::{kind}"
        if kind.endswith("[]")
        else f"'{MADE_UP[kind]}'::{kind}"
        for name, kind in zip(query.parameters, types, strict=True)
    ]
    return re.sub(r"\$(\d+)", lambda match: values[int(match.group(1)) - 1], query.sql)


async def refused_statements(
    db: Database,
    url: str,
    takes: Callable[[Query], bool] = lambda query: "workspace" in query.parameters,
    look: Callable[[Connection, str, str], Awaitable[None]] | None = None,
) -> dict[str, str]:
    """Run every statement that is taken, under all of its flags, each in a transaction that is rolled back; what
    Postgres says of those that it refuses, by the query's name.

    ``url`` is the database past any pooler, which tells the types of parameters. ``look`` is shown each beforehand.
    """
    refused = {}
    direct = await asyncpg.connect(url)
    try:
        for name, query in [(key, one) for key in all_queries().templates for one in renderings(key) if takes(one)]:
            types = [kind.name for kind in (await direct.prepare(query.sql)).get_parameters()]
            statement = with_values(query, types)
            with suppress(_RolledBack):
                async with db.transaction(DEFAULT_WORKSPACE) as connection:
                    try:
                        if look is not None:
                            await look(connection, name, statement)
                        await connection.raw.execute(statement)
                    except NO_FAULT:
                        pass
                    except asyncpg.PostgresError as error:
                        refused[name] = f"{type(error).__name__}: {error}"
                    raise _RolledBack
    finally:
        await direct.close()
    return refused
