"""Memories are found by the words of their key, tags and summary: those that are there already, once the worker has
come by.

Revision ID: 0038
Revises: 0037
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import grant_dml

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The worker goes on after the memory that is noted; it changes memories and posting lists in small batches."""
    op.create_table(
        "field_backfills",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("after", sa.UUID(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.workspace_id"],
            name=op.f("fk_field_backfills_workspaces_workspace_id"),
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_field_backfills")),
    )
    grant_dml("field_backfills")
    op.execute("INSERT INTO field_backfills (workspace_id) SELECT workspace_id FROM workspaces")


def downgrade() -> None:
    """The words stay, where they count as words of the content."""
    op.drop_table("field_backfills")
