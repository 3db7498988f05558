"""Memories found by their key, whatever their audience.

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_memories_key", "memories", ["workspace_id", "key"], postgresql_where=sa.text("key IS NOT NULL"))


def downgrade() -> None:
    op.drop_index("ix_memories_key", "memories")
