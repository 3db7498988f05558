"""Which large audiences have an HNSW index, and which part of it.

Rows that were in the one index of all audiences are indexed anew by the worker, which drops that one; until then they
are compared exactly.

Revision ID: 0017
Revises: 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import create_versioned_function, drop_vector_indexes

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_versioned_function("part_v1")
    op.add_column("audience_rows", sa.Column("part", sa.SmallInteger()))


def downgrade() -> None:
    drop_vector_indexes()
    op.drop_column("audience_rows", "part")
    op.execute("DROP FUNCTION reverie_part_v1")
