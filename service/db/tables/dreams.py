"""Dreams, their diff and checkpoints, when the next is due, and the bulletins they write."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    Table,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, UUID

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

dreams = Table(
    "dreams",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("agent_id"),
    text_column("status"),
    text_column("trigger"),
    bool_column("dry_run"),
    json_column("report"),
    json_column("watermarks", default="[]"),
    Column("memory_ids", ARRAY(UUID(as_uuid=True)), nullable=False, server_default="{}"),
    json_column("usage"),
    text_column("error", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    time_column("started_at"),
    time_column("finished_at"),
    workspace_pk("id"),
    references("agents", "agent_id"),
    Index("ix_dreams_agent", "workspace_id", "agent_id", "created_at", "id"),
)

dream_changes = Table(
    "dream_changes",
    metadata,
    workspace_column(),
    id_column("dream_id"),
    Column("ordinal", Integer, nullable=False),
    text_column("op"),
    id_column("memory_id", nullable=True),
    json_column("before", nullable=True),
    json_column("after", nullable=True),
    json_column("undo", nullable=True),
    text_column("reason"),
    workspace_pk("dream_id", "ordinal"),
    references("dreams", "dream_id"),
    Index("ix_dream_changes_memory", "workspace_id", "memory_id"),
)

dream_steps = Table(
    "dream_steps",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    text_column("input_hash"),
    text_column("step"),
    json_column("result"),
    id_column("dream_id", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("agent_id", "input_hash"),
    references("agents", "agent_id"),
)

dream_schedule = Table(
    "dream_schedule",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    time_column("due_at", nullable=False),
    text_column("lease_owner", nullable=True),
    time_column("lease_until"),
    Column("lease_token", BigInteger, nullable=False, server_default="0"),
    id_column("dream_id", nullable=True),
    Column("asked", BigInteger, nullable=False, server_default="0"),
    Column("answered", BigInteger, nullable=False, server_default="0"),
    time_column("asked_at"),
    int_column("failures"),
    time_column("compact_at"),
    time_column("claimed_at"),
    time_column("folded_at"),
    workspace_pk("agent_id"),
    Index("ix_dream_schedule_due", "due_at"),
    Index("ix_dream_schedule_asked", "agent_id", postgresql_where=text("asked > answered")),
    Index("ix_dream_schedule_compact", "compact_at", postgresql_where=text("compact_at IS NOT NULL")),
)

in_flight = Table(
    "in_flight",
    metadata,
    workspace_column(),
    text_column("job"),
    id_column("owner_id"),
    text_column("worker"),
    text_column("step"),
    Column("subject_ids", ARRAY(UUID(as_uuid=True)), nullable=False),
    int_column("deaths"),
    time_column("deadline_at", nullable=False),
    workspace_pk("job", "owner_id", "worker"),
)

dead_letters = Table(
    "dead_letters",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("message_id", nullable=True),
    id_column("memory_id", nullable=True),
    id_column("chunk_id", nullable=True),
    text_column("status"),
    text_column("job"),
    text_column("step"),
    Column("attempts", Integer, nullable=False),
    id_column("dream_id", nullable=True),
    time_column("created_at", nullable=False),
    workspace_pk("id"),
    references("messages", "message_id"),
    references("memories", "memory_id"),
    references("chunks", "chunk_id"),
    Index("uq_dead_letters_subject", "workspace_id", text("coalesce(message_id, memory_id, chunk_id)"), unique=True),
)

bulletins = Table(
    "bulletins",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    Column("version", Integer, nullable=False),
    text_column("content"),
    int_column("tokens"),
    text_column("inputs_hash"),
    json_column("parts", default="[]"),
    id_column("dream_id", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    workspace_pk("agent_id", "version"),
    references("agents", "agent_id"),
)
