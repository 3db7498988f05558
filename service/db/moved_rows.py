"""Rows that move from one workspace into another, table by table, in one transaction.

``mark`` lists ids of rows that others refer to; their dependent rows move with them. Rows that the moved ones refer to,
and that stay, are copied, so that every reference holds in the other workspace too.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import asyncpg

from service.db.pool import Connection
from service.db.workspace_rows import TABLES, delete_rows
from service.errors import Conflict

Marked = Mapping[str, list[UUID]]
"""Ids by table; of ``audiences``, which is none, those that languages are noted of."""


def _of(column: str, *marks: str) -> str:
    listed = ", ".join(f"'{mark}'" for mark in marks)
    return f"t.{column} IN (SELECT id FROM marked WHERE mark IN ({listed}))"  # noqa: S608


_SAID = "t.message_ids && ARRAY(SELECT id FROM marked WHERE mark = 'messages')"
DEPENDENT = {
    "agents": _of("id", "agents"),
    "teams": _of("id", "teams"),
    "team_members": f"{_of('team_id', 'teams')} OR {_of('agent_id', 'agents')}",
    "task_members": _of("agent_id", "agents"),
    "sessions": _of("id", "sessions"),
    "messages": _of("id", "messages"),
    "memories": _of("id", "memories"),
    "memory_versions": _of("memory_id", "memories"),
    "memory_usage": _of("memory_id", "memories"),
    "memory_sources": f"{_of('memory_id', 'memories')} AND {_of('message_id', 'messages')}",
    "window_summaries": _of("memory_id", "memories"),
    "documents": _of("id", "documents"),
    "chunks": _of("id", "chunks"),
    "search_index": _of("id", "memories", "messages", "chunks"),
    "search_terms": _of("id", "memories", "messages", "chunks"),
    "audience_languages": _of("audience", "audiences", "agents", "sessions", "teams"),
    "entities": _of("id", "entities"),
    "entity_aliases": _of("entity_id", "entities"),
    "entity_merges": _of("entity_id", "entities"),
    "edges": " OR ".join(_of(end, "memories", "entities") for end in ("source_id", "target_id", "memory_id")),
    "dead_letters": " OR ".join(
        (_of("message_id", "messages"), _of("memory_id", "memories"), _of("chunk_id", "chunks"))
    ),
    "dreams": _of("id", "dreams"),
    "dream_changes": f"{_of('dream_id', 'dreams')} OR {_of('memory_id', 'memories')}",
    "dream_steps": _of("agent_id", "agents"),
    "bulletins": _of("agent_id", "agents"),
    "proposals": " OR ".join(
        (_of("agent_id", "agents"), _of("memory_id", "memories"), f"(t.memory_id IS NULL AND {_SAID})")
    ),
    "pages": _of("id", "pages"),
    "page_versions": _of("page_id", "pages"),
    "saved_searches": _of("id", "saved_searches"),
    "saved_search_results": _of("search_id", "saved_searches"),
    "search_counts": _of("agent_id", "agents"),
    "model_calls": _of("agent_id", "agents"),
}
"""Which rows of each table go with those that are marked. A third of them refer to what is marked by no foreign key, so
the list is written out; a test compares it with the foreign keys."""

REFERRED = {
    "dreams": (("dream_changes", "dream_id"),),
    "sessions": (("memories", "session_id"),),
    "tasks": (("memories", "task_id"), ("task_members", "task_id")),
    "teams": (("memories", "team_id"), ("team_members", "team_id")),
    "entities": (("edges", "source_id"), ("edges", "target_id")),
    "agents": tuple(
        (table, "agent_id") for table in ("sessions", "memories", "entities", "dreams", "proposals", "team_members")
    ),
}
"""Tables whose rows are copied where moved rows refer to them: by which columns. Those of copies come later."""

_IN_ORDER = [table for table in reversed(TABLES) if table in DEPENDENT or table in REFERRED]
"""Those that others refer to first."""


async def mark(connection: Connection, marked: Marked) -> None:
    """List what moves or is counted, for the rest of the transaction; once in a transaction."""
    raw = connection.raw
    await raw.execute(
        "CREATE TEMP TABLE marked (mark text NOT NULL, id uuid NOT NULL, PRIMARY KEY (mark, id)) ON COMMIT DROP"
    )
    for name, ids in marked.items():
        await raw.execute("INSERT INTO marked SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING", name, ids)
    await raw.execute("ANALYZE marked")


async def count_marked(connection: Connection, workspace: UUID) -> dict[str, int]:
    """Return how many rows of each table would move, where any would."""
    counts = " UNION ALL ".join(f"SELECT '{table}' AS table, count(*) AS rows {_moving(table)}" for table in DEPENDENT)
    return {row["table"]: row["rows"] for row in await connection.raw.fetch(counts, workspace) if row["rows"]}


async def move_marked(connection: Connection, workspace: UUID, to: UUID) -> dict[str, list[UUID]]:
    """Move what is marked into ``to``, an empty workspace; the ids of what was copied, by table."""
    raw = connection.raw
    for table in _IN_ORDER:
        await _hold(connection, table)
        if table in DEPENDENT:
            await raw.execute(f"INSERT INTO staged_{table} SELECT t.* {_moving(table)}", workspace)
    copied = {table: await _copy_referred(connection, workspace, table) for table in REFERRED}
    await raw.execute(
        "INSERT INTO staged_entity_aliases "
        "SELECT * FROM entity_aliases WHERE workspace_id = $1 AND entity_id = ANY($2)",
        workspace, copied["entities"],
    )  # fmt: skip
    for table in reversed(_IN_ORDER):
        if table in DEPENDENT:
            await raw.execute(f"DELETE {_moving(table)}", workspace)
    await connection.switch_workspace(to)
    await _put_held(connection, to)
    await connection.switch_workspace(workspace)
    return {table: ids for table, ids in copied.items() if ids}


async def restore(connection: Connection, from_: UUID, to: UUID, copied: Marked) -> None:
    """Move everything of a workspace that ``move_marked`` has filled back into ``to`` but for what was ``copied``, and
    delete it. Memories and edges that have been imported meanwhile stay as they are there. Memories of which another
    says the same by now, or has their key, come back as deleted ones; what speaks of entities of which another has the
    name by now speaks of that one. Raises Conflict where anything else is there again."""
    raw = connection.raw
    await connection.switch_workspace(from_)
    for table in _IN_ORDER:
        await _hold(connection, table)
        await raw.execute(f"INSERT INTO staged_{table} SELECT * FROM {table} WHERE workspace_id = $1", from_)  # noqa: S608
        if table in copied:
            await raw.execute(f"DELETE FROM staged_{table} WHERE id = ANY($1::uuid[])", copied[table])  # noqa: S608
    entities = copied.get("entities", [])
    await raw.execute("DELETE FROM staged_entity_aliases WHERE entity_id = ANY($1::uuid[])", entities)
    await delete_rows(connection, from_)
    await connection.switch_workspace(to)
    await _leave_out_imported(connection, to)
    await _follow_entities(connection, to, entities)
    await _resolve_conflicts(connection, to)
    await _join_entities(connection, to)
    await _put_held(connection, to)


def _moving(table: str) -> str:
    """Return the rows of a table that move out of the workspace ``$1``."""
    return f"FROM {table} t WHERE t.workspace_id = $1 AND ({DEPENDENT[table]})"


async def _hold(connection: Connection, table: str) -> None:
    await connection.raw.execute(f"CREATE TEMP TABLE staged_{table} (LIKE {table}) ON COMMIT DROP")


async def _put_held(connection: Connection, workspace: UUID) -> None:
    for table in _IN_ORDER:
        await connection.raw.execute(f"UPDATE staged_{table} SET workspace_id = $1", workspace)  # noqa: S608
        try:
            # RETURNING: without it Citus would COPY, which row-level security forbids.
            await connection.raw.execute(f"INSERT INTO {table} SELECT * FROM staged_{table} RETURNING workspace_id")  # noqa: S608
        except asyncpg.UniqueViolationError as error:
            raise Conflict(f"Rows of {table} are there again, with the same ids or names.") from error


async def _copy_referred(connection: Connection, workspace: UUID, table: str) -> list[UUID]:
    referring = " UNION ".join(f"SELECT {column} FROM staged_{by}" for by, column in REFERRED[table])  # noqa: S608
    rows = await connection.raw.fetch(
        f"INSERT INTO staged_{table} SELECT t.* FROM {table} t WHERE t.workspace_id = $1 AND t.id IN ({referring}) "  # noqa: S608
        f"AND t.id NOT IN (SELECT id FROM staged_{table}) RETURNING id",
        workspace,
    )
    return [row["id"] for row in rows]


async def _leave_out_imported(connection: Connection, workspace: UUID) -> None:
    """Drop the staged memories, versions and edges that are there under the same id."""
    for table, of, keys in (
        ("memory_usage", "memories", {"memory_id": "id"}), ("dead_letters", "memories", {"memory_id": "id"}),
        ("search_index", "memories", {"id": "id"}), ("search_terms", "memories", {"id": "id"}),
        ("memories", "memories", {"id": "id"}), ("edges", "edges", {"id": "id"}),
        ("memory_versions", "memory_versions", {"memory_id": "memory_id", "version": "version"}),
    ):  # fmt: skip
        await _drop_staged(connection, workspace, table, of, keys)


async def _drop_staged(
    connection: Connection, workspace: UUID, table: str, of: str, keys: Mapping[str, str], also: str = "true"
) -> None:
    """Drop the staged rows ``h`` of a table for which the workspace has a row ``o`` in ``of`` with equal ``keys``
    (columns of ``of`` by those of the table).

    Citus joins what is staged on the coordinator with what lies on a node only where that has been read before.
    """
    first, of_first = next(iter(keys.items()))
    same = " AND ".join(f"o.{there} = h.{column}" for column, there in keys.items())
    found = f"SELECT * FROM {of} WHERE workspace_id = $1 AND {of_first} IN (SELECT {first} FROM staged_{table})"  # noqa: S608
    await connection.raw.execute(
        f"WITH o AS ({found}) DELETE FROM staged_{table} h USING o WHERE {same} AND {also}",  # noqa: S608
        workspace,
    )


async def _resolve_conflicts(connection: Connection, workspace: UUID) -> None:
    """Delete the staged memories that would be there twice, and drop such proposals."""
    raw = connection.raw
    same = await raw.fetch(
        """
        SELECT DISTINCT h.id FROM staged_memories h JOIN memories m ON m.workspace_id = $1 AND m.audience = h.audience
            AND ((m.type = h.type AND m.identity_hash = h.identity_hash)
                OR (m.agent_id = h.agent_id AND m.key = h.key AND m.owners = h.owners))
        WHERE h.deleted_at IS NULL AND h.superseded_by IS NULL AND m.deleted_at IS NULL AND m.superseded_by IS NULL
        """,
        workspace,
    )
    ids = [row["id"] for row in same]
    await raw.execute("UPDATE staged_memories SET deleted_at = now() WHERE id = ANY($1::uuid[])", ids)
    await raw.execute("UPDATE staged_search_index SET deleted = true WHERE id = ANY($1::uuid[])", ids)
    await _drop_staged(
        connection, workspace, "proposals", "proposals",
        {column: column for column in ("fingerprint", "agent_id", "owners")},
        "o.status <> 'accepted' AND h.status <> 'accepted'",
    )  # fmt: skip


async def _follow_entities(connection: Connection, workspace: UUID, copied: list[UUID]) -> None:
    """Let the staged edges of entities that have stayed follow a merge, and drop those of entities that are gone."""
    for end in ("source_id", "target_id"):
        await connection.raw.execute(
            f"UPDATE staged_edges h SET {end} = e.merged_into FROM entities e "  # noqa: S608
            f"WHERE e.workspace_id = $1 AND e.id = h.{end} AND e.merged_into IS NOT NULL",
            workspace,
        )
        await connection.raw.execute(
            f"DELETE FROM staged_edges WHERE {end} = ANY($2::uuid[]) "  # noqa: S608
            f"AND {end} NOT IN (SELECT e.id FROM entities e WHERE e.workspace_id = $1 AND e.id = ANY($2))",
            workspace, copied,
        )  # fmt: skip


_SAME_ENDS = (
    "o.source_id = h.source_id AND o.relation = h.relation AND o.target_id = h.target_id "
    "AND coalesce(o.memory_id, o.source_id) = coalesce(h.memory_id, h.source_id)"
)


async def _join_entities(connection: Connection, workspace: UUID) -> None:
    """Join the staged entities that go by a name of one that is there by now with that one."""
    raw = connection.raw
    await raw.execute("CREATE TEMP TABLE same_entities (old uuid PRIMARY KEY, new uuid NOT NULL) ON COMMIT DROP")
    taken = (
        "a.workspace_id = $1 AND a.audience = h.audience AND a.owners = h.owners AND a.alias = h.alias "
        "AND a.kind = h.kind"
    )
    await raw.execute(
        f"INSERT INTO same_entities SELECT DISTINCT ON (h.entity_id) h.entity_id, a.entity_id "  # noqa: S608
        f"FROM staged_entity_aliases h JOIN entity_aliases a ON {taken} ORDER BY h.entity_id, a.entity_id",
        workspace,
    )
    await raw.execute(
        "INSERT INTO same_entities SELECT h.id, h.id FROM staged_entities h JOIN entities e "
        "ON e.workspace_id = $1 AND e.id = h.id ON CONFLICT DO NOTHING",
        workspace,
    )
    alias = {column: column for column in ("alias", "audience", "owners", "kind")}
    await _drop_staged(connection, workspace, "entity_aliases", "entity_aliases", alias)
    for table, column in (
        ("edges", "source_id"), ("edges", "target_id"), ("entities", "merged_into"), ("entity_aliases", "entity_id"),
    ):  # fmt: skip
        await raw.execute(
            f"UPDATE staged_{table} h SET {column} = s.new FROM same_entities s WHERE h.{column} = s.old"  # noqa: S608
        )
    await raw.execute("DELETE FROM staged_entity_merges h USING same_entities s WHERE h.entity_id = s.old")
    await raw.execute("DELETE FROM staged_entities h USING same_entities s WHERE h.id = s.old")
    await raw.execute(f"DELETE FROM staged_edges h USING staged_edges o WHERE o.id < h.id AND {_SAME_ENDS}")  # noqa: S608
    await _drop_staged(connection, workspace, "edges", "edges", {"source_id": "source_id"}, _SAME_ENDS)
