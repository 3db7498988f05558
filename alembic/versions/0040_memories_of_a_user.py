"""Memories of a user by type, newest first: a profile reads the newest of each.

Revision ID: 0040
Revises: 0039
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

NAME = "ix_memories_user"
WITH_USER = sa.text("user_name IS NOT NULL")


def upgrade() -> None:
    op.drop_index(NAME, table_name="memories")
    newest = [sa.text("valid_from DESC"), sa.text("id DESC")]
    op.create_index(NAME, "memories", ["workspace_id", "user_name", "type", *newest], postgresql_where=WITH_USER)


def downgrade() -> None:
    op.drop_index(NAME, table_name="memories")
    op.create_index(NAME, "memories", ["workspace_id", "user_name"], postgresql_where=WITH_USER)
