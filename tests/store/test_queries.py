"""Every named query is valid on the migrated schema, and the loader keeps its promises."""

from __future__ import annotations

import re

import pytest

from service.db.queries import all_queries, compile_query
from service.memory.engine import Engine


@pytest.mark.parametrize("name", sorted(all_queries()))
def test_every_query_says_what_it_does_in_one_statement(name: str) -> None:
    assert ";" not in all_queries()[name].sql


@pytest.mark.parametrize(
    "name", sorted(name for name, query in all_queries().items() if "workspace" in query.parameters)
)
def test_every_subquery_names_the_workspace_itself(name: str) -> None:
    """Citus keeps a statement in one shard only where no subquery takes the workspace from the row outside it."""
    sql = all_queries()[name].sql
    assert "dream_schedule" in sql or not re.search(r"WHERE \w+\.workspace_id = \w+\.workspace_id", sql)


def _inserts(sql: str) -> list[str]:
    """Every INSERT of a statement, each up to the parenthesis that closes its part."""
    found = []
    for start in re.finditer(r"\bINSERT INTO\b", sql):
        depth, end = 0, start.start()
        while end < len(sql) and depth >= 0:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        found.append(sql[start.start() : end])
    return found


@pytest.mark.parametrize(
    "name", sorted(name for name, query in all_queries().items() if "WITH" in query.sql and _inserts(query.sql))
)
def test_what_is_inserted_from_another_part_answers(name: str) -> None:
    """Citus brings in by COPY what neither returns a row nor minds conflicts, and walls let no COPY through."""
    for insert in _inserts(all_queries()[name].sql):
        assert "SELECT" not in insert or "ON CONFLICT" in insert or "RETURNING" in insert, insert


async def test_every_query_can_be_prepared(engine: Engine) -> None:
    """With any of its parts left out; what is ``scanned`` there is only where that is done."""
    async with engine.db.unscoped() as connection:
        for query in all_queries().values():
            parts = sorted(set(re.findall(r"\{if (\w+)\}", query.text)))
            always = {} if "scanned AS" in query.text else {"scanned": False}
            for shape in [{}, *({part: False} for part in parts), dict.fromkeys(parts, False)]:
                literals = {"dim": 256, "model": 1, "part": [1, 2]} | shape | always
                await connection.raw.prepare(query.with_literals(**literals).sql)


def test_a_parameter_used_twice_is_one_and_casts_are_kept() -> None:
    compiled = compile_query("q", "SELECT :a::text, :b, :a -- not :this\n")
    assert compiled.sql == "SELECT $1::text, $2, $1"
    assert compiled.parameters == ("a", "b")


def test_parts_are_there_unless_left_out_and_their_parameters_with_them() -> None:
    text = "SELECT :a {if more}, :b {if most}, :c {else}, :e {end}{end} {each n}, {n} {if more}, :d {end}{end}"
    compiled = compile_query("q", text)
    some, none = compiled.with_literals(most=False, n=[1, 2]), compiled.with_literals(more=False, n=())
    assert [" ".join(one.sql.split()) for one in (some, none)] == [
        "SELECT $1 , $2 , $3 , 1 , $4 , 2 , $4",
        "SELECT $1",
    ]
    values = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
    assert [one.arguments(values) for one in (some, none)] == [[1, 2, 5, 4], [1]]
    assert compiled.with_literals(n=[1]).arguments({"a": 1, "b": 2, "c": 3, "d": 4}) == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="b"):
        some.arguments({"a": 1, "d": 4})


def test_columns_of_a_table_take_the_place_of_parameters() -> None:
    compiled = compile_query("q", "{columns of t: a b} SELECT :a::text, :b, :c FROM unnest(:many::text[]) AS t(a, b)")
    assert compiled.sql == "SELECT t.a::text, t.b, $1 FROM unnest($2::text[]) AS t(a, b)"
    assert compiled.arguments({"c": 1, "many": ["x"]}) == [1, ["x"]]
    with pytest.raises(TypeError, match="a"):
        compiled.arguments({"a": 2, "c": 1, "many": ["x"]})


def test_missing_and_unknown_parameters_are_refused() -> None:
    compiled = compile_query("q", "SELECT :a")
    with pytest.raises(TypeError, match="b"):
        compiled.arguments({"a": 1, "b": 2})
    with pytest.raises(TypeError, match="a"):
        compiled.arguments({})
