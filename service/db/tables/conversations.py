"""What was said, and the documents that were read."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR

from service.db.tables.columns import (
    bigint_column,
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

sessions = Table(
    "sessions",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    text_column("session"),
    text_column("user_name", nullable=True),
    bigint_column("last_seq"),
    bigint_column("dreamed_seq"),
    bigint_column("window_seq"),
    bigint_column("window_from_seq"),
    time_column("window_started_at"),
    time_column("last_message_at"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "agent_id", "session"),
    references("agents", "agent_id"),
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
    workspace_column(),
    id_column("id"),
    id_column("session_id"),
    Column("seq", BigInteger, nullable=False),
    text_column("role"),
    text_column("content"),
    json_column("content_json", nullable=True),
    text_column("name", nullable=True),
    text_column("tool_call_id", nullable=True),
    text_column("user_name", nullable=True),
    int_column("tokens"),
    time_column("created_at", nullable=False, default_now=True),
    id_column("key_id", nullable=True),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "session_id", "seq"),
    references("sessions", "session_id"),
)
"""``key_id``: the key that stored it."""

window_summaries = Table(
    "window_summaries",
    metadata,
    workspace_column(),
    id_column("session_id"),
    Column("from_seq", BigInteger, nullable=False),
    Column("to_seq", BigInteger, nullable=False),
    id_column("memory_id"),
    workspace_pk("session_id", "from_seq"),
    references("sessions", "session_id"),
    references("memories", "memory_id"),
)

documents = Table(
    "documents",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    text_column("title"),
    text_column("text"),
    text_column("user_name", nullable=True),
    json_column("metadata"),
    int_column("tokens"),
    int_column("chunks"),
    text_column("created_by"),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("id"),
    references("agents", "agent_id"),
    Index("ix_documents_user", "workspace_id", "user_name", postgresql_where=text("user_name IS NOT NULL")),
)

chunks = Table(
    "chunks",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("document_id"),
    Column("position", Integer, nullable=False),
    text_column("content"),
    int_column("tokens"),
    Column("lexemes", TSVECTOR, nullable=False),
    workspace_pk("id"),
    UniqueConstraint("workspace_id", "document_id", "position"),
    references("documents", "document_id"),
)
