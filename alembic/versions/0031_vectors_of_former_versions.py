"""The vectors of former texts of memories, for searches of what was known at a time in the past.

Revision ID: 0031
Revises: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import HALFVEC

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Versions that are there already have none: they are found by their words."""
    op.add_column("memory_versions", sa.Column("embedding_model", sa.SmallInteger(), nullable=True))
    op.add_column("memory_versions", sa.Column("embedding", HALFVEC(), nullable=True))


def downgrade() -> None:
    op.drop_column("memory_versions", "embedding")
    op.drop_column("memory_versions", "embedding_model")
