"""Room for the vectors of a coming model beside those in use, and the state of the change.

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC

from service.db.migration_steps import grant_dml

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("search_index", sa.Column("next_model", sa.SmallInteger(), nullable=True))
    op.add_column("search_index", sa.Column("next_embedding", HALFVEC(), nullable=True))
    op.add_column("embedding_models", sa.Column("setting", sa.Text(), nullable=True))
    op.execute(
        """UPDATE embedding_models SET setting = CASE
            WHEN signature LIKE 'static:%' THEN 'static'
            ELSE regexp_replace(regexp_replace(signature, ':[0-9]+$', ''), '^remote:', '') END"""
    )
    op.alter_column("embedding_models", "setting", nullable=False)
    op.create_table(
        "embedding_state",
        sa.Column("singleton", sa.Boolean(), nullable=False),
        sa.Column("active", sa.SmallInteger(), nullable=True),
        sa.Column("next", sa.SmallInteger(), nullable=True),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("switched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("moving", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("owner_until", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("singleton", name="ck_embedding_state_singleton"),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_embedding_state")),
    )
    op.execute("INSERT INTO embedding_state (singleton, active) SELECT true, max(id) FROM embedding_models")
    op.create_table(
        "reindex_requests",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("force", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("after", sa.UUID(), nullable=True),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.workspace_id"],
            name=op.f("fk_reindex_requests_workspaces_workspace_id"),
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_reindex_requests")),
    )
    grant_dml("embedding_state", "reindex_requests")


def downgrade() -> None:
    op.drop_table("reindex_requests")
    op.drop_table("embedding_state")
    op.drop_column("embedding_models", "setting")
    op.drop_column("search_index", "next_embedding")
    op.drop_column("search_index", "next_model")
