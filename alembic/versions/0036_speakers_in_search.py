"""Messages are found by the name of who said them: those that are there already get it on their posting lists.

Revision ID: 0036
Revises: 0035
"""

from __future__ import annotations

from service.db.migration_steps import for_each_workspace

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

NAMES = """
    FROM search_index i
    JOIN messages t ON t.workspace_id = one AND t.id = i.id
    CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector(
        'english', coalesce(t.name, CASE WHEN t.role = 'user' THEN t.user_name END)
    ))) AS l(lexeme)
    WHERE i.workspace_id = one AND i.kind = 1"""


def upgrade() -> None:
    """Their vectors get it with the next forced reindex."""
    for_each_workspace(
        f"""INSERT INTO search_terms (workspace_id, term, id, frequency, length)
        SELECT DISTINCT one, reverie_term_v1(i.audience, 1::smallint, l.lexeme), i.id, 1, i.length {NAMES}
        ON CONFLICT DO NOTHING"""
    )


def downgrade() -> None:
    """The names stay on the lists, where a word that is no more searched does no harm."""
