"""What searches read, all of it derived; and the embedding model in use."""

from __future__ import annotations

from pgvector.sqlalchemy import HALFVEC, VECTOR
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, REAL, UUID

from service.db.tables.columns import (
    bool_column,
    id_column,
    metadata,
    text_column,
    time_column,
    workspace_column,
    workspace_fk,
    workspace_pk,
)

search_index = Table(
    "search_index",
    metadata,
    workspace_column(),
    id_column("id"),
    Column("kind", SmallInteger, nullable=False),
    id_column("audience"),
    text_column("type"),
    text_column("scope"),
    text_column("user_name", nullable=True),
    id_column("session_id", nullable=True),
    id_column("task_id", nullable=True),
    Column("tags", ARRAY(Text), nullable=False, server_default="{}"),
    Column("importance", REAL, nullable=False, server_default="0.5"),
    Column("confidence", REAL, nullable=False, server_default="1"),
    Column("base_importance", REAL),
    time_column("decays_from"),
    time_column("happened_at", nullable=False),
    time_column("created_at", nullable=False),
    time_column("valid_from", nullable=False),
    time_column("valid_until"),
    time_column("expires_at"),
    bool_column("deleted"),
    bool_column("faded"),
    bool_column("ann"),
    Column("part", SmallInteger),
    id_column("previous", nullable=True),
    Column("length", SmallInteger, nullable=False),
    Column("words", SmallInteger, nullable=False),
    text_column("speaker", nullable=True),
    bool_column("asks"),
    Column("question_share", REAL, nullable=False, server_default="0"),
    Column("embedding_model", SmallInteger),
    Column("embedding", HALFVEC()),
    Column("next_model", SmallInteger),
    Column("next_embedding", HALFVEC()),
    Column("embedding_float32", VECTOR()),
    Column("next_embedding_float32", VECTOR()),
    bool_column("window_summary"),
    workspace_pk("id"),
    CheckConstraint("part IS NOT NULL OR NOT ann", name="ck_search_index_part"),
    CheckConstraint("(base_importance IS NULL) = (decays_from IS NULL)", name="ck_search_index_decay"),
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
    Index("ix_search_index_summaries", "workspace_id", "audience", postgresql_where=text("window_summary")),
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
    workspace_column(),
    Column("term", BigInteger, nullable=False),
    id_column("id"),
    Column("frequency", SmallInteger, nullable=False),
    Column("length", SmallInteger, nullable=False),
    PrimaryKeyConstraint("workspace_id", "term", "id"),
)

audience_rows = Table(
    "audience_rows",
    metadata,
    workspace_column(),
    id_column("audience"),
    Column("kind", SmallInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("part", SmallInteger),
    workspace_pk("audience", "kind"),
)

common_terms = Table(
    "common_terms",
    metadata,
    workspace_column(),
    Column("term", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    workspace_pk("term"),
)

audience_languages = Table(
    "audience_languages",
    metadata,
    workspace_column(),
    id_column("audience"),
    text_column("language"),
    workspace_pk("audience", "language"),
    workspace_fk(),
)

embedding_models = Table(
    "embedding_models",
    metadata,
    Column("id", SmallInteger, primary_key=True),
    Column("signature", Text, nullable=False, unique=True),
    Column("dim", Integer, nullable=False),
    text_column("setting"),
    time_column("created_at", nullable=False, default_now=True),
    Column("noise", REAL),
)

embedding_state = Table(
    "embedding_state",
    metadata,
    Column("singleton", Boolean, CheckConstraint("singleton", name="ck_embedding_state_singleton"), primary_key=True),
    Column("active", SmallInteger),
    Column("next", SmallInteger),
    Column("total", BigInteger),
    Column("done", BigInteger, nullable=False, server_default="0"),
    text_column("error", nullable=True),
    time_column("started_at"),
    time_column("switched_at"),
    bool_column("moving"),
    text_column("owner", nullable=True),
    time_column("owner_until"),
)

reindex_requests = Table(
    "reindex_requests",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), ForeignKey("workspaces.workspace_id"), primary_key=True),
    bool_column("force"),
    id_column("after", nullable=True),
    Column("total", BigInteger, nullable=False),
    Column("done", BigInteger, nullable=False, server_default="0"),
    text_column("error", nullable=True),
    time_column("requested_at", nullable=False),
    time_column("finished_at"),
)

field_backfills = Table(
    "field_backfills",
    metadata,
    Column("workspace_id", UUID(as_uuid=True), ForeignKey("workspaces.workspace_id"), primary_key=True),
    id_column("after", nullable=True),
)
"""Workspaces with memories from before keys, tags and summaries were searched, and how far the worker has come."""
