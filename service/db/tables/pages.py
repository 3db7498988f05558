"""Pages and the versions of their answers."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, text

from service.db.tables.columns import (
    id_column,
    int_column,
    json_column,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
    workspace_pk,
)

pages = Table(
    "pages",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    text_column("question"),
    json_column("scope"),
    text_column("trigger"),
    int_column("max_tokens", default="500"),
    int_column("revision", default="1"),
    time_column("due_at"),
    id_column("due_dream_id", nullable=True),
    time_column("claimed_until"),
    text_column("created_by"),
    time_column("created_at", nullable=False, default_now=True),
    time_column("updated_at", nullable=False, default_now=True),
    workspace_pk("id"),
    references("agents", "agent_id"),
    Index("ix_pages_agent", "workspace_id", "agent_id", "id"),
    Index("ix_pages_due", "workspace_id", "due_at", postgresql_where=text("due_at IS NOT NULL")),
)

page_versions = Table(
    "page_versions",
    metadata,
    workspace_column(),
    id_column("page_id"),
    Column("version", Integer, nullable=False),
    json_column("sentences", default="[]"),
    text_column("writer"),
    int_column("dropped"),
    text_column("inputs_hash"),
    id_column("dream_id", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("page_id", "version"),
    references("pages", "page_id"),
    Index("ix_page_versions_dream", "workspace_id", "dream_id", postgresql_where=text("dream_id IS NOT NULL")),
)
