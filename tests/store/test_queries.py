"""Every named query is valid on the migrated schema, and the loader keeps its promises."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import pytest

from service.db.queries import Queries, Query, all_queries, query
from service.runtime import Runtime
from service.store.vectors import NO_SPACE, VectorSpace
from tests.rendered import renderings

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(all_queries().templates)


def _all() -> list[tuple[str, Query]]:
    return [(name, one) for name in NAMES for one in renderings(name)]


@pytest.mark.parametrize("name", NAMES)
def test_every_query_is_one_statement(name: str) -> None:
    assert all(";" not in one.sql for one in renderings(name))


RUNNING = {"fetch": 0, "row": 0, "one": 0, "value": 0, "run": 0, "batches": 0, "many": 1, "first": 1}
"""Methods of a connection that run a named query, with the place of its name among their arguments."""


@dataclass(frozen=True)
class Run:
    """A call that runs a query by its name; ``record`` is the name of the type that its rows are read into."""

    path: Path
    line: int
    query: str
    record: str | None


def _nodes() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted(file for package in ("reverie", "service", "worker") for file in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            yield path, node


def _runs() -> Iterator[Run]:
    for path, call in _nodes():
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in RUNNING:
            place = RUNNING[call.func.attr]
            name = call.args[place] if len(call.args) > place else None
            if isinstance(name, ast.Constant) and name.value in NAMES:
                record = ast.unparse(call.args[0]) if place else None
                yield Run(path.relative_to(ROOT), call.lineno, name.value, record)


def test_the_name_of_every_query_is_written_out_where_it_is_run() -> None:
    """Whoever searches for it finds its callers."""
    written = {node.value for _, node in _nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert [name for name in NAMES if name not in written] == []


def test_queries_are_run_below_the_edges() -> None:
    """By use cases, the store, the worker and the evaluation: what answers callers runs none."""
    allowed = (
        "service/db", "service/store", "service/memory", "service/model_ledger", "service/models", "service/runtime",
        "worker", "reverie/evaluation",
    )  # fmt: skip
    assert [f"{one.path}:{one.line}" for one in _runs() if not one.path.as_posix().startswith(allowed)] == []


TYPES = {
    "uuid": UUID, "text": str, "varchar": str, "int2": int, "int4": int, "int8": int, "float4": float, "float8": float,
    "bool": bool, "timestamptz": datetime, "date": date, "bytea": bytes, "numeric": Decimal,
}  # fmt: skip
"""Of Python, by those of Postgres; JSON may be anything."""


def _fits(hint: Any, kind: str) -> bool:
    """Whether a column of this type of Postgres may be read into a field of this type."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if kind in ("json", "jsonb") or Any in options:
        return True
    if kind.endswith("[]"):
        inner = [get_args(one)[0] for one in options if get_origin(one) in (list, Sequence)]
        return any(_fits(one, kind.removesuffix("[]")) for one in inner)
    plain = [type(get_args(one)[0]) if get_origin(one) is Literal else one for one in options]
    return any(isinstance(one, type) and issubclass(one, TYPES[kind]) for one in plain)


async def test_records_have_the_columns_of_their_queries(runtime: Runtime) -> None:
    """Each field of a type that rows are read into is a column of the query, under all of its flags, of its type."""
    runs = [one for one in _runs() if one.record is not None]
    assert len(runs) > 50
    wrong, checked = [], 0
    async with runtime.db.unscoped() as connection:
        for one in runs:
            module = importlib.import_module(".".join(one.path.with_suffix("").parts))
            record = getattr(module, one.record or "", None)
            if record is None:  # a parameter of the function that runs it
                continue
            checked += 1
            for rendered in renderings(one.query):
                statement = await connection.raw.prepare(rendered.sql)
                columns = {column.name: column.type.name for column in statement.get_attributes()}
                wrong += [
                    f"{one.path}:{one.line} {one.query}: {record.__name__}.{name}, column {columns.get(name)}"
                    for name, hint in get_type_hints(record).items()
                    if name in {field.name for field in fields(record)}
                    and not (name in columns and _fits(hint, columns[name]))
                ]
    assert sorted(set(wrong)) == []
    assert checked > 50


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_candidates") or name == "records"])
def test_searches_stay_small(name: str) -> None:
    assert all(one.sql.count(" AS MATERIALIZED (") <= 10 for one in renderings(name))


async def test_every_query_can_be_prepared(runtime: Runtime) -> None:
    """With any of its flags off."""
    async with runtime.db.unscoped() as connection:
        for _, one in _all():
            await connection.raw.prepare(one.sql)


def _one(text: str, flags: dict[str, bool | int | str | tuple[int, ...]] | None = None, rest: str = "") -> Query:
    return Queries({"some.sql": f"-- name: q\n{text}\n{rest}"}).query("q", flags or {})


def test_a_parameter_used_twice_is_one_and_casts_are_kept() -> None:
    compiled = _one("SELECT :a::text, :b, :a -- not :this")
    assert compiled.sql == "SELECT $1::text, $2, $1"
    assert compiled.parameters == ("a", "b")


def test_flags_choose_parts_and_parameters_with_them() -> None:
    text = "SELECT :a {% if more %}, :b {% else %}, :e {% endif %}"
    text += " {% for n in ns %}, {{ n }} {% include 'f' %}{% endfor %}"
    rest = "-- fragment: f\n{% if more %}, :d {% endif %}"
    some, none = _one(text, {"more": True, "ns": (1, 2)}, rest), _one(text, {"more": False, "ns": ()}, rest)
    assert [" ".join(one.sql.split()) for one in (some, none)] == ["SELECT $1 , $2 , 1 , $3 , 2 , $3", "SELECT $1 , $2"]
    values = {"a": 1, "b": 2, "d": 4, "e": 5}
    assert [one.arguments(values) for one in (some, none)] == [[1, 2, 4], [1, 5]]
    with pytest.raises(TypeError, match="b"):
        some.arguments({"a": 1, "d": 4})


@pytest.mark.parametrize("flags", [{}, {"more": True, "mor": True}, {"mor": True}], ids=str)
def test_a_missing_or_unknown_flag_is_refused(flags: dict[str, bool]) -> None:
    with pytest.raises(TypeError, match="mor"):
        _one("SELECT 1 {% if more %}, 2 {% endif %}", dict(flags))


def test_an_unknown_fragment_and_a_name_used_twice_are_refused() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        _one("SELECT {% include 'nowhere' %}")
    with pytest.raises(ValueError, match="q"):
        _one("SELECT 1", rest="-- name: q\nSELECT 2")


def test_a_vector_is_stored_in_the_column_of_its_space() -> None:
    assert (
        "SET embedding_float32 = v.embedding, embedding = NULL"
        in query("set_embeddings", VectorSpace(1, "float32").flags).sql
    )
    assert "SET embedding = v.embedding, embedding_float32 = NULL" in query("set_embeddings", NO_SPACE).sql


def test_missing_and_unknown_parameters_are_refused() -> None:
    compiled = _one("SELECT :a")
    with pytest.raises(TypeError, match="b"):
        compiled.arguments({"a": 1, "b": 2})
    with pytest.raises(TypeError, match="a"):
        compiled.arguments({})
