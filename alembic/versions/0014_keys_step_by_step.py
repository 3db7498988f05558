"""Authentication in steps that Citus can carry out too.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

from alembic import op

from service.db.migration_steps import create_versioned_function

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_versioned_function("authenticate_v3")
    op.execute("DROP FUNCTION reverie_authenticate_v2")


def downgrade() -> None:
    create_versioned_function("authenticate_v2")
    op.execute("DROP FUNCTION reverie_authenticate_v3")
