"""Proposals: statements that a dream was not sure enough of, which wait for somebody to accept or reject them.

Revision ID: 0043
Revises: 0042
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.migration_steps import enable_rls

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "proposals",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("dream_id", sa.UUID(), nullable=True),
        _text("status"),
        _text("fingerprint"),
        sa.Column("identity_hash", sa.LargeBinary(), nullable=False),
        _text("type"),
        _text("content"),
        _text("user_name", nullable=True),
        _text("hearsay_by", nullable=True),
        sa.Column("importance", sa.Float(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("tags", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("source", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("message_ids", postgresql.ARRAY(sa.UUID()), server_default="{}", nullable=False),
        _text("reason"),
        _time("said_at"),
        _time("occurred_at", nullable=True),
        sa.Column("memory_id", sa.UUID(), nullable=True),
        _text("decided_by", nullable=True),
        _time("decided_at", nullable=True),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        _time("created_at"),
        _time("updated_at"),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_proposals")),
        *(
            sa.ForeignKeyConstraint(
                ["workspace_id", column],
                [f"{table}.workspace_id", f"{table}.id"],
                name=op.f(f"fk_proposals_{table}_workspace_id_{column}"),
                ondelete="CASCADE",
            )
            for table, column in (("agents", "agent_id"), ("memories", "memory_id"))
        ),
    )
    op.create_index(
        "uq_proposals_fingerprint",
        "proposals",
        ["workspace_id", "agent_id", "fingerprint"],
        unique=True,
        postgresql_where=sa.text("status <> 'accepted'"),
    )
    op.create_index("ix_proposals_memory", "proposals", ["workspace_id", "memory_id"])
    enable_rls("proposals")


def downgrade() -> None:
    op.drop_table("proposals")
