"""What is looked up by its key, what it says or its agent is found by an index, however much there is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.db.queries import Query, query
from service.domain.drafts import MemoryDraft
from service.domain.ids import DEFAULT_WORKSPACE
from service.domain.principal import KeyGrant, Principal
from service.first_start import key_in_workspace
from service.memory.saving.lifecycle import ListFilter
from service.memory.saving.remember import remember
from service.runtime import Runtime
from service.settings import Settings
from service.store import agents
from tests.citus_cluster import Cluster
from tests.tables import table

MEMORIES = 3_000
READ_MAX = 10
TWINS = 600
EACH_ROW_MAX = 60
"""Steps of an export that a row passes, at most; a nested loop would read each row of the workspace for each other."""
ADMIN = Principal(DEFAULT_WORKSPACE, uuid4(), "admin", None)


@pytest.fixture
async def keyed(runtime: Runtime) -> None:
    for start in range(0, MEMORIES, 500):
        numbers = range(start, start + 500)
        drafts = [MemoryDraft(agent="a", type="fact", content=f"Number {n}", key=f"k{n}") for n in numbers]
        await remember(runtime, ADMIN, drafts)


@pytest.mark.usefixtures("keyed")
async def test_a_key_is_looked_up(runtime: Runtime) -> None:
    statement = query("list_memories", {"order": "newest", "where": (), "past": False})
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        reader = await agents.reader(connection, DEFAULT_WORKSPACE, agents.ReaderKey("a"))
        assert reader is not None
        values = ListFilter(key="k7", with_superseded=True).columns() | {
            "workspace": DEFAULT_WORKSPACE, "agent_id": reader.agent_id, "audiences": reader.audiences,
            "before_key": None, "before_id": None, "limit": 201, "now": runtime.now(), "where_values": None,
        }  # fmt: skip
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {with_values(statement, values)}"
        plan = await connection.raw.fetchval(explain)

    assert "ix_memories_key" in plan
    assert max(rows_read(json.loads(plan))) <= READ_MAX


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("duplicate_by_key", "memories_key"),
        ("duplicate_by_identity", "uq_memories_identity"),
        ("delete_postings", "pk_search_terms"),
    ],
)
async def test_what_a_save_meets_is_looked_up(runtime: Runtime, name: str, index: str, citus: Cluster | None) -> None:
    """As a save does: planned once, for any values."""
    if citus:
        pytest.skip("Citus plans each for its values")
    async with runtime.db.generic_plan_transaction(DEFAULT_WORKSPACE) as connection:
        row = await connection.raw.fetchrow("SELECT * FROM memories WHERE key = 'k7'")
        values = {
            "workspace": DEFAULT_WORKSPACE, "agent_id": row["agent_id"], "audience": row["audience"], "key": "k7",
            "type": "fact", "identity_hash": f"\\x{row['identity_hash'].hex()}", "id": row["id"],
            "owners": row["owners"],
        }  # fmt: skip
        statement = query(name)
        arguments = statement.arguments({name: values[name] for name in statement.parameters})
        await connection.raw.execute(f"PREPARE looked_up AS {statement.sql}")
        explain = f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked_up({', '.join(map(literal, arguments))})"
        plan = await connection.raw.fetchval(explain)
        await connection.raw.execute("DEALLOCATE looked_up")

    assert index in plan
    assert max(rows_read(json.loads(plan))) <= READ_MAX


@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("name", ["decayed_owners", "decay", "bulletin_inputs"])
async def test_a_dream_reads_what_is_of_its_agent(runtime: Runtime, name: str) -> None:
    for start in range(0, MEMORIES, 500):
        drafts = [MemoryDraft(agent="c", type="event", content=f"Event {n}") for n in range(start, start + 500)]
        await remember(runtime, ADMIN, drafts)
    await remember(
        runtime, ADMIN, [MemoryDraft(agent="b", type="event", content=f"Event {n}") for n in range(READ_MAX)]
    )
    statement = query(name)
    async with runtime.db.transaction(DEFAULT_WORKSPACE) as connection:
        await connection.raw.execute("ANALYZE memories")
        # Of so few rows a scan costs about as much: it depends on the table's pages which is planned.
        await connection.raw.execute("SET LOCAL enable_seqscan = off")
        agent_id = await connection.raw.fetchval("SELECT id FROM agents WHERE agent = 'b'")
        values = {
            "workspace": DEFAULT_WORKSPACE, "agent_id": agent_id, "now": runtime.now(), "days": 30, "faded_below": 0.1,
            "limit": 100, "reinforced": [], "left_out": [], "origins": ["own_user", "api"], "owners": [],
        }  # fmt: skip
        values = {name: values[name] for name in statement.parameters}
        plan = await connection.raw.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {with_values(statement, values)}")

    assert max(rows_read(json.loads(plan))) <= READ_MAX


@pytest.mark.usefixtures("keyed")
async def test_an_export_reads_each_row_once_though_statistics_do_not_know_the_workspace(
    runtime: Runtime, settings: Settings
) -> None:
    await key_in_workspace(settings, KeyGrant("admin", "k"), "twin")
    async with runtime.db.unscoped() as connection:
        await connection.raw.execute("ANALYZE")
        workspace = await connection.raw.fetchval("SELECT workspace_id FROM workspaces WHERE name = 'twin'")
    admin = Principal(workspace, uuid4(), "admin", None)
    for content in ("Number", "Count"):
        for start in range(0, TWINS, 200):
            drafts = [
                MemoryDraft.model_validate({
                    "agent": "a", "type": "fact", "content": f"{content} {n}", "key": f"k{n}",
                    "links": [{"relation": "about", "entity": {"name": f"Project {n % 50}", "kind": "project"}}],
                })
                for n in range(start, start + 200)
            ]  # fmt: skip
            await remember(runtime, admin, drafts)
    values = {
        "workspace": workspace, "agent_id": None, "with_deleted": True, "with_expired": True, "now": runtime.now(),
        "where_values": None, "start": UUID(int=0),
    }  # fmt: skip
    with table() as row:
        for record in ("counts", "memories", "history", "entities", "edges"):
            with row(record):
                statement = query(f"export_{record}", {"where": ()})
                given = {key: value for key, value in values.items() if key in statement.parameters}
                async with runtime.db.snapshot(workspace) as connection:
                    explain = f"EXPLAIN (ANALYZE, FORMAT JSON) {with_values(statement, given)}"
                    plan = await connection.raw.fetchval(explain)
                read = sum(rows * loops for rows, loops in rows_and_loops(json.loads(plan)))
                assert read <= TWINS * EACH_ROW_MAX


def with_values(statement: Query, values: dict[str, Any]) -> str:
    """The statement with its values in it: Citus explains one with parameters as planned for any values."""
    arguments = statement.arguments(values)
    return re.sub(r"\$(\d+)", lambda match: literal(arguments[int(match[1]) - 1]), statement.sql)


def literal(value: Any) -> str:
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    text = "{" + ",".join(map(str, value)) + "}" if isinstance(value, list) else str(value)
    return "'" + text.replace("'", "''") + "'"


def rows_read(plan: Any) -> Iterator[float]:
    """How many rows each step came by, however deep in the plan it is."""
    return (rows for rows, _ in rows_and_loops(plan))


def rows_and_loops(plan: Any) -> Iterator[tuple[float, float]]:
    """How many rows each step came by in one of its loops, those it left out included, and its loops."""
    if isinstance(plan, dict):
        if "Actual Rows" in plan:
            left_out = sum(value for key, value in plan.items() if key.startswith("Rows Removed by"))
            yield plan["Actual Rows"] + left_out, plan["Actual Loops"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for part in plan:
            yield from rows_and_loops(part)
