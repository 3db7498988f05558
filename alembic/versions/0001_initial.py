"""The first schema: tables, the service's role, row-level security, functions.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import create_role, create_versioned_function, enable_rls, grant, grant_dml

SHARED = ("workspaces", "embedding_models", "worker_heartbeats", "dream_schedule")
WALLED = (
    "agents",
    "bulletins",
    "dream_changes",
    "dreams",
    "edges",
    "entities",
    "entity_aliases",
    "memories",
    "memory_sources",
    "memory_usage",
    "memory_versions",
    "messages",
    "search_index",
    "search_terms",
    "sessions",
    "settings",
    "tasks",
    "team_members",
    "teams",
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    create_role()
    op.create_table(
        "dream_schedule",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "agent_id", name=op.f("pk_dream_schedule")),
    )
    op.create_index("ix_dream_schedule_due", "dream_schedule", ["due_at"], unique=False)
    op.create_table(
        "edges",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("source_kind", sa.Text(), nullable=False),
        sa.Column("source_id", sa.UUID(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target_id", sa.UUID(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=True),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_edges")),
        sa.UniqueConstraint(
            "workspace_id",
            "source_id",
            "relation",
            "target_id",
            name=op.f("uq_edges_workspace_id_source_id_relation_target_id"),
        ),
    )
    op.create_index(
        "ix_edges_memory",
        "edges",
        ["workspace_id", "memory_id"],
        unique=False,
        postgresql_where=sa.text("memory_id IS NOT NULL"),
    )
    op.create_index("ix_edges_target", "edges", ["workspace_id", "target_id"], unique=False)
    op.create_table(
        "embedding_models",
        sa.Column("id", sa.SmallInteger(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("dim", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embedding_models")),
        sa.UniqueConstraint("signature", name=op.f("uq_embedding_models_signature")),
    )
    op.create_table(
        "search_index",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("user_name", sa.Text(), nullable=True),
        sa.Column("session_id", sa.UUID(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("tags", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("importance", sa.REAL(), server_default="0.5", nullable=False),
        sa.Column("confidence", sa.REAL(), server_default="1", nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("faded", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("previous", sa.UUID(), nullable=True),
        sa.Column("length", sa.SmallInteger(), nullable=False),
        sa.Column("words", sa.SmallInteger(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("asks", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("question_share", sa.REAL(), server_default="0", nullable=False),
        sa.Column("embedding_model", sa.SmallInteger(), nullable=True),
        sa.Column("embedding", HALFVEC(), nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_search_index")),
    )
    op.create_index("ix_search_index_audience", "search_index", ["workspace_id", "audience", "kind"], unique=False)
    op.create_index(
        "ix_search_index_pending",
        "search_index",
        ["workspace_id", "id"],
        unique=False,
        postgresql_where=sa.text("embedding_model IS NULL AND NOT deleted"),
    )
    op.create_index(
        "ix_search_index_session",
        "search_index",
        ["workspace_id", "session_id", "kind", "happened_at", "id"],
        unique=False,
        postgresql_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_table(
        "search_terms",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("term", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("frequency", sa.SmallInteger(), nullable=False),
        sa.Column("length", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "term", "id", name=op.f("pk_search_terms")),
    )
    op.create_table(
        "worker_heartbeats",
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("worker", name=op.f("pk_worker_heartbeats")),
    )
    op.create_table(
        "workspaces",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_workspaces")),
        sa.UniqueConstraint("name", name=op.f("uq_workspaces_name")),
    )
    op.create_table(
        "agents",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("prime", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("prime_audience", sa.UUID(), nullable=False),
        sa.Column("settings", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_agents_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_agents")),
        sa.UniqueConstraint("workspace_id", "agent", name=op.f("uq_agents_workspace_id_agent")),
    )
    op.create_table(
        "api_keys",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_api_keys_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("workspace_id", "hash", name=op.f("uq_api_keys_workspace_id_hash")),
    )
    op.create_table(
        "settings",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_settings_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_settings")),
    )
    op.create_table(
        "tasks",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_tasks_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_tasks")),
        sa.UniqueConstraint("workspace_id", "task", name=op.f("uq_tasks_workspace_id_task")),
    )
    op.create_table(
        "teams",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_teams_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_teams")),
        sa.UniqueConstraint("workspace_id", "team", name=op.f("uq_teams_workspace_id_team")),
    )
    op.create_table(
        "bulletins",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("inputs_hash", sa.Text(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_bulletins_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "agent_id", "version", name=op.f("pk_bulletins")),
    )
    op.create_table(
        "dreams",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("report", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_dreams_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_dreams")),
    )
    op.create_index("ix_dreams_agent", "dreams", ["workspace_id", "agent_id", "created_at", "id"], unique=False)
    op.create_table(
        "entities",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_entities_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_entities")),
    )
    op.create_table(
        "sessions",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("user_name", sa.Text(), nullable=True),
        sa.Column("last_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("dreamed_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("window_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("window_started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_message_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_sessions_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_sessions")),
        sa.UniqueConstraint(
            "workspace_id", "agent_id", "session", name=op.f("uq_sessions_workspace_id_agent_id_session")
        ),
    )
    op.create_index(
        "ix_sessions_due",
        "sessions",
        ["workspace_id", "agent_id"],
        unique=False,
        postgresql_where=sa.text("dreamed_seq < last_seq"),
    )
    op.create_table(
        "team_members",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("team_id", sa.UUID(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_team_members_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "team_id"],
            ["teams.workspace_id", "teams.id"],
            name=op.f("fk_team_members_teams_workspace_id_team_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "agent_id", "team_id", name=op.f("pk_team_members")),
    )
    op.create_table(
        "dream_changes",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=True),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "dream_id"],
            ["dreams.workspace_id", "dreams.id"],
            name=op.f("fk_dream_changes_dreams_workspace_id_dream_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "dream_id", "ordinal", name=op.f("pk_dream_changes")),
    )
    op.create_index("ix_dream_changes_memory", "dream_changes", ["workspace_id", "memory_id"], unique=False)
    op.create_table(
        "entity_aliases",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.UUID(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "entity_id"],
            ["entities.workspace_id", "entities.id"],
            name=op.f("fk_entity_aliases_entities_workspace_id_entity_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "audience", "alias", "kind", name=op.f("pk_entity_aliases")),
    )
    op.create_index("ix_entity_aliases_entity", "entity_aliases", ["workspace_id", "entity_id"], unique=False)
    op.create_table(
        "memories",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("team_id", sa.UUID(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("session_id", sa.UUID(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=True),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("identity_hash", sa.LargeBinary(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("importance", sa.Double(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("tags", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("source", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("decay_exempt", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("lexemes", postgresql.TSVECTOR(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("superseded_by", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_memories_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "session_id"],
            ["sessions.workspace_id", "sessions.id"],
            name=op.f("fk_memories_sessions_workspace_id_session_id"),
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "task_id"],
            ["tasks.workspace_id", "tasks.id"],
            name=op.f("fk_memories_tasks_workspace_id_task_id"),
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "team_id"],
            ["teams.workspace_id", "teams.id"],
            name=op.f("fk_memories_teams_workspace_id_team_id"),
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_memories")),
    )
    op.create_index("ix_memories_audience", "memories", ["workspace_id", "audience", "created_at", "id"], unique=False)
    op.create_index("ix_memories_created", "memories", ["workspace_id", "created_at", "id"], unique=False)
    op.create_index(
        "ix_memories_session",
        "memories",
        ["workspace_id", "session_id"],
        unique=False,
        postgresql_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_index(
        "ix_memories_user",
        "memories",
        ["workspace_id", "user_name"],
        unique=False,
        postgresql_where=sa.text("user_name IS NOT NULL"),
    )
    op.create_index(
        "uq_memories_identity",
        "memories",
        ["workspace_id", "audience", "type", "identity_hash"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL AND superseded_by IS NULL"),
    )
    op.create_index(
        "uq_memories_key",
        "memories",
        ["workspace_id", "agent_id", "audience", "key"],
        unique=True,
        postgresql_where=sa.text("key IS NOT NULL AND deleted_at IS NULL AND superseded_by IS NULL"),
    )
    op.create_table(
        "messages",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("session_id", sa.UUID(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_json", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("tool_call_id", sa.Text(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=True),
        sa.Column("tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "session_id"],
            ["sessions.workspace_id", "sessions.id"],
            name=op.f("fk_messages_sessions_workspace_id_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_messages")),
        sa.UniqueConstraint("workspace_id", "session_id", "seq", name=op.f("uq_messages_workspace_id_session_id_seq")),
    )
    op.create_table(
        "memory_sources",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=False),
        sa.Column("message_id", sa.UUID(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "memory_id"],
            ["memories.workspace_id", "memories.id"],
            name=op.f("fk_memory_sources_memories_workspace_id_memory_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "message_id"],
            ["messages.workspace_id", "messages.id"],
            name=op.f("fk_memory_sources_messages_workspace_id_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "memory_id", "message_id", name=op.f("pk_memory_sources")),
    )
    op.create_index("ix_memory_sources_message", "memory_sources", ["workspace_id", "message_id"], unique=False)
    op.create_table(
        "memory_usage",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=False),
        sa.Column("access_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("last_accessed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id", "memory_id"],
            ["memories.workspace_id", "memories.id"],
            name=op.f("fk_memory_usage_memories_workspace_id_memory_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "memory_id", name=op.f("pk_memory_usage")),
    )
    op.create_table(
        "memory_versions",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("record", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "memory_id"],
            ["memories.workspace_id", "memories.id"],
            name=op.f("fk_memory_versions_memories_workspace_id_memory_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "memory_id", "version", name=op.f("pk_memory_versions")),
    )
    op.execute("ALTER TABLE search_terms DROP CONSTRAINT pk_search_terms")
    op.execute(
        "ALTER TABLE search_terms ADD CONSTRAINT pk_search_terms "
        "PRIMARY KEY (workspace_id, term, id) INCLUDE (frequency, length)"
    )
    op.execute("ALTER TABLE search_index ALTER COLUMN embedding SET STORAGE MAIN")
    create_versioned_function("term_v1", "length_v1", "authenticate_v1", "memory_records_v1")
    grant("SELECT ON memory_records")
    grant_dml(*SHARED)
    enable_rls(*WALLED)
    enable_rls("api_keys", owner_too=False)


def downgrade() -> None:
    op.execute("DROP VIEW memory_records")
    op.drop_table("memory_versions")
    op.drop_table("memory_usage")
    op.drop_index("ix_memory_sources_message", table_name="memory_sources")
    op.drop_table("memory_sources")
    op.drop_table("messages")
    op.drop_index(
        "uq_memories_key",
        table_name="memories",
        postgresql_where=sa.text("key IS NOT NULL AND deleted_at IS NULL AND superseded_by IS NULL"),
    )
    op.drop_index(
        "uq_memories_identity",
        table_name="memories",
        postgresql_where=sa.text("deleted_at IS NULL AND superseded_by IS NULL"),
    )
    op.drop_index("ix_memories_user", table_name="memories", postgresql_where=sa.text("user_name IS NOT NULL"))
    op.drop_index("ix_memories_session", table_name="memories", postgresql_where=sa.text("session_id IS NOT NULL"))
    op.drop_index("ix_memories_created", table_name="memories")
    op.drop_index("ix_memories_audience", table_name="memories")
    op.drop_table("memories")
    op.drop_index("ix_entity_aliases_entity", table_name="entity_aliases")
    op.drop_table("entity_aliases")
    op.drop_index("ix_dream_changes_memory", table_name="dream_changes")
    op.drop_table("dream_changes")
    op.drop_table("team_members")
    op.drop_index("ix_sessions_due", table_name="sessions", postgresql_where=sa.text("dreamed_seq < last_seq"))
    op.drop_table("sessions")
    op.drop_table("entities")
    op.drop_index("ix_dreams_agent", table_name="dreams")
    op.drop_table("dreams")
    op.drop_table("bulletins")
    op.drop_table("teams")
    op.drop_table("tasks")
    op.drop_table("settings")
    op.drop_table("api_keys")
    op.drop_table("agents")
    op.drop_table("workspaces")
    op.drop_table("worker_heartbeats")
    op.drop_table("search_terms")
    op.drop_index(
        "ix_search_index_session", table_name="search_index", postgresql_where=sa.text("session_id IS NOT NULL")
    )
    op.drop_index(
        "ix_search_index_pending",
        table_name="search_index",
        postgresql_where=sa.text("embedding_model IS NULL AND NOT deleted"),
    )
    op.drop_index("ix_search_index_audience", table_name="search_index")
    op.drop_table("search_index")
    op.drop_table("embedding_models")
    op.drop_index("ix_edges_target", table_name="edges")
    op.drop_index("ix_edges_memory", table_name="edges", postgresql_where=sa.text("memory_id IS NOT NULL"))
    op.drop_table("edges")
    op.drop_index("ix_dream_schedule_due", table_name="dream_schedule")
    op.drop_table("dream_schedule")
    op.execute("DROP FUNCTION reverie_term_v1")
    op.execute("DROP FUNCTION reverie_length_v1")
    op.execute("DROP FUNCTION reverie_authenticate_v1")
