"""Memories as the API shows them are put together in the queries, which name the workspace in every subquery.

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

from alembic import op

from service.db.migration_steps import create_versioned_function, grant

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP VIEW memory_records")


def downgrade() -> None:
    create_versioned_function("memory_records_v2")
    grant("SELECT ON memory_records")
