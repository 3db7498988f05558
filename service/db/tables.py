"""The schema as SQLAlchemy metadata: what migrations are checked against. Nothing queries through it.

Every key, unique constraint and foreign key carries ``workspace_id`` first: tenancy by construction, and
distributable by workspace. Row-level security and functions live in the migrations.
"""

from __future__ import annotations

from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, REAL, TSVECTOR, UUID

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

NOW = text("now()")


def _id(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, UUID(as_uuid=True), nullable=nullable)


def _workspace() -> Column[Any]:
    return _id("workspace_id")


def _text(name: str, *, nullable: bool = False, default: str | None = None) -> Column[Any]:
    return Column(name, Text, nullable=nullable, server_default=default)


def _time(name: str, *, nullable: bool = True, default_now: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=NOW if default_now else None)


def _json(name: str, *, default: str = "{}", nullable: bool = False) -> Column[Any]:
    return Column(name, JSONB, nullable=nullable, server_default=None if nullable else default)


def _bool(name: str, default: str = "false") -> Column[Any]:
    return Column(name, Boolean, nullable=False, server_default=default)


def _int(name: str, default: str = "0") -> Column[Any]:
    return Column(name, Integer, nullable=False, server_default=default)


def _key(*columns: str) -> PrimaryKeyConstraint:
    return PrimaryKeyConstraint("workspace_id", *columns)


def _references(
    table: str, column: str, *, name: str | None = None, cascade: bool = True, deferred: bool = False
) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["workspace_id", column],
        [f"{table}.workspace_id", f"{table}.id"],
        ondelete="CASCADE" if cascade else None,
        name=name,
        deferrable=True if deferred else None,
        initially="DEFERRED" if deferred else None,
    )


workspaces = Table(
    "workspaces",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    _time("created_at", nullable=False, default_now=True),
)


def _in_workspace() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["workspace_id"], ["workspaces.workspace_id"])


settings = Table(
    "settings",
    metadata,
    _workspace(),
    _json("value"),
    _time("updated_at", nullable=False, default_now=True),
    _key(),
    _in_workspace(),
)

api_keys = Table(
    "api_keys",
    metadata,
    _workspace(),
    _id("id"),
    _text("name"),
    _text("role"),
    _text("agent", nullable=True),
    Column("hash", LargeBinary, nullable=False),
    _time("created_at", nullable=False, default_now=True),
    _time("revoked_at"),
    _key("id"),
    UniqueConstraint("workspace_id", "hash"),
    _in_workspace(),
)

agents = Table(
    "agents",
    metadata,
    _workspace(),
    _id("id"),
    _text("agent"),
    _text("name", nullable=True),
    _bool("prime"),
    _id("prime_audience"),
    _json("settings"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    UniqueConstraint("workspace_id", "agent"),
    _in_workspace(),
)

teams = Table(
    "teams",
    metadata,
    _workspace(),
    _id("id"),
    _text("team"),
    _key("id"),
    UniqueConstraint("workspace_id", "team"),
    _in_workspace(),
)

team_members = Table(
    "team_members",
    metadata,
    _workspace(),
    _id("agent_id"),
    _id("team_id"),
    _key("agent_id", "team_id"),
    _references("agents", "agent_id"),
    _references("teams", "team_id"),
)

tasks = Table(
    "tasks",
    metadata,
    _workspace(),
    _id("id"),
    _text("task"),
    _key("id"),
    UniqueConstraint("workspace_id", "task"),
    _in_workspace(),
)

sessions = Table(
    "sessions",
    metadata,
    _workspace(),
    _id("id"),
    _id("agent_id"),
    _text("session"),
    _text("user_name", nullable=True),
    _int("last_seq"),
    _int("dreamed_seq"),
    _int("window_seq"),
    _int("window_from_seq"),
    _time("window_started_at"),
    _time("last_message_at"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    UniqueConstraint("workspace_id", "agent_id", "session"),
    _references("agents", "agent_id"),
    Index(
        "ix_sessions_due",
        "workspace_id",
        "agent_id",
        postgresql_where=text("dreamed_seq < last_seq"),
    ),
)

messages = Table(
    "messages",
    metadata,
    _workspace(),
    _id("id"),
    _id("session_id"),
    Column("seq", Integer, nullable=False),
    _text("role"),
    _text("content"),
    _json("content_json", nullable=True),
    _text("name", nullable=True),
    _text("tool_call_id", nullable=True),
    _text("user_name", nullable=True),
    _int("tokens"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    UniqueConstraint("workspace_id", "session_id", "seq"),
    _references("sessions", "session_id"),
)

documents = Table(
    "documents",
    metadata,
    _workspace(),
    _id("id"),
    _id("agent_id"),
    _text("title"),
    _text("text"),
    _text("user_name", nullable=True),
    _json("metadata"),
    _int("tokens"),
    _int("chunks"),
    _text("created_by"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    _references("agents", "agent_id"),
    Index("ix_documents_user", "workspace_id", "user_name", postgresql_where=text("user_name IS NOT NULL")),
)

chunks = Table(
    "chunks",
    metadata,
    _workspace(),
    _id("id"),
    _id("document_id"),
    Column("position", Integer, nullable=False),
    _text("content"),
    _int("tokens"),
    Column("lexemes", TSVECTOR, nullable=False),
    _key("id"),
    UniqueConstraint("workspace_id", "document_id", "position"),
    _references("documents", "document_id"),
)

memories = Table(
    "memories",
    metadata,
    _workspace(),
    _id("id"),
    _id("agent_id"),
    _id("audience"),
    _text("type"),
    _text("scope"),
    _id("team_id", nullable=True),
    _id("task_id", nullable=True),
    _id("session_id", nullable=True),
    _text("user_name", nullable=True),
    _text("key", nullable=True),
    _text("content"),
    _text("summary"),
    Column("identity_hash", LargeBinary, nullable=False),
    _text("language"),
    _int("tokens"),
    Column("importance", Double, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("tags", ARRAY(Text), nullable=False, server_default="{}"),
    _json("metadata"),
    _json("source"),
    _text("status", nullable=True),
    _bool("decay_exempt"),
    Column("lexemes", TSVECTOR, nullable=False),
    _time("occurred_at"),
    _time("expires_at"),
    _time("valid_from", nullable=False, default_now=True),
    _time("valid_until"),
    _id("superseded_by", nullable=True),
    _time("created_at", nullable=False, default_now=True),
    _time("updated_at", nullable=False, default_now=True),
    _time("reinforced_at"),
    _time("deleted_at"),
    _int("version", "1"),
    _id("dream_id", nullable=True),
    _text("changed_by"),
    _text("change_reason"),
    _key("id"),
    _references("agents", "agent_id"),
    _references("teams", "team_id", cascade=False),
    _references("tasks", "task_id", cascade=False),
    _references("sessions", "session_id", cascade=False),
    Index(
        "uq_memories_identity",
        "workspace_id",
        "audience",
        "type",
        "identity_hash",
        unique=True,
        postgresql_where=text("deleted_at IS NULL AND superseded_by IS NULL"),
    ),
    Index(
        "uq_memories_key",
        "workspace_id",
        "agent_id",
        "audience",
        "key",
        unique=True,
        postgresql_where=text("key IS NOT NULL AND deleted_at IS NULL AND superseded_by IS NULL"),
    ),
    Index("ix_memories_audience", "workspace_id", "audience", "created_at", "id"),
    Index("ix_memories_created", "workspace_id", "created_at", "id"),
    Index("ix_memories_key", "workspace_id", "key", postgresql_where=text("key IS NOT NULL")),
    Index("ix_memories_session", "workspace_id", "session_id", postgresql_where=text("session_id IS NOT NULL")),
    Index("ix_memories_user", "workspace_id", "user_name", postgresql_where=text("user_name IS NOT NULL")),
)

memory_versions = Table(
    "memory_versions",
    metadata,
    _workspace(),
    _id("memory_id"),
    Column("version", Integer, nullable=False),
    _json("record"),
    _text("changed_by"),
    _text("change_reason"),
    _id("dream_id", nullable=True),
    _time("at", nullable=False),
    _key("memory_id", "version"),
    _references("memories", "memory_id"),
)

memory_sources = Table(
    "memory_sources",
    metadata,
    _workspace(),
    _id("memory_id"),
    _id("message_id"),
    _key("memory_id", "message_id"),
    _references("memories", "memory_id"),
    _references("messages", "message_id"),
    Index("ix_memory_sources_message", "workspace_id", "message_id"),
)

memory_usage = Table(
    "memory_usage",
    metadata,
    _workspace(),
    _id("memory_id"),
    Column("access_count", BigInteger, nullable=False, server_default="0"),
    _time("last_accessed_at"),
    _key("memory_id"),
    _references("memories", "memory_id"),
)

search_index = Table(
    "search_index",
    metadata,
    _workspace(),
    _id("id"),
    Column("kind", SmallInteger, nullable=False),
    _id("audience"),
    _text("type"),
    _text("scope"),
    _text("user_name", nullable=True),
    _id("session_id", nullable=True),
    _id("task_id", nullable=True),
    Column("tags", ARRAY(Text), nullable=False, server_default="{}"),
    Column("importance", REAL, nullable=False, server_default="0.5"),
    Column("confidence", REAL, nullable=False, server_default="1"),
    _time("happened_at", nullable=False),
    _time("created_at", nullable=False),
    _time("valid_from", nullable=False),
    _time("valid_until"),
    _time("expires_at"),
    _bool("deleted"),
    _bool("faded"),
    _bool("ann"),
    _id("previous", nullable=True),
    Column("length", SmallInteger, nullable=False),
    Column("words", SmallInteger, nullable=False),
    _text("speaker", nullable=True),
    _bool("asks"),
    Column("question_share", REAL, nullable=False, server_default="0"),
    Column("embedding_model", SmallInteger),
    Column("embedding", HALFVEC()),
    Column("next_model", SmallInteger),
    Column("next_embedding", HALFVEC()),
    _key("id"),
    Index("ix_search_index_audience", "workspace_id", "audience", "kind", "ann", "happened_at"),
    Index("ix_search_index_previous", "workspace_id", "previous", postgresql_where=text("previous IS NOT NULL")),
    Index(
        "ix_search_index_session",
        "workspace_id",
        "session_id",
        "kind",
        "happened_at",
        "id",
        postgresql_where=text("session_id IS NOT NULL"),
    ),
    Index(
        "ix_search_index_pending",
        "workspace_id",
        "id",
        postgresql_where=text("embedding_model IS NULL AND NOT deleted"),
    ),
)

search_terms = Table(
    "search_terms",
    metadata,
    _workspace(),
    Column("term", BigInteger, nullable=False),
    _id("id"),
    Column("frequency", SmallInteger, nullable=False),
    Column("length", SmallInteger, nullable=False),
    PrimaryKeyConstraint("workspace_id", "term", "id"),
)

audience_rows = Table(
    "audience_rows",
    metadata,
    _workspace(),
    _id("audience"),
    Column("kind", SmallInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    _key("audience", "kind"),
)

common_terms = Table(
    "common_terms",
    metadata,
    _workspace(),
    Column("term", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    _key("term"),
)

audience_languages = Table(
    "audience_languages",
    metadata,
    _workspace(),
    _id("audience"),
    _text("language"),
    _key("audience", "language"),
    _in_workspace(),
)

embedding_models = Table(
    "embedding_models",
    metadata,
    Column("id", SmallInteger, primary_key=True),
    Column("signature", Text, nullable=False, unique=True),
    Column("dim", Integer, nullable=False),
    _text("setting"),
    _time("created_at", nullable=False, default_now=True),
)

embedding_state = Table(
    "embedding_state",
    metadata,
    Column("singleton", Boolean, CheckConstraint("singleton", name="ck_embedding_state_singleton"), primary_key=True),
    Column("active", SmallInteger),
    Column("next", SmallInteger),
    Column("total", BigInteger),
    Column("done", BigInteger, nullable=False, server_default="0"),
    _text("error", nullable=True),
    _time("started_at"),
    _time("switched_at"),
    _bool("moving"),
    _text("owner", nullable=True),
    _time("owner_until"),
)

reindex_requests = Table(
    "reindex_requests",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), ForeignKey("workspaces.workspace_id"), primary_key=True),
    _bool("force"),
    _id("after", nullable=True),
    Column("total", BigInteger, nullable=False),
    Column("done", BigInteger, nullable=False, server_default="0"),
    _text("error", nullable=True),
    _time("requested_at", nullable=False),
    _time("finished_at"),
)

entities = Table(
    "entities",
    metadata,
    _workspace(),
    _id("id"),
    _id("agent_id"),
    _id("audience"),
    _text("name"),
    _text("kind"),
    _id("merged_into", nullable=True),
    _id("dream_id", nullable=True),
    _time("created_at", nullable=False, default_now=True),
    _time("updated_at", nullable=False, default_now=True),
    _key("id"),
    _references("agents", "agent_id"),
)

entity_merges = Table(
    "entity_merges",
    metadata,
    _workspace(),
    _id("id"),
    _id("entity_id"),
    _id("into_id"),
    _json("moved"),
    _text("actor"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    _references("entities", "entity_id"),
    Index("ix_entity_merges_entity", "workspace_id", "entity_id"),
)

entity_aliases = Table(
    "entity_aliases",
    metadata,
    _workspace(),
    _id("audience"),
    _text("alias"),
    _text("kind"),
    _id("entity_id"),
    _key("audience", "alias", "kind"),
    _references("entities", "entity_id", deferred=True),
    Index("ix_entity_aliases_entity", "workspace_id", "entity_id"),
)

edges = Table(
    "edges",
    metadata,
    _workspace(),
    _id("id"),
    _id("audience"),
    _text("relation"),
    _text("source_kind"),
    _id("source_id"),
    _text("target_kind"),
    _id("target_id"),
    _id("memory_id", nullable=True),
    _id("dream_id", nullable=True),
    _text("created_by"),
    _time("created_at", nullable=False, default_now=True),
    _key("id"),
    UniqueConstraint("workspace_id", "source_id", "relation", "target_id"),
    Index("ix_edges_target", "workspace_id", "target_id"),
    Index("ix_edges_memory", "workspace_id", "memory_id", postgresql_where=text("memory_id IS NOT NULL")),
)

dreams = Table(
    "dreams",
    metadata,
    _workspace(),
    _id("id"),
    _id("agent_id"),
    _text("status"),
    _text("trigger"),
    _bool("dry_run"),
    _json("report"),
    _json("watermarks", default="[]"),
    _json("usage"),
    _text("error", nullable=True),
    _time("created_at", nullable=False, default_now=True),
    _time("started_at"),
    _time("finished_at"),
    _key("id"),
    _references("agents", "agent_id"),
    Index("ix_dreams_agent", "workspace_id", "agent_id", "created_at", "id"),
)

dream_changes = Table(
    "dream_changes",
    metadata,
    _workspace(),
    _id("dream_id"),
    Column("ordinal", Integer, nullable=False),
    _text("op"),
    _id("memory_id", nullable=True),
    _json("before", nullable=True),
    _json("after", nullable=True),
    _json("undo", nullable=True),
    _text("reason"),
    _key("dream_id", "ordinal"),
    _references("dreams", "dream_id"),
    Index("ix_dream_changes_memory", "workspace_id", "memory_id"),
)

dream_steps = Table(
    "dream_steps",
    metadata,
    _workspace(),
    _id("agent_id"),
    _text("input_hash"),
    _text("step"),
    _json("result"),
    _id("dream_id", nullable=True),
    _time("created_at", nullable=False, default_now=True),
    _key("agent_id", "input_hash"),
    _references("agents", "agent_id"),
)

window_summaries = Table(
    "window_summaries",
    metadata,
    _workspace(),
    _id("session_id"),
    Column("from_seq", Integer, nullable=False),
    Column("to_seq", Integer, nullable=False),
    _id("memory_id"),
    _key("session_id", "from_seq"),
    _references("sessions", "session_id"),
    _references("memories", "memory_id"),
)

dream_schedule = Table(
    "dream_schedule",
    metadata,
    _workspace(),
    _id("agent_id"),
    _time("due_at", nullable=False),
    _text("lease_owner", nullable=True),
    _time("lease_until"),
    Column("lease_token", BigInteger, nullable=False, server_default="0"),
    _id("dream_id", nullable=True),
    Column("asked", BigInteger, nullable=False, server_default="0"),
    Column("answered", BigInteger, nullable=False, server_default="0"),
    _int("failures"),
    _time("compact_at"),
    _key("agent_id"),
    Index("ix_dream_schedule_due", "due_at"),
    Index("ix_dream_schedule_asked", "agent_id", postgresql_where=text("asked > answered")),
    Index("ix_dream_schedule_compact", "compact_at", postgresql_where=text("compact_at IS NOT NULL")),
)

bulletins = Table(
    "bulletins",
    metadata,
    _workspace(),
    _id("agent_id"),
    Column("version", Integer, nullable=False),
    _text("content"),
    _int("tokens"),
    _text("inputs_hash"),
    _json("parts", default="[]"),
    _id("dream_id", nullable=True),
    _time("created_at", nullable=False, default_now=True),
    _key("agent_id", "version"),
    _references("agents", "agent_id"),
)

idempotency = Table(
    "idempotency",
    metadata,
    _workspace(),
    _id("key_id"),
    Column("request_key", LargeBinary, nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("status", SmallInteger, nullable=False),
    _text("content_type"),
    Column("answer", LargeBinary),
    _time("created_at", nullable=False, default_now=True),
    _key("key_id", "request_key"),
    _references("api_keys", "key_id"),
    Index("ix_idempotency_created", "created_at"),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    _workspace(),
    _id("key_id"),
    _time("full_at", nullable=False),
    _key("key_id"),
    _references("api_keys", "key_id"),
)

audit_log = Table(
    "audit_log",
    metadata,
    _workspace(),
    _id("id"),
    _time("at", nullable=False, default_now=True),
    _text("actor"),
    _id("key_id", nullable=True),
    _text("action"),
    _text("target", nullable=True),
    _text("subject", nullable=True),
    _json("details"),
    _key("id"),
    _in_workspace(),
)

events = Table(
    "events",
    metadata,
    _workspace(),
    _id("id"),
    Column("position", BigInteger),
    _text("kind"),
    _id("agent_id", nullable=True),
    _id("subject_id"),
    _json("details"),
    _time("at", nullable=False),
    _key("id"),
    Index("ix_events_position", "workspace_id", "position", unique=True, postgresql_where=text("position IS NOT NULL")),
    Index("ix_events_waiting", "workspace_id", "at", "id", postgresql_where=text("position IS NULL")),
)

event_counters = Table(
    "event_counters",
    metadata,
    _workspace(),
    Column("last", BigInteger, nullable=False),
    _key(),
)

webhooks = Table(
    "webhooks",
    metadata,
    _workspace(),
    _id("id"),
    _text("url"),
    _text("name", nullable=True),
    Column("kinds", ARRAY(Text)),
    _text("secret"),
    Column("position", BigInteger, nullable=False),
    _int("failures"),
    _text("last_error", nullable=True),
    _time("last_sent_at"),
    _time("disabled_at"),
    _time("created_at", nullable=False),
    _key("id"),
)

webhook_schedule = Table(
    "webhook_schedule",
    metadata,
    _workspace(),
    _id("webhook_id"),
    _time("due_at", nullable=False),
    _time("paused_until"),
    _time("lease_until"),
    _text("owner", nullable=True),
    _key("webhook_id"),
    Index("ix_webhook_schedule_due", "due_at"),
)

worker_heartbeats = Table(
    "worker_heartbeats",
    metadata,
    Column("worker", Text, primary_key=True),
    _time("started_at", nullable=False),
    _time("seen_at", nullable=False),
    _json("health"),
)

totals = Table(
    "totals",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Double, nullable=False),
)

SHARED_TABLES = frozenset(
    {
        "workspaces", "embedding_models", "embedding_state", "reindex_requests", "worker_heartbeats", "dream_schedule",
        "webhook_schedule", "totals",
    }
)  # fmt: skip
"""Tables outside row-level security: they hold no content. All others show one workspace's rows only."""
