"""Entities and what links them."""

from __future__ import annotations

from sqlalchemy import (
    Index,
    Table,
    text,
)

from service.db.tables.columns import (
    id_column,
    json_column,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
    workspace_pk,
)

entities = Table(
    "entities",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    id_column("audience"),
    text_column("name"),
    text_column("kind"),
    json_column("metadata"),
    id_column("merged_into", nullable=True),
    id_column("dream_id", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    time_column("updated_at", nullable=False, default_now=True),
    workspace_pk("id"),
    references("agents", "agent_id"),
)

entity_merges = Table(
    "entity_merges",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("entity_id"),
    id_column("into_id"),
    json_column("moved"),
    text_column("actor"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("id"),
    references("entities", "entity_id"),
    Index("ix_entity_merges_entity", "workspace_id", "entity_id"),
)

entity_aliases = Table(
    "entity_aliases",
    metadata,
    workspace_column(),
    id_column("audience"),
    text_column("alias"),
    text_column("kind"),
    id_column("entity_id"),
    workspace_pk("audience", "alias", "kind"),
    references("entities", "entity_id", deferred=True),
    Index("ix_entity_aliases_entity", "workspace_id", "entity_id"),
)

edges = Table(
    "edges",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("audience"),
    text_column("relation"),
    text_column("source_kind"),
    id_column("source_id"),
    text_column("target_kind"),
    id_column("target_id"),
    id_column("memory_id", nullable=True),
    id_column("dream_id", nullable=True),
    text_column("created_by"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("id"),
    Index(
        "uq_edges_ends",
        "workspace_id",
        "source_id",
        "relation",
        "target_id",
        text("coalesce(memory_id, source_id)"),
        unique=True,
    ),
    Index("ix_edges_target", "workspace_id", "target_id"),
    Index("ix_edges_memory", "workspace_id", "memory_id", postgresql_where=text("memory_id IS NOT NULL")),
)
