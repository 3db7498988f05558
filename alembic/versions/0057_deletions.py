"""Deletions of sessions, agents and teams: their rows wait in a workspace of their own until they are undone or expire.

Revision ID: 0057
Revises: 0056
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import enable_rls

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("deletion_of", sa.UUID()))
    op.create_table(
        "deletions",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text()),
        sa.Column("counts", JSONB(), server_default="{}", nullable=False),
        sa.Column("kept", JSONB(), server_default="{}", nullable=False),
        sa.Column("deleted_by", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("restored_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_deletions_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_deletions")),
    )
    enable_rls("deletions")


def downgrade() -> None:
    """What waits in a deletion is lost: an earlier release would list its workspace."""
    op.drop_table("deletions")
    op.execute("UPDATE workspaces SET name = 'deleted ' || workspace_id WHERE deletion_of IS NOT NULL")
    op.drop_column("workspaces", "deletion_of")
