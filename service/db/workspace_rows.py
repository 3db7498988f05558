"""All rows of one workspace, table by table."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection
from service.db.tables import metadata

TABLES = (
    "stored_counts",
    *(
        table.name
        for table in reversed(metadata.sorted_tables)
        if "workspace_id" in table.columns and table.name != "stored_counts"
    ),
)
"""Every table with rows of workspaces, those that refer to others first. What is not counted any more notes no
deletion."""

WRITTEN_BEHIND = frozenset(
    {
        "key_usage",
        "request_counts",
        "search_counts",
        "model_usage",
        "model_calls",
        "stored_counts",
        "stored_days",
        "audit_log",
    }
)
"""Statistics and notes of reads, which are written a while after what they are of."""


async def count_rows(connection: Connection, workspace: UUID) -> dict[str, int]:
    """How many rows of a workspace each table has, where it has any."""
    counts = " UNION ALL ".join(
        f"SELECT '{table}' AS table, count(*) AS rows FROM {table} WHERE workspace_id = $1"  # noqa: S608
        for table in TABLES
    )
    return {row["table"]: row["rows"] for row in await connection.raw.fetch(counts, workspace) if row["rows"]}


async def delete_rows(connection: Connection, workspace: UUID) -> None:
    """Delete all rows of a workspace, and the workspace."""
    for table in TABLES:
        await connection.raw.execute(f"DELETE FROM {table} WHERE workspace_id = $1", workspace)  # noqa: S608
