"""Memories of types that a workspace defines for itself name the built-in type that they are like.

Revision ID: 0044
Revises: 0043
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import for_each_workspace

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

LIVE = "IN ('event', 'observation') AND deleted_at IS NULL AND superseded_by IS NULL"


def upgrade() -> None:
    op.add_column("memories", sa.Column("like_type", sa.Text))
    _index(f"coalesce(like_type, type) {LIVE}")


def downgrade() -> None:
    """Memories of own types become ones of the types that they are like, each by itself, and the settings lose what
    an earlier release does not know."""
    for_each_workspace(
        """INSERT INTO search_terms (workspace_id, term, id, frequency, length)
        SELECT DISTINCT one, reverie_term_v1(i.audience, 0::smallint, f.facet), i.id, 1, i.length
        FROM search_index i JOIN memories m ON m.workspace_id = one AND m.id = i.id,
            unnest(reverie_facets_v1(m.like_type, NULL, '{}'::text[])) AS f(facet)
        WHERE i.workspace_id = one AND m.like_type IS NOT NULL
        ON CONFLICT DO NOTHING"""
    )
    for_each_workspace(
        """UPDATE search_index i SET type = m.like_type FROM memories m
        WHERE i.workspace_id = one AND m.workspace_id = one AND m.id = i.id AND m.like_type IS NOT NULL"""
    )
    for_each_workspace(
        """UPDATE memories SET type = like_type, identity_hash = sha256(convert_to(id::text, 'UTF8'))
        WHERE workspace_id = one AND like_type IS NOT NULL"""
    )
    for_each_workspace(
        """UPDATE settings
        SET value = value - 'memory_types' - 'entity_kinds' #- '{dream,types}' #- '{dream,ignore_types}'
        WHERE workspace_id = one AND value ?| ARRAY['memory_types', 'entity_kinds']"""
    )
    _index(f"type {LIVE}")
    op.drop_column("memories", "like_type")


def _index(where: str) -> None:
    op.drop_index("ix_memories_fading", "memories")
    op.create_index("ix_memories_fading", "memories", ["workspace_id", "agent_id"], postgresql_where=sa.text(where))
