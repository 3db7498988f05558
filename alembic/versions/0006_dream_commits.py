"""Dreams that survive their worker: checkpoints, undo, usage, window summaries, reversible merges.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import create_versioned_function, enable_rls, grant

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dream_steps",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("result", JSONB(), server_default="{}", nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_dream_steps_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "agent_id", "input_hash", name=op.f("pk_dream_steps")),
    )
    op.create_table(
        "window_summaries",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("session_id", sa.UUID(), nullable=False),
        sa.Column("from_seq", sa.Integer(), nullable=False),
        sa.Column("to_seq", sa.Integer(), nullable=False),
        sa.Column("memory_id", sa.UUID(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "session_id"],
            ["sessions.workspace_id", "sessions.id"],
            name=op.f("fk_window_summaries_sessions_workspace_id_session_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "memory_id"],
            ["memories.workspace_id", "memories.id"],
            name=op.f("fk_window_summaries_memories_workspace_id_memory_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "session_id", "from_seq", name=op.f("pk_window_summaries")),
    )
    op.create_table(
        "entity_merges",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("entity_id", sa.UUID(), nullable=False),
        sa.Column("into_id", sa.UUID(), nullable=False),
        sa.Column("moved", JSONB(), server_default="{}", nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "entity_id"],
            ["entities.workspace_id", "entities.id"],
            name=op.f("fk_entity_merges_entities_workspace_id_entity_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_entity_merges")),
    )
    op.create_index("ix_entity_merges_entity", "entity_merges", ["workspace_id", "entity_id"])
    op.add_column("entities", sa.Column("merged_into", sa.UUID(), nullable=True))
    op.add_column("dreams", sa.Column("watermarks", JSONB(), server_default="[]", nullable=False))
    op.add_column("dreams", sa.Column("usage", JSONB(), server_default="{}", nullable=False))
    op.add_column("dream_changes", sa.Column("undo", JSONB(), nullable=True))
    op.add_column("dream_schedule", sa.Column("asked", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("dream_schedule", sa.Column("answered", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("dream_schedule", sa.Column("failures", sa.Integer(), server_default="0", nullable=False))
    op.add_column("dream_schedule", sa.Column("compact_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_dream_schedule_asked", "dream_schedule", ["agent_id"], postgresql_where=sa.text("asked > answered")
    )
    op.create_index(
        "ix_dream_schedule_compact",
        "dream_schedule",
        ["compact_at"],
        postgresql_where=sa.text("compact_at IS NOT NULL"),
    )
    op.add_column("memories", sa.Column("reinforced_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("sessions", sa.Column("window_from_seq", sa.Integer(), server_default="0", nullable=False))
    op.add_column("bulletins", sa.Column("parts", JSONB(), server_default="[]", nullable=False))
    op.execute("DROP VIEW memory_records")
    create_versioned_function("decayed_v1", "memory_records_v2")
    grant("SELECT ON memory_records")
    enable_rls("dream_steps", "window_summaries", "entity_merges")


def downgrade() -> None:
    op.execute("DROP VIEW memory_records")
    op.execute("DROP FUNCTION reverie_decayed_v1")
    for table, column in (
        ("bulletins", "parts"),
        ("sessions", "window_from_seq"),
        ("memories", "reinforced_at"),
        ("dream_schedule", "compact_at"),
        ("dream_schedule", "failures"),
        ("dream_schedule", "answered"),
        ("dream_schedule", "asked"),
        ("dream_changes", "undo"),
        ("dreams", "usage"),
        ("dreams", "watermarks"),
        ("entities", "merged_into"),
    ):
        op.drop_column(table, column)
    op.drop_table("entity_merges")
    op.drop_table("window_summaries")
    op.drop_table("dream_steps")
    create_versioned_function("memory_records_v1")
    grant("SELECT ON memory_records")
