"""What of an agent's memories may fade, for its dreams, which read all of the workspace to find it.

Revision ID: 0021
Revises: 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_memories_fading",
        "memories",
        ["workspace_id", "agent_id"],
        postgresql_where=sa.text("type IN ('event', 'observation') AND deleted_at IS NULL AND superseded_by IS NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_memories_fading", "memories")
