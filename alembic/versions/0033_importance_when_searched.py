"""What a search needs to work out how important a memory is now, and the noise level of each embedding model.

Revision ID: 0033
Revises: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import for_each_workspace

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("embedding_models", sa.Column("noise", sa.REAL(), nullable=True))
    op.add_column("search_index", sa.Column("base_importance", sa.REAL(), nullable=True))
    op.add_column("search_index", sa.Column("decays_from", sa.DateTime(timezone=True), nullable=True))
    for_each_workspace(
        """UPDATE search_index i SET base_importance = m.importance,
            decays_from = greatest(m.created_at, m.learned_at, m.reinforced_at, u.last_accessed_at)
        FROM memories m
        LEFT JOIN memory_usage u ON u.workspace_id = one AND u.memory_id = m.id
        WHERE i.workspace_id = one AND m.workspace_id = one AND i.id = m.id
            AND m.type IN ('event', 'observation') AND NOT m.decay_exempt"""
    )
    op.create_check_constraint(
        op.f("ck_search_index_decay"), "search_index", "(base_importance IS NULL) = (decays_from IS NULL)"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_search_index_decay"), "search_index")
    op.drop_column("search_index", "decays_from")
    op.drop_column("search_index", "base_importance")
    op.drop_column("embedding_models", "noise")
