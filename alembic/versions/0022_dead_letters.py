"""What workers are processing, what they died on twice, and when each workspace was last served.

Revision ID: 0022
Revises: 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import enable_rls

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

SUBJECT = "coalesce(message_id, memory_id, chunk_id)"


def upgrade() -> None:
    op.create_table(
        "in_flight",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.UUID(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("subject_ids", postgresql.ARRAY(sa.UUID()), nullable=False),
        sa.Column("deaths", sa.Integer(), server_default="0", nullable=False),
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "job", "owner_id", "worker", name=op.f("pk_in_flight")),
    )
    op.create_table(
        "dead_letters",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("message_id", sa.UUID(), nullable=True),
        sa.Column("memory_id", sa.UUID(), nullable=True),
        sa.Column("chunk_id", sa.UUID(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_dead_letters")),
        *(
            sa.ForeignKeyConstraint(
                ["workspace_id", column],
                [f"{table}.workspace_id", f"{table}.id"],
                name=op.f(f"fk_dead_letters_{table}_workspace_id_{column}"),
                ondelete="CASCADE",
            )
            for table, column in (("messages", "message_id"), ("memories", "memory_id"), ("chunks", "chunk_id"))
        ),
    )
    op.create_index("uq_dead_letters_subject", "dead_letters", ["workspace_id", sa.text(SUBJECT)], unique=True)
    enable_rls("in_flight", "dead_letters")
    op.add_column("dream_schedule", sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("dream_schedule", sa.Column("folded_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("webhook_schedule", sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("webhook_schedule", "claimed_at")
    op.drop_column("dream_schedule", "folded_at")
    op.drop_column("dream_schedule", "claimed_at")
    op.drop_table("dead_letters")
    op.drop_table("in_flight")
