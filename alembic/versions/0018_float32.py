"""Room for vectors that are kept as the model gave them.

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE search_index ADD COLUMN embedding_float32 vector STORAGE MAIN")  # Citus cannot set it later
    op.add_column("search_index", sa.Column("next_embedding_float32", VECTOR(), nullable=True))


def downgrade() -> None:
    """What is kept so is lost; the service then embeds it anew, since the signature in use is none it can open."""
    op.drop_column("search_index", "next_embedding_float32")
    op.drop_column("search_index", "embedding_float32")
