"""Every column in which a workspace's texts are, read and rewritten table by table, in the order of the primary key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from service.db.pool import Connection

TextRow = dict[str, Any]
"""The key of a row and its columns with texts, by their names."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "memories": ("content", "summary", "key", "tags", "metadata", "source", "change_reason"),
    "memory_versions": ("record", "change_reason"),
    "messages": ("content", "content_json"),
    "documents": ("title", "text", "metadata"),
    "chunks": ("content",),
    "entities": ("name", "metadata"),
    "entity_aliases": ("alias",),
    "entity_merges": ("moved",),
    "proposals": ("content", "tags", "metadata", "source", "reason"),
    "bulletins": ("content", "parts"),
    "pages": ("question", "scope"),
    "page_versions": ("sentences",),
    "saved_searches": ("name", "query", "options"),
    "dreams": ("report", "error"),
    "dream_changes": ("before", "after", "reason", "undo"),
    "dream_steps": ("result",),
    "model_calls": ("input", "output", "error"),
    "events": ("details",),
    "audit_log": ("target", "details"),
    "agents": ("name", "settings"),
    "settings": ("value",),
}
"""Tables and their columns of text, arrays of text, and JSON. Not here: what tells names apart (agents, users,
sessions), credentials that are used (webhooks, keys of models), and what is derived from these columns."""

_BY_ID: Mapping[str, str] = {"id": "uuid"}
KEYS: Mapping[str, Mapping[str, str]] = dict.fromkeys(COLUMNS, _BY_ID) | {
    "memory_versions": {"memory_id": "uuid", "version": "integer"},
    "entity_aliases": {"audience": "uuid", "owners": "bytea", "alias": "text", "kind": "text"},
    "bulletins": {"agent_id": "uuid", "version": "integer"},
    "page_versions": {"page_id": "uuid", "version": "integer"},
    "dream_changes": {"dream_id": "uuid", "ordinal": "integer"},
    "dream_steps": {"agent_id": "uuid", "input_hash": "text"},
    "settings": {},
}
"""The primary key of each within its workspace, and the types of its columns. Written out, as the tables of
workspace_rows are."""


def key_of(table: str) -> tuple[str, ...]:
    """Return the primary key of a table within its workspace."""
    return tuple(KEYS[table])


async def read(
    connection: Connection, workspace: UUID, table: str, after: Sequence[Any] | None, limit: int, *, lock: bool = False
) -> list[TextRow]:
    """Return the next rows after a primary key, its columns and those with texts; locked until the transaction ends."""
    key = key_of(table)
    columns = ", ".join((*key, *COLUMNS[table]))
    past = [f"${place}::{kind}" for place, kind in enumerate(KEYS[table].values(), 3)]
    beyond = f"AND ({', '.join(key)}) > ({', '.join(past)})" if after and key else ""
    ordered = f"ORDER BY {', '.join(key)}" if key else ""
    statement = (
        f"SELECT {columns} FROM {table} WHERE workspace_id = $1 {beyond} {ordered} LIMIT $2"  # noqa: S608
        f"{' FOR UPDATE' if lock else ''}"
    )
    return [dict(row) for row in await connection.raw.fetch(statement, workspace, limit, *(after or ()))]


async def count(connection: Connection, workspace: UUID, table: str) -> int:
    """Return how many rows a workspace has in a table."""
    rows: int = await connection.raw.fetchval(f"SELECT count(*) FROM {table} WHERE workspace_id = $1", workspace)  # noqa: S608
    return rows


async def write(connection: Connection, workspace: UUID, table: str, row: TextRow, changed: Mapping[str, Any]) -> None:
    """Set the changed columns of a row that was read."""
    key = key_of(table)
    sets = [f"{name} = ${place}" for place, name in enumerate(changed, 2)]
    if table == "memory_versions":
        sets += ["embedding = NULL", "embedding_model = NULL"]
    same = [f" AND {name} = ${place}" for place, name in enumerate(key, 2 + len(changed))]
    await connection.raw.execute(
        f"UPDATE {table} SET {', '.join(sets)} WHERE workspace_id = $1{''.join(same)}",  # noqa: S608
        workspace, *changed.values(), *(row[name] for name in key),
    )  # fmt: skip
