"""Posting lists of types, users and tags, for filters.

Revision ID: 0019
Revises: 0018
"""

from __future__ import annotations

from alembic import op

from service.db.migration_steps import create_versioned_function, for_each_workspace

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_versioned_function("facets_v1")
    for_each_workspace(
        """INSERT INTO search_terms (workspace_id, term, id, frequency, length)
        SELECT i.workspace_id, reverie_term_v1(i.audience, i.kind, f.facet), i.id, 1, i.length
        FROM search_index i,
            unnest(reverie_facets_v1(CASE WHEN i.kind = 0 THEN i.type END, i.user_name, i.tags)) AS f(facet)
        WHERE i.workspace_id = one
        ON CONFLICT DO NOTHING"""
    )


def downgrade() -> None:
    """What was listed stays: nothing reads it."""
    op.execute("DROP FUNCTION reverie_facets_v1")
