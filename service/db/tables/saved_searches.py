"""Saved searches and the results of their runs."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Table

from service.db.tables.columns import (
    bool_column,
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

saved_searches = Table(
    "saved_searches",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    text_column("name"),
    text_column("query"),
    json_column("options"),
    json_column("expected", default="[]"),
    int_column("k", default="10"),
    int_column("revision", default="1"),
    text_column("created_by"),
    time_column("created_at", nullable=False, default_now=True),
    time_column("updated_at", nullable=False, default_now=True),
    workspace_pk("id"),
    references("agents", "agent_id"),
    Index("ix_saved_searches_agent", "workspace_id", "agent_id", "id"),
)

saved_search_results = Table(
    "saved_search_results",
    metadata,
    workspace_column(),
    id_column("search_id"),
    id_column("id"),
    int_column("revision", default="1"),
    text_column("cause"),
    int_column("k"),
    Column("recall", Double, nullable=True),
    json_column("outcomes", default="[]"),
    json_column("overrides"),
    json_column("settings"),
    text_column("strategy"),
    text_column("embedder", nullable=True),
    bool_column("degraded"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("search_id", "id"),
    references("saved_searches", "search_id"),
)
