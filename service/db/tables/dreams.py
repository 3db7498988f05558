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

from service.db.tables.columns import (
    bool_column,
    id_column,
    int_column,
    json_column,
    key,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
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
    json_column("usage"),
    text_column("error", nullable=True),
    time_column("created_at", nullable=False, default_now=True),
    time_column("started_at"),
    time_column("finished_at"),
    key("id"),
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
    key("dream_id", "ordinal"),
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
    key("agent_id", "input_hash"),
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
    int_column("failures"),
    time_column("compact_at"),
    key("agent_id"),
    Index("ix_dream_schedule_due", "due_at"),
    Index("ix_dream_schedule_asked", "agent_id", postgresql_where=text("asked > answered")),
    Index("ix_dream_schedule_compact", "compact_at", postgresql_where=text("compact_at IS NOT NULL")),
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
    key("agent_id", "version"),
    references("agents", "agent_id"),
)
