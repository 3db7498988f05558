"""Scans of workspaces for stored secrets, under a lease.

Revision ID: 0053
Revises: 0052
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import grant_dml

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "rescans",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("requested_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_rescans")),
    )
    grant_dml("rescans")


def downgrade() -> None:
    op.drop_table("rescans")
