"""What Citus would refuse of the statements, without a cluster: it can be seen from what stands where in them, and from
which of their functions are not immutable."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from sqlglot.errors import SqlglotError

from service.db import moved_rows
from service.db.pool import Connection
from service.db.queries import all_queries
from tests.analysed import Catalog, analysed, refused_of_functions
from tests.citus_rules import Layout, refused_by_syntax
from tests.rendered import renderings


@dataclass(frozen=True, slots=True)
class Rules:
    """Those of Citus, with a database of this schema to ask."""

    raw: Any
    layout: Layout
    catalog: Catalog

    async def broken_by(self, sql: str) -> set[str]:
        """The names of the rules that a statement breaks. Raises SqlglotError where it cannot be parsed."""
        broken = refused_by_syntax(sql, self.layout)
        if any(word in sql for word in ("INSERT", "UPDATE", "DELETE")):
            broken |= refused_of_functions(await analysed(self.raw, sql), self.catalog)
        return broken


@pytest.fixture
async def rules(database_url: str) -> AsyncIterator[Rules]:
    raw = await asyncpg.connect(database_url)
    try:
        async with raw.transaction():
            layout = await Layout.of(raw)
            yield Rules(raw, layout, await Catalog.of(raw, layout.known))
    finally:
        await raw.close()


async def test_no_statement_breaks_a_rule(rules: Rules) -> None:
    found, unparsed = {}, {}
    for name in sorted(all_queries().templates):
        for one in renderings(name):
            try:
                if broken := await rules.broken_by(one.sql):
                    found[name] = found.get(name, set()) | broken
            except (SqlglotError, ValueError) as error:
                unparsed[name] = str(error)
    assert unparsed == {}
    assert found == {}


class Recorder:
    """Stands in for a connection: notes statements, and finds nothing."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    async def execute(self, sql: str, *_: Any, **__: Any) -> str:
        self.statements.append(sql)
        return ""

    async def fetch(self, sql: str, *_: Any, **__: Any) -> list[Any]:
        self.statements.append(sql)
        return []


async def _written_out() -> dict[str, list[str]]:
    """The statements of functions that write their own, by the function's name."""
    here, there, row = UUID(int=1), UUID(int=2), UUID(int=3)
    calls = {
        "Connection.switch_workspace": lambda on: on.switch_workspace(there),
        "moved_rows.mark": lambda on: moved_rows.mark(on, {"agents": [row]}),
        "moved_rows.count_marked": lambda on: moved_rows.count_marked(on, here),
        "moved_rows.move_marked": lambda on: moved_rows.move_marked(on, here, there),
        "moved_rows.restore": lambda on: moved_rows.restore(on, there, here, {"entities": [row]}),
    }
    written = {}
    for name, call in calls.items():
        recorder = Recorder()
        await call(Connection(recorder))
        written[name] = recorder.statements
    return written


async def test_functions_that_write_their_own_statements_break_no_rule(rules: Rules) -> None:
    found: dict[str, set[str]] = {}
    for name, statements in (await _written_out()).items():
        assert statements
        for sql in statements:
            if "CREATE TEMP" not in sql and (broken := refused_by_syntax(sql, rules.layout)):
                found[name] = found.get(name, set()) | broken
    assert found == {}


CASES: dict[str, tuple[list[str], list[str]]] = {
    "sub-select in INSERT": (
        [
            "INSERT INTO teams (workspace_id, id, team) VALUES ($1, $2, 'a')"
            " RETURNING (SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1)",
            "INSERT INTO teams (workspace_id, id, team)"
            " VALUES ($1, $2, (SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1))",
            "INSERT INTO teams (workspace_id, id, team) SELECT $1, $2, 'a'"
            " RETURNING (SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1)",
        ],
        [
            "WITH made AS (INSERT INTO teams (workspace_id, id, team) SELECT $1, $2, 'a' RETURNING team)"
            " SELECT team, (SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1) FROM made",
            "INSERT INTO teams (workspace_id, id, team)"
            " SELECT $1, $2, coalesce((SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1), 'a') RETURNING id",
            "UPDATE teams SET team = 'a' WHERE workspace_id = $1 AND id = $2"
            " RETURNING (SELECT max(a.name) FROM agents a WHERE a.workspace_id = $1)",
        ],
    ),
    "set_config of the workspace": (
        ["SELECT set_config('reverie.workspace', $1, true)"],
        ["SELECT set_config('citus.override_table_visibility', 'off', false)"],
    ),
    "INSERT by COPY": (
        [
            "INSERT INTO teams (workspace_id, id, team) SELECT $1, x, 'a' FROM unnest($2::uuid[]) AS x",
            "INSERT INTO teams (workspace_id, id, team)"
            " SELECT $1, a.id, a.agent FROM agents a WHERE a.workspace_id = $1",
            "INSERT INTO teams (workspace_id, id, team)"
            " SELECT a.workspace_id, gen_random_uuid(), a.agent FROM agents a WHERE a.workspace_id = $1",
            "WITH a AS (SELECT * FROM agents WHERE workspace_id = $1)"
            " INSERT INTO teams (workspace_id, id, team) SELECT a.workspace_id, a.id, a.agent FROM a",
            "WITH made AS (INSERT INTO teams (workspace_id, id, team) SELECT $1, x, 'a' FROM unnest($2::uuid[]) AS x)"
            " SELECT 1",
        ],
        [
            "INSERT INTO teams (workspace_id, id, team) SELECT $1, x, 'a' FROM unnest($2::uuid[]) AS x RETURNING id",
            "INSERT INTO teams (workspace_id, id, team) SELECT $1, x, 'a' FROM unnest($2::uuid[]) AS x"
            " ON CONFLICT DO NOTHING",
            "INSERT INTO teams (workspace_id, id, team)"
            " SELECT a.workspace_id, a.id, a.agent FROM agents a WHERE a.workspace_id = $1",
            "INSERT INTO teams (workspace_id, id, team) VALUES ($1, $2, 'a')",
            "INSERT INTO reindex_requests (workspace_id, force) SELECT $1, x FROM unnest($2::bool[]) AS x",
        ],
    ),
    "local table beside a spread one": (
        [
            "DELETE FROM held h WHERE NOT EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND a.id = h.id)",
            "SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND EXISTS (SELECT 1 FROM held h WHERE h.id = a.id)",
            "SELECT (SELECT a.name FROM agents a WHERE a.workspace_id = $1 AND a.id = s.agent_id)"
            " FROM dream_schedule s",
            "SELECT EXISTS (SELECT FROM held h JOIN agents a ON a.workspace_id = $1 AND a.id = h.id)",
            "UPDATE held h SET name = a.name FROM agents a JOIN teams t ON t.workspace_id = $1 AND t.id = a.id"
            " WHERE a.workspace_id = $1 AND a.id = h.id",
            "DELETE FROM held h USING (SELECT id FROM agents WHERE workspace_id = $1) a WHERE a.id = h.id",
            "DELETE FROM held h USING agents a WHERE a.workspace_id = $1 AND a.id = h.id AND a.name = h.name",
        ],
        [
            "DELETE FROM held h WHERE h.id NOT IN (SELECT a.id FROM agents a WHERE a.workspace_id = $1)",
            "UPDATE held h SET name = a.name FROM agents a WHERE a.workspace_id = $1 AND a.id = h.id",
            "WITH a AS (SELECT id, name FROM agents WHERE workspace_id = $1)"
            " DELETE FROM held h USING a WHERE a.id = h.id AND a.name = h.name",
            "SELECT EXISTS (SELECT 1 FROM held h JOIN agents a ON a.workspace_id = $1 AND a.id = h.id)",
            "SELECT 1 FROM held h"
            " CROSS JOIN LATERAL (SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND a.id = h.id) x",
            "WITH a AS (SELECT id FROM agents WHERE workspace_id = $1)"
            " DELETE FROM held h WHERE EXISTS (SELECT 1 FROM a WHERE a.id = h.id)",
        ],
    ),
    "workspace of the outer row": (
        [
            "SELECT 1 FROM agents a WHERE a.workspace_id = $1"
            " AND EXISTS (SELECT 1 FROM teams t WHERE t.id = a.id AND t.workspace_id = a.workspace_id)",
        ],
        [
            "SELECT 1 FROM agents a WHERE a.workspace_id = $1"
            " AND EXISTS (SELECT 1 FROM teams t WHERE t.id = a.id AND t.workspace_id = $1)",
            "SELECT 1 FROM agents a JOIN teams t ON t.workspace_id = a.workspace_id WHERE a.workspace_id = $1",
        ],
    ),
    "ON CONFLICT not immutable": (
        [
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET value = '{}'"
            " WHERE settings.updated_at < now()",
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET value = '{}'"
            " WHERE date_trunc('day', settings.updated_at) < excluded.updated_at",
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET value = '{}'"
            " WHERE settings.updated_at::date < '2026-01-01'",
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id)"
            " DO UPDATE SET updated_at = settings.updated_at + interval '1 day'",
            "INSERT INTO settings (workspace_id) SELECT $1 ON CONFLICT (workspace_id) DO UPDATE SET value = '{}'"
            " WHERE settings.updated_at < (SELECT max(a.created_at) FROM agents a WHERE a.workspace_id = $1)",
        ],
        [
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id)"
            " DO UPDATE SET value = settings.value || excluded.value WHERE settings.updated_at < excluded.updated_at",
            "INSERT INTO settings (workspace_id) VALUES ($1) ON CONFLICT (workspace_id) DO UPDATE SET value = '{}'"
            " WHERE date_trunc('day', settings.updated_at AT TIME ZONE 'UTC') < '2026-01-01'",
            "INSERT INTO totals (name, value) VALUES ($1, 1) ON CONFLICT (name)"
            " DO UPDATE SET value = extract(epoch FROM now())",
        ],
    ),
    "UPDATE or DELETE not immutable": (
        [
            "UPDATE agents SET created_at = date_trunc('day', created_at) WHERE workspace_id = $1",
            "UPDATE agents SET created_at = created_at + interval '1 day' WHERE workspace_id = $1",
            "UPDATE agents SET name = created_at::text WHERE workspace_id = $1",
            "UPDATE agents SET created_at = coalesce(created_at, now()) WHERE workspace_id = $1",
            "UPDATE agents SET id = gen_random_uuid() WHERE workspace_id = $1",
            "DELETE FROM agents WHERE created_at + interval '1 day' < now() AND workspace_id = $1",
            "UPDATE agents a SET created_at = f.day"
            " FROM (SELECT date_trunc('day', s.updated_at) AS day FROM settings s WHERE s.workspace_id = $1) f"
            " WHERE a.workspace_id = $1",
        ],
        [
            "UPDATE agents SET created_at = now() WHERE workspace_id = $1",
            "UPDATE agents SET name = coalesce(name, agent) WHERE workspace_id = $1",
            "DELETE FROM agents WHERE created_at < now() - interval '1 day' AND workspace_id = $1",
            "UPDATE agents a SET created_at = f.day"
            " FROM (SELECT date_trunc('day', s.updated_at) AS day FROM settings s WHERE s.workspace_id = $1 LIMIT 1) f"
            " WHERE a.workspace_id = $1",
            "UPDATE agents a SET created_at = (SELECT max(date_trunc('day', s.updated_at)) FROM settings s"
            " WHERE s.workspace_id = $1) WHERE a.workspace_id = $1",
            "WITH f AS (SELECT date_trunc('day', s.updated_at) AS day FROM settings s WHERE s.workspace_id = $1)"
            " UPDATE agents a SET created_at = f.day FROM f WHERE a.workspace_id = $1",
            "UPDATE agents a SET created_at = f.day FROM (SELECT date_trunc('day', r.at) AS day"
            " FROM jsonb_to_recordset('[{}]') AS r(at timestamptz)) f WHERE a.workspace_id = $1",
        ],
    ),
    "RETURNING not immutable": (
        [
            "DELETE FROM agents WHERE workspace_id = $1 RETURNING now()",
            "INSERT INTO settings (workspace_id) VALUES ($1) RETURNING date_trunc('day', updated_at)",
        ],
        [
            "DELETE FROM agents WHERE workspace_id = $1 RETURNING created_at",
            "INSERT INTO settings (workspace_id) SELECT $1 RETURNING date_trunc('day', updated_at)",
        ],
    ),
}  # fmt: skip
"""Statements that each rule refuses, and similar ones that it lets pass, as a cluster does."""


@pytest.mark.parametrize("rule", CASES)
async def test_a_rule_refuses_and_allows(rules: Rules, rule: str) -> None:
    await rules.raw.execute("CREATE TEMP TABLE held (LIKE agents)")
    refused, allowed = CASES[rule]
    assert [await rules.broken_by(sql) for sql in refused] == [{rule}] * len(refused)
    assert [await rules.broken_by(sql) for sql in allowed] == [set()] * len(allowed)
