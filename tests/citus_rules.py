"""What Citus refuses of a statement, seen from its syntax tree; what it refuses of functions is in
``tests/analysed.py``. Each rule is as Citus 14 was seen to have it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokens import TokenType

from tests.processes import ROOT

_WITH_WORKSPACE = """SELECT c.relname::text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"""
_NAMED_LIST = re.compile(r"(\w+) CONSTANT regclass\[\] := '\{([\w,]+)\}'")


class PgvectorPostgres(Postgres):
    """Knows the distances of pgvector and functions by their own names alone; there is no dollar quoting."""

    class Tokenizer(Postgres.Tokenizer):
        HEREDOC_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = Postgres.Tokenizer.SINGLE_TOKENS | {"$": TokenType.PARAMETER}
        # As a word of its own ``unnest`` takes no joins in UPDATE … FROM.
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind for word, kind in Postgres.Tokenizer.KEYWORDS.items() if word != "UNNEST"
        } | dict.fromkeys(("<#>", "<=>", "<~>"), TokenType.LR_ARROW)

    class Parser(PostgresParser):
        FUNCTIONS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {}


@dataclass(frozen=True, slots=True)
class Layout:
    """How the tables of a database lie in a cluster: ``spread`` over its shards, ``copied`` to every node, ``apart`` on
    the coordinator though Citus knows them; all others it does not know. ``secured`` are those with row-level security.
    ``volatile`` and ``aggregates`` are names of functions."""

    spread: frozenset[str]
    copied: frozenset[str]
    apart: frozenset[str]
    secured: frozenset[str]
    volatile: frozenset[str]
    aggregates: frozenset[str]

    @classmethod
    async def of(cls, raw: Any) -> Layout:
        """What ``sql/citus.sql`` makes of the database of a connection."""
        lists = dict(_NAMED_LIST.findall((ROOT / "sql" / "citus.sql").read_text(encoding="utf-8")))
        copied, apart = (frozenset(lists[name].split(",")) for name in ("shared", "apart"))

        async def names(query: str) -> frozenset[str]:
            return frozenset([row[0] for row in await raw.fetch(query)])

        spread = await names(_WITH_WORKSPACE)
        return cls(
            spread - copied - apart,
            copied,
            apart,
            await names("SELECT relname::text FROM pg_class WHERE relrowsecurity"),
            await names("SELECT proname::text FROM pg_proc WHERE provolatile = 'v'"),
            await names("SELECT proname::text FROM pg_proc WHERE prokind = 'a'"),
        )

    @property
    def known(self) -> frozenset[str]:
        """The tables that Citus knows."""
        return self.spread | self.copied | self.apart

    def is_local(self, table: str) -> bool:
        """Whether it is on the coordinator alone."""
        return table not in self.spread and table not in self.copied


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its ``tree``, and the names of its common table expressions."""

    tree: exp.Expr
    defined: frozenset[str]

    @classmethod
    def of(cls, sql: str) -> Statement:
        """Raises SqlglotError or ValueError where it cannot be parsed."""
        (tree,) = PgvectorPostgres().parse(" ".join(sql.split()))
        if tree is None or tree.find(exp.Command):
            raise ValueError("not parsed")
        return cls(tree, frozenset(one.alias for one in tree.find_all(exp.CTE)))

    def tables(self, part: exp.Expr | None = None) -> set[str]:
        """What is named in a part of it, but for common table expressions."""
        return {self.table(one) for one in (part or self.tree).find_all(exp.Table)} - {""}

    def table(self, source: exp.Expr) -> str:
        """The table that a source is; empty for what is none."""
        is_one = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
        return source.name if is_one and source.name not in self.defined else ""

    def outer(self, column: exp.Column) -> tuple[exp.Select | None, str]:
        """The sub-select that names a column of a table outside it, and that table; None and empty otherwise."""
        inner, query = None, column.find_ancestor(exp.Select, exp.Update, exp.Delete)
        while query is not None:
            source = next((one for one in _sources(query) if one.alias_or_name == column.table), None)
            if source is not None:
                table = self.table(source)
                return (inner, table) if table and isinstance(inner, exp.Select) else (None, "")
            inner, query = query, query.find_ancestor(exp.Select, exp.Update, exp.Delete)
        return None, ""


def refused_by_syntax(sql: str, layout: Layout) -> set[str]:
    """The names of the rules that a statement breaks."""
    statement = Statement.of(sql)
    return {name for name, breaks in RULES.items() if breaks(statement, layout)}


def _subselect_in_insert(statement: Statement, layout: Layout) -> bool:
    """An INSERT of VALUES has no sub-select; another runs what stands in RETURNING on the shard, where no other table
    is known."""
    for insert in statement.tree.find_all(exp.Insert):
        target, returning = _target(insert), insert.args.get("returning")
        if isinstance(insert.expression, exp.Values):
            parts = (insert.expression, insert.args.get("conflict"), returning)
            inner = [select for part in parts if part for select in part.find_all(exp.Select)]
            if inner and (target in layout.known or any(statement.tables(one) & layout.known for one in inner)):
                return True
        elif returning and target in layout.spread | layout.copied and statement.tables(returning):
            return True
    return False


def _setting_of_workspace(statement: Statement, layout: Layout) -> bool:
    """``set_config`` reaches no other node; SET LOCAL does."""
    del layout
    return any(
        call.name.lower() == "set_config" and call.expressions[0].name.startswith("reverie.")
        for call in statement.tree.find_all(exp.Anonymous)
    )


def _insert_by_copy(statement: Statement, layout: Layout) -> bool:
    """Rows that are not made in the shard they go to are brought there by COPY, which row-level security refuses,
    unless there is RETURNING or ON CONFLICT."""
    return any(
        _target(insert) in layout.spread & layout.secured
        and not isinstance(insert.expression, exp.Values)
        and not insert.args.get("returning")
        and not insert.args.get("conflict")
        and not _is_made_in_shard(statement, insert, layout)
        for insert in statement.tree.find_all(exp.Insert)
    )


def _is_made_in_shard(statement: Statement, insert: exp.Insert, layout: Layout) -> bool:
    source = insert.expression
    read = statement.tables(source)
    if insert.args.get("with_") or not isinstance(source, exp.Select) or not read & layout.spread:
        return False
    given = zip(insert.this.expressions, source.expressions, strict=False)
    takes_workspace = any(
        column.name == "workspace_id" and isinstance(value.unalias(), exp.Column) for column, value in given
    )
    return takes_workspace and not any(map(layout.is_local, read)) and not _calls(source) & layout.volatile


def _local_beside_spread(statement: Statement, layout: Layout) -> bool:
    """A sub-select of one kind of table may not name rows of the other outside it, and one of both gives columns. What
    is changed on the coordinator may be joined with one spread table as it stands, by one column."""
    named = statement.tables()
    if not named & layout.spread or not any(map(layout.is_local, named)):
        return False
    for select in statement.tree.find_all(exp.Select):
        read = statement.tables(select)
        if not select.expressions and read & layout.spread and any(map(layout.is_local, read)):
            return True
    for column in statement.tree.find_all(exp.Column):
        inner, outer = statement.outer(column)
        if inner is None or isinstance(inner.parent.parent, exp.From | exp.Join | exp.Lateral):
            continue
        read = statement.tables(inner)
        if read & layout.spread if layout.is_local(outer) else any(map(layout.is_local, read)):
            return True
    return any(
        layout.is_local(_target(change)) and _joins_spread(statement, change, layout)
        for change in statement.tree.find_all(exp.Update, exp.Delete)
    )


def _joins_spread(statement: Statement, change: exp.Expr, layout: Layout) -> bool:
    sources = _sources(change)[1:]
    read = [statement.tables(source) for source in sources]
    if not any(names & layout.spread for names in read):
        return False
    if any(_joins_by_two_columns(change, source) for source in sources if statement.table(source) in layout.spread):
        return True
    inlined = any(
        isinstance(source, exp.Subquery) and _is_inlined(source.this, layout) and names & layout.spread
        for source, names in zip(sources, read, strict=True)
    )
    return inlined or sum(map(bool, read)) > 1


def _joins_by_two_columns(change: exp.Expr, source: exp.Expr) -> bool:
    """Citus takes a single condition between what is changed on the coordinator and a spread table."""
    where = change.args.get("where")
    names = {change.this.alias_or_name, source.alias_or_name}
    conditions = where.this.flatten() if where and isinstance(where.this, exp.And) else []
    between = [one for one in conditions if names <= {column.table for column in one.find_all(exp.Column)}]
    return len(between) > 1


def _is_inlined(query: exp.Expr, layout: Layout) -> bool:
    """Whether Postgres makes a sub-select in FROM one with the query around it."""
    keeps = ("limit", "offset", "group", "distinct", "having", "order", "with_")
    return (
        isinstance(query, exp.Select)
        and not any(query.args.get(part) for part in keeps)
        and not _calls(query) & layout.aggregates
    )


def _workspace_of_outer_row(statement: Statement, layout: Layout) -> bool:
    """A statement is kept in one shard only where every sub-select names the workspace itself."""
    for pair in statement.tree.find_all(exp.EQ):
        sides = (pair.this, pair.expression)
        if all(isinstance(side, exp.Column) and side.name == "workspace_id" for side in sides):
            outer = {statement.outer(side)[1] for side in sides} - {""}
            if outer - layout.apart:
                return True
    return False


RULES: dict[str, Callable[[Statement, Layout], bool]] = {
    "sub-select in INSERT": _subselect_in_insert,
    "set_config of the workspace": _setting_of_workspace,
    "INSERT by COPY": _insert_by_copy,
    "local table beside a spread one": _local_beside_spread,
    "workspace of the outer row": _workspace_of_outer_row,
}


def _target(change: exp.Expr) -> str:
    table = change.this.this if isinstance(change.this, exp.Schema) else change.this
    return str(table.name)


def _sources(query: exp.Expr) -> list[exp.Expr]:
    """What a query reads directly: tables, sub-selects and calls; what it changes comes first."""
    first = [query.this] if isinstance(query, exp.Update | exp.Delete) else []
    from_ = query.args.get("from_")
    first += [from_.this] if from_ else []
    first += query.args.get("using") or []
    joins = [join for one in (query, *first) for join in one.args.get("joins") or []]
    return [*first, *(join.this for join in joins)]


def _calls(tree: exp.Expr) -> set[str]:
    return {call.name.lower() for call in tree.find_all(exp.Anonymous)}
