"""What dreams read in a memory: null until one has read it as it is now, so that what was saved or changed is due.

Revision ID: 0032
Revises: 0031
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, UUID

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Memories that are there already have none, so the next dreams read them; no row is rewritten."""
    op.add_column("memories", sa.Column("reading", JSONB(), nullable=True))
    op.create_index(
        "ix_memories_unread",
        "memories",
        ["workspace_id", "agent_id", "id"],
        postgresql_where=sa.text("reading IS NULL AND deleted_at IS NULL AND superseded_by IS NULL"),
    )
    op.add_column("dreams", sa.Column("memory_ids", ARRAY(UUID(as_uuid=True)), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("dreams", "memory_ids")
    op.drop_index("ix_memories_unread", "memories")
    op.drop_column("memories", "reading")
