"""The schema as SQLAlchemy metadata: what migrations are checked against. Nothing queries through it.

Every key, unique constraint and foreign key carries ``workspace_id`` first: tenancy by construction, and
distributable by workspace. Row-level security and functions live in the migrations.
"""

from __future__ import annotations

from service.db.tables import conversations, dreams, graph, memories, operation, pages, saved_searches, search, tenants
from service.db.tables.columns import metadata

__all__ = [
    "SHARED_TABLES",
    "conversations",
    "dreams",
    "graph",
    "memories",
    "metadata",
    "operation",
    "pages",
    "saved_searches",
    "search",
    "tenants",
]

SHARED_TABLES = frozenset(
    {
        "workspaces", "embedding_models", "embedding_state", "reindex_requests", "worker_heartbeats", "dream_schedule",
        "webhook_schedule", "totals", "schema_compatibility", "cron_runs", "secrets", "installation_settings",
        "field_backfills", "oauth_clients", "rescans",
    }
)  # fmt: skip
"""Tables outside row-level security: they hold no content. All others show one workspace's rows only."""
