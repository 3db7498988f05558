"""All rows of one workspace, table by table."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection

TABLES = (
    "stored_counts", "window_summaries", "proposals", "memory_versions", "memory_usage", "memory_sources",
    "dead_letters", "saved_search_results", "page_versions", "messages", "memories", "entity_merges",
    "entity_aliases", "dream_changes", "chunks", "team_members", "task_members", "sessions", "search_counts",
    "saved_searches", "rate_limits", "pages", "oauth_refresh_tokens", "oauth_codes", "model_calls", "key_usage",
    "idempotency", "entities", "dreams", "dream_steps", "documents", "bulletins", "teams", "tasks", "settings",
    "reindex_requests", "pii_secrets", "field_backfills", "deletions", "audit_log", "audience_languages",
    "api_keys", "agents", "workspaces", "webhooks", "webhook_schedule", "stored_days", "stored_changes",
    "search_terms", "search_index", "rescans", "request_counts", "model_usage", "model_budgets", "in_flight",
    "events", "event_counters", "edges", "dream_schedule", "common_terms", "audience_rows",
)  # fmt: skip
"""Every table with rows of workspaces, those that refer to others first. What is not counted any more notes no
deletion. Written out, and compared with the database by a test."""

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
    """Return how many rows of a workspace each table has, where it has any."""
    counts = " UNION ALL ".join(
        f"SELECT '{table}' AS table, count(*) AS rows FROM {table} WHERE workspace_id = $1"  # noqa: S608
        for table in TABLES
    )
    return {row["table"]: row["rows"] for row in await connection.raw.fetch(counts, workspace) if row["rows"]}


async def delete_rows(connection: Connection, workspace: UUID) -> None:
    """Delete all rows of a workspace, and the workspace."""
    for table in TABLES:
        await connection.raw.execute(f"DELETE FROM {table} WHERE workspace_id = $1", workspace)  # noqa: S608
