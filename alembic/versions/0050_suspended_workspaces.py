"""Workspaces that are suspended: their keys are refused, and workers leave them alone.

Revision ID: 0050
Revises: 0049
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import create_versioned_function

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workspaces", sa.Column("suspended_at", sa.DateTime(timezone=True), nullable=True))
    create_versioned_function("authenticate_v5")
    op.execute("DROP FUNCTION reverie_authenticate_v4")


def downgrade() -> None:
    """A suspended workspace is open again."""
    create_versioned_function("authenticate_v4")
    op.execute("DROP FUNCTION reverie_authenticate_v5")
    op.drop_column("workspaces", "suspended_at")
