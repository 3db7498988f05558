"""An index of current insights, which a dream looks through for what it has concluded before.

Revision ID: 0042
Revises: 0041
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_memories_insights",
        "memories",
        ["workspace_id", "audience", "id"],
        postgresql_where=sa.text("type = 'insight' AND superseded_by IS NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_memories_insights", table_name="memories")
