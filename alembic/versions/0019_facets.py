"""Posting lists of types, users and tags, for filters.

Revision ID: 0019
Revises: 0018
"""

from __future__ import annotations

from alembic import op

from service.db.migration_steps import frozen_function

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Workspace by workspace, since the walls hold for the owner too."""
    frozen_function("facets_v1")
    op.execute(
        """DO $$ DECLARE one uuid; BEGIN
            FOR one IN SELECT workspace_id FROM workspaces LOOP
                PERFORM set_config('reverie.workspace', one::text, true);
                INSERT INTO search_terms (workspace_id, term, id, frequency, length)
                SELECT i.workspace_id, reverie_term_v1(i.audience, i.kind, f.facet), i.id, 1, i.length
                FROM search_index i,
                    unnest(reverie_facets_v1(CASE WHEN i.kind = 0 THEN i.type END, i.user_name, i.tags)) AS f(facet)
                WHERE i.workspace_id = one
                ON CONFLICT DO NOTHING;
            END LOOP;
            PERFORM set_config('reverie.workspace', '', true);
        END $$"""
    )


def downgrade() -> None:
    """What was listed stays: nothing reads it."""
    op.execute("DROP FUNCTION reverie_facets_v1")
