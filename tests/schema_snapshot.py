"""What ``sql/schema.sql`` says. ``tests/store/test_schema.py`` proves that the migrations make it."""

from __future__ import annotations

import re

from tests.processes import ROOT

SNAPSHOT = ROOT / "sql" / "schema.sql"

SHARED_TABLES = frozenset(
    {
        "workspaces", "embedding_models", "embedding_state", "reindex_requests", "worker_heartbeats", "dream_schedule",
        "webhook_schedule", "totals", "schema_compatibility", "cron_runs", "secrets", "installation_settings",
        "field_backfills", "oauth_clients", "rescans",
    }
)  # fmt: skip
"""Tables outside row-level security: they hold no content. All others show one workspace's rows only."""

_TABLE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n(.*?)\n\);$", re.MULTILINE | re.DOTALL)
_CONSTRAINT = re.compile(r"^ALTER TABLE ONLY (\w+)\n    ADD CONSTRAINT (\w+) (.*);$", re.MULTILINE)
_INDEX = re.compile(r"^CREATE (?:UNIQUE )?INDEX .*(?=;$)", re.MULTILINE)


def definitions() -> set[str]:
    """Its columns and constraints, each after its table's name, and its indexes, as Postgres writes them."""
    text = SNAPSHOT.read_text(encoding="utf-8")
    in_tables = {
        f"{table} {line.strip().removesuffix(',').removeprefix('CONSTRAINT ')}"
        for table, body in _TABLE.findall(text)
        for line in body.splitlines()
    }
    return in_tables | {" ".join(parts) for parts in _CONSTRAINT.findall(text)} | set(_INDEX.findall(text))


def table_names() -> set[str]:
    """The names of its tables."""
    return {table for table, _ in _TABLE.findall(SNAPSHOT.read_text(encoding="utf-8"))}
