"""Statements as Postgres analyses them: which functions their calls, operators and casts are, and what Citus refuses of
those that are not immutable. The rules are those of ``TargetlistAndFunctionsSupported`` in Citus 14."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Node = dict[str, Any]
"""A node of ``pg_node_tree``: its kind as ``kind``, its fields by name: texts, nodes, lists of these."""

UPDATE, INSERT, DELETE = "2", "3", "4"
RELATION, SUBQUERY = "0", "1"
NONE = "<>"
_TOKEN = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_FUNCTIONS = ("funcid", "opfuncid", "aggfnoid", "winfnoid")
_TYPES = (
    "vartype",
    "consttype",
    "paramtype",
    "funcresulttype",
    "opresulttype",
    "resulttype",
    "coalescetype",
    "casetype",
)
_KEPT = (
    "groupClause", "havingQual", "distinctClause", "sortClause", "limitOffset", "limitCount", "setOperations",
    "cteList", "rowMarks",
)  # fmt: skip
"""Clauses with which a sub-select in FROM is not made one with the query around it."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Names of tables by oid, the names of those that Citus knows, functions that are not immutable with their
    volatility, and of every type the functions that read and write it."""

    tables: dict[str, str]
    known: frozenset[str]
    mutable: dict[str, str]
    type_functions: dict[str, tuple[str, str]]

    @classmethod
    async def of(cls, raw: Any, known: frozenset[str]) -> Catalog:
        """That of the database of a connection."""
        tables = await raw.fetch("SELECT oid::text, relname::text FROM pg_class WHERE relkind = 'r'")
        functions = await raw.fetch("SELECT oid::text, provolatile::text FROM pg_proc WHERE provolatile <> 'i'")
        types = await raw.fetch("SELECT oid::text, typinput::oid::text, typoutput::oid::text FROM pg_type")
        return cls(dict(tables), known, dict(functions), {row[0]: (row[1], row[2]) for row in types})


async def analysed(raw: Any, sql: str) -> list[Node]:
    """Every query of a statement, those of its common table expressions and sub-selects included."""
    types = [kind.oid for kind in (await raw.prepare(sql)).get_parameters()]
    named = [row[0] for row in await raw.fetch("SELECT format_type(o, NULL) FROM unnest($1::oid[]) AS o", types)]
    await raw.execute(f"CREATE FUNCTION pg_temp.analysed({', '.join(named)}) RETURNS void BEGIN ATOMIC {sql}; END")
    body = await raw.fetchval(
        "SELECT prosqlbody::text FROM pg_proc WHERE proname = 'analysed' AND pronamespace = pg_my_temp_schema()"
    )
    await raw.execute("DROP FUNCTION pg_temp.analysed")
    return [node for node in _walk(_parsed(body)) if node["kind"] == "QUERY"]


def refused_of_functions(queries: list[Node], catalog: Catalog) -> set[str]:
    """The names of the rules that queries break which change tables that Citus knows."""
    found = set()
    for query in queries:
        if query["commandType"] in (UPDATE, INSERT, DELETE) and _changed(query, catalog) in catalog.known:
            if query["onConflict"] != NONE and _conflict_is_mutable(query["onConflict"], catalog):
                found.add("ON CONFLICT not immutable")
            if query["commandType"] != INSERT and _change_is_mutable(query, catalog):
                found.add("UPDATE or DELETE not immutable")
            if not _is_insert_select(query) and _is_mutable(query["returningList"], catalog):
                found.add("RETURNING not immutable")
    return found


def _conflict_is_mutable(conflict: Node, catalog: Catalog) -> bool:
    """Nothing in DO UPDATE may depend on time or settings, as row-level security of a table that it reads does."""
    values = [entry["expr"] for entry in _entries(conflict["onConflictSet"])]
    parts = [conflict["arbiterWhere"], conflict["onConflictWhere"], *values]
    return _is_mutable(parts, catalog) or any(
        (node["kind"] == "RANGETBLENTRY" and node["rtekind"] == RELATION) or _is_mutable([node], catalog)
        for query in _walk(parts)
        if query["kind"] == "SUBLINK"
        for node in _walk(query["subselect"])
    )


def _change_is_mutable(query: Node, catalog: Catalog) -> bool:
    """SET and WHERE call nothing volatile, nothing stable with columns, and within CASE and COALESCE only what is
    immutable."""
    values = [entry["expr"] for entry in _entries(query["targetList"]) if entry["resjunk"] == "false"]
    parts = _inlined([*values, query["jointree"]["quals"]], [query], catalog)
    return any(_depends_on_rows(node, catalog) for node in _walk(parts, "SUBLINK"))


def _depends_on_rows(node: Node, catalog: Catalog) -> bool:
    volatility = _volatility(node, catalog)
    if volatility == "v" or (node["kind"] in ("CASEEXPR", "COALESCEEXPR") and _is_mutable([node], catalog)):
        return True
    return volatility == "s" and any(
        inner["kind"] == "VAR" for inner in _walk(list(node.values()), "SUBLINK", "CASEEXPR", "COALESCEEXPR")
    )


def _is_mutable(parts: Any, catalog: Catalog) -> bool:
    return any(_volatility(node, catalog) for node in _walk(parts, "SUBLINK"))


def _volatility(node: Node, catalog: Catalog) -> str:
    """``v`` or ``s`` of what a node itself calls; empty where that is immutable or nothing."""
    called = [node[field] for field in _FUNCTIONS if field in node]
    if node["kind"] == "COERCEVIAIO":
        reads = catalog.type_functions.get(node["resulttype"], ("", ""))[0]
        writes = catalog.type_functions.get(_type(node["arg"]), ("", ""))[1]
        called += [reads, writes]
    if node["kind"] == "SQLVALUEFUNCTION":
        return "s"
    found = {catalog.mutable.get(function, "") for function in called}
    return "v" if "v" in found else "s" if "s" in found else ""


def _type(node: Node) -> str:
    return next((node[field] for field in _TYPES if field in node), "")


def _inlined(part: Any, queries: list[Node], catalog: Catalog) -> Any:
    """A part of the last of nested queries, with what sub-selects in FROM give in place of their columns, where they
    are made one with the query around them."""
    if isinstance(part, list):
        return [_inlined(one, queries, catalog) for one in part]
    if not isinstance(part, dict) or part["kind"] == "SUBLINK":
        return part
    if part["kind"] != "VAR":
        return {field: _inlined(value, queries, catalog) for field, value in part.items()}
    around = queries[: len(queries) - int(part["varlevelsup"])]
    source = around[-1]["rtable"][int(part["varno"]) - 1] if around else part
    if source.get("rtekind") != SUBQUERY or not _is_inlined(source["subquery"], catalog):
        return part
    inner = source["subquery"]
    return _inlined(inner["targetList"][int(part["varattno"]) - 1]["expr"], [*around, inner], catalog)


def _is_inlined(query: Node, catalog: Catalog) -> bool:
    """Postgres keeps some sub-selects by themselves; Citus runs those first that read nothing it knows, unless they
    are constant."""
    makes_rows = (query["hasAggs"], query["hasWindowFuncs"], query["hasTargetSRFs"])
    if "true" in makes_rows or any(query[clause] != NONE for clause in _KEPT):
        return False
    sources = _entries(query["rtable"])
    read = {catalog.tables.get(source["relid"], "") for source in sources if source["rtekind"] == RELATION}
    if read:
        return read <= catalog.known
    return not any(node["kind"] == "SUBLINK" or _volatility(node, catalog) for node in _walk(sources))


def _is_insert_select(query: Node) -> bool:
    sources = query["jointree"]["fromlist"]
    return (
        query["commandType"] == INSERT
        and sources != NONE
        and (query["rtable"][int(sources[0]["rtindex"]) - 1]["rtekind"] == SUBQUERY)
    )


def _changed(query: Node, catalog: Catalog) -> str:
    return catalog.tables.get(query["rtable"][int(query["resultRelation"]) - 1]["relid"], "")


def _entries(entries: Any) -> list[Node]:
    return [] if entries == NONE else entries


def _walk(part: Any, *closed: str) -> Iterator[Node]:
    """The nodes of a part, but for what is within those of ``closed`` kinds."""
    if isinstance(part, dict):
        if part["kind"] in closed:
            return
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _walk(one, *closed)


def _parsed(text: str) -> Any:
    """What ``nodeToString`` of Postgres has written."""
    tokens = iter(_TOKEN.findall(text))

    def value(token: str) -> Any:
        if token == "(":
            return list(iter_values(")"))
        return node() if token == "{" else token

    def iter_values(end: str) -> Iterator[Any]:
        while (token := next(tokens)) != end:
            yield value(token)

    def node() -> Node:
        made: Node = {"kind": next(tokens)}
        field = ""
        for one in iter_values("}"):
            if isinstance(one, str) and one.startswith(":"):
                field = one[1:]
                made[field] = NONE
            elif made[field] == NONE:
                made[field] = one
        return made

    return value(next(tokens))
