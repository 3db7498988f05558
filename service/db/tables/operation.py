"""What keeps the service honest: repeated requests, limits, the audit, events, heartbeats."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from service.db.tables.columns import (
    id_column,
    in_workspace,
    int_column,
    json_column,
    key,
    metadata,
    references,
    text_column,
    time_column,
    workspace_column,
)

idempotency = Table(
    "idempotency",
    metadata,
    workspace_column(),
    id_column("key_id"),
    Column("request_key", LargeBinary, nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("status", SmallInteger, nullable=False),
    text_column("content_type"),
    Column("answer", LargeBinary),
    time_column("created_at", nullable=False, default_now=True),
    key("key_id", "request_key"),
    references("api_keys", "key_id"),
    Index("ix_idempotency_created", "created_at"),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    workspace_column(),
    id_column("key_id"),
    time_column("full_at", nullable=False),
    key("key_id"),
    references("api_keys", "key_id"),
)

audit_log = Table(
    "audit_log",
    metadata,
    workspace_column(),
    id_column("id"),
    time_column("at", nullable=False, default_now=True),
    text_column("actor"),
    id_column("key_id", nullable=True),
    text_column("action"),
    text_column("target", nullable=True),
    text_column("subject", nullable=True),
    json_column("details"),
    key("id"),
    in_workspace(),
)

events = Table(
    "events",
    metadata,
    workspace_column(),
    id_column("id"),
    Column("position", BigInteger),
    text_column("kind"),
    id_column("agent_id", nullable=True),
    id_column("subject_id"),
    json_column("details"),
    time_column("at", nullable=False),
    key("id"),
    Index("ix_events_position", "workspace_id", "position", unique=True, postgresql_where=text("position IS NOT NULL")),
    Index("ix_events_waiting", "workspace_id", "at", "id", postgresql_where=text("position IS NULL")),
)

event_counters = Table(
    "event_counters",
    metadata,
    workspace_column(),
    Column("last", BigInteger, nullable=False),
    key(),
)

webhooks = Table(
    "webhooks",
    metadata,
    workspace_column(),
    id_column("id"),
    text_column("url"),
    text_column("name", nullable=True),
    Column("kinds", ARRAY(Text)),
    text_column("secret"),
    Column("position", BigInteger, nullable=False),
    int_column("failures"),
    text_column("last_error", nullable=True),
    time_column("last_sent_at"),
    time_column("disabled_at"),
    time_column("created_at", nullable=False),
    key("id"),
)

webhook_schedule = Table(
    "webhook_schedule",
    metadata,
    workspace_column(),
    id_column("webhook_id"),
    time_column("due_at", nullable=False),
    time_column("paused_until"),
    time_column("lease_until"),
    text_column("owner", nullable=True),
    key("webhook_id"),
    Index("ix_webhook_schedule_due", "due_at"),
)

worker_heartbeats = Table(
    "worker_heartbeats",
    metadata,
    Column("worker", Text, primary_key=True),
    time_column("started_at", nullable=False),
    time_column("seen_at", nullable=False),
    json_column("health"),
)

totals = Table(
    "totals",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Double, nullable=False),
)
