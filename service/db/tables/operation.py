"""What keeps the service honest: repeated requests, limits, usage of models, the audit, events, heartbeats."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
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
    workspace_fk,
    workspace_pk,
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
    workspace_pk("key_id", "request_key"),
    references("api_keys", "key_id"),
    Index("ix_idempotency_created", "created_at"),
)

rate_limits = Table(
    "rate_limits",
    metadata,
    workspace_column(),
    id_column("key_id"),
    time_column("full_at", nullable=False),  # GCRA's theoretical arrival time
    workspace_pk("key_id"),
    references("api_keys", "key_id"),
)

key_usage = Table(
    "key_usage",
    metadata,
    workspace_column(),
    id_column("key_id"),
    Column("day", Date, nullable=False),
    Column("requests", BigInteger, nullable=False),
    time_column("last_used_at", nullable=False),
    workspace_pk("key_id", "day"),
    references("api_keys", "key_id"),
)
"""Requests of keys, by day (UTC)."""

request_counts = Table(
    "request_counts",
    metadata,
    workspace_column(),
    id_column("key_id"),
    text_column("period"),
    time_column("starts_at", nullable=False),
    Column("requests", BigInteger, nullable=False),
    workspace_pk("key_id", "period", "starts_at"),
)
"""Requests of a minute or a day (UTC), where they are limited: of a key, or of the workspace where ``key_id`` is
zero."""

stored_counts = Table(
    "stored_counts",
    metadata,
    workspace_column(),
    id_column("key_id"),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    workspace_pk("key_id"),
)
"""Memories and messages that are stored, and their bytes, where either is limited: by a key, or in the whole workspace
where ``key_id`` is zero. Kept by triggers; changed by ``reverie_settle_stored_v1`` and the recount alone."""

stored_changes = Table(
    "stored_changes",
    metadata,
    workspace_column(),
    id_column("id"),
    id_column("key_id", nullable=True),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    workspace_pk("id"),
    prefixes=["UNLOGGED"],
)
"""What a transaction under way adds to ``stored_counts`` when it commits: always empty for all others."""

stored_days = Table(
    "stored_days",
    metadata,
    workspace_column(),
    id_column("key_id"),
    Column("day", Date, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    workspace_pk("day", "key_id"),
)
"""What was stored when it was last counted on a day (UTC): by a key, or in all where ``key_id`` is zero."""

model_usage = Table(
    "model_usage",
    metadata,
    workspace_column(),
    Column("day", Date, nullable=False),
    text_column("purpose"),
    text_column("model"),
    id_column("key_id"),
    text_column("agent"),
    Column("calls", BigInteger, nullable=False),
    Column("failed_calls", BigInteger, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double, nullable=False),
    workspace_pk("day", "purpose", "model", "key_id", "agent"),
)
"""What models were used for, by day (UTC). ``key_id`` is zero and ``agent`` empty where there is none; workspace zero
is the installation itself."""

model_budgets = Table(
    "model_budgets",
    metadata,
    workspace_column(),
    Column("day", Date, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_usd", Double, nullable=False),
    Column("dream_tokens", BigInteger, nullable=False),
    Column("dream_cost_usd", Double, nullable=False),
    Column("key_id", UUID(as_uuid=True), nullable=False, server_default="00000000-0000-0000-0000-000000000000"),
    workspace_pk("day", "key_id"),
)
"""What of a day's budget is taken: used by calls that have ended, and reserved at their most by those under way. Of the
whole workspace where ``key_id`` is zero, else of a key with a limit of its own."""

model_calls = Table(
    "model_calls",
    metadata,
    workspace_column(),
    id_column("id"),
    time_column("at", nullable=False),
    id_column("agent_id", nullable=True),
    id_column("dream_id", nullable=True),
    id_column("key_id", nullable=True),
    text_column("purpose"),
    text_column("model"),
    text_column("outcome"),
    text_column("error", nullable=True),
    Column("attempt", Integer, nullable=False),
    Column("failover", Boolean, nullable=False),
    Column("ms", Integer, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double, nullable=False),
    text_column("input"),
    text_column("output"),
    Column("input_chars", Integer, nullable=False),
    Column("output_chars", Integer, nullable=False),
    workspace_pk("id"),
    references("agents", "agent_id"),
    Index("ix_model_calls_at", "workspace_id", "at", "id"),
    Index("ix_model_calls_dream", "workspace_id", "dream_id", postgresql_where=text("dream_id IS NOT NULL")),
)
"""Calls of language models, where the workspace keeps them; shortened texts, and how long they were."""

search_counts = Table(
    "search_counts",
    metadata,
    workspace_column(),
    id_column("agent_id"),
    Column("day", Date, nullable=False),
    Column("searches", BigInteger, nullable=False),
    Column("degraded", BigInteger, nullable=False),
    Column("latencies", ARRAY(BigInteger), nullable=False),
    workspace_pk("agent_id", "day"),
    references("agents", "agent_id"),
    Index("ix_search_counts_day", "workspace_id", "day"),
)
"""Searches of an agent by day (UTC), and their latencies by bucket (``domain.latency``)."""

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
    workspace_pk("id"),
    workspace_fk(),
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
    workspace_pk("id"),
    Index("ix_events_position", "workspace_id", "position", unique=True, postgresql_where=text("position IS NOT NULL")),
    Index("ix_events_waiting", "workspace_id", "at", "id", postgresql_where=text("position IS NULL")),
)

event_counters = Table(
    "event_counters",
    metadata,
    workspace_column(),
    Column("last", BigInteger, nullable=False),
    workspace_pk(),
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
    workspace_pk("id"),
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
    time_column("claimed_at"),
    workspace_pk("webhook_id"),
    Index("ix_webhook_schedule_due", "due_at"),
)

rescans = Table(
    "rescans",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), primary_key=True),
    id_column("id"),
    bool_column("dry_run"),
    Column("total", BigInteger),
    Column("done", BigInteger, nullable=False, server_default="0"),
    int_column("attempts"),
    text_column("error", nullable=True),
    time_column("requested_at", nullable=False),
    time_column("finished_at"),
    time_column("lease_until"),
    text_column("owner", nullable=True),
)
"""The last scan of each workspace for stored secrets; what it found is in the audit log."""

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

cron_runs = Table(
    "cron_runs",
    metadata,
    Column("job", Text, primary_key=True),
    time_column("started_at", nullable=False),
)
"""When a worker last started each scheduled job."""

secrets = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
"""Random secrets of the installation, made once and shared by all processes."""

installation_settings = Table(
    "installation_settings",
    metadata,
    Column("section", Text, primary_key=True),
    json_column("value"),
    time_column("updated_at", nullable=False),
)
"""The models that all workspaces share, as far as they differ from the defaults."""

schema_compatibility = Table(
    "schema_compatibility",
    metadata,
    Column("revision", Text, primary_key=True),
    text_column("serves_from"),
)
