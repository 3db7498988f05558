"""Every named query is valid on the migrated schema, and the loader keeps its promises."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from service.db.queries import Queries, Query, all_queries, query
from service.memory.engine import Engine
from service.store.vectors import NO_SPACE, VectorSpace
from tests.rendered import renderings

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(all_queries().templates)


def _all() -> list[tuple[str, Query]]:
    return [(name, one) for name in NAMES for one in renderings(name)]


@pytest.mark.parametrize("name", NAMES)
def test_every_query_is_one_statement(name: str) -> None:
    assert all(";" not in one.sql for one in renderings(name))


def test_only_the_store_names_queries() -> None:
    """Whatever else reads or writes does so by a function of ``service/store``."""
    allowed = [ROOT / "service/store", ROOT / "service/db"]
    modules = [
        path
        for package in ("service", "worker")
        for path in (ROOT / package).rglob("*.py")
        if not any(path.is_relative_to(folder) for folder in allowed)
    ]
    assert modules
    methods = {"fetch", "row", "one", "value", "run", "batches"}
    naming = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in modules
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in methods
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value in NAMES
    ]
    assert not naming


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_candidates") or name == "records"])
def test_searches_stay_small(name: str) -> None:
    assert all(one.sql.count(" AS MATERIALIZED (") <= 10 for one in renderings(name))


async def test_every_query_can_be_prepared(engine: Engine) -> None:
    """With any of its flags off."""
    async with engine.db.unscoped() as connection:
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
