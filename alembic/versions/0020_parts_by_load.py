"""Which part of the HNSW index has a row is kept with it, so that an audience may go to any.

Rows that are in one stay in it; its index, which found them by their audience, is made anew by the worker, and until
then their vectors are compared one by one. An API from before goes on like that, and ``reverie_part_v1`` stays for it;
a worker from before cannot hand rows over any more, since it gives them no part.

Revision ID: 0020
Revises: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import drop_vector_indexes, for_each_workspace

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    drop_vector_indexes()
    op.add_column("search_index", sa.Column("part", sa.SmallInteger()))
    for_each_workspace("UPDATE search_index SET part = reverie_part_v1(audience) WHERE workspace_id = one AND ann")
    op.create_check_constraint("ck_search_index_part", "search_index", "part IS NOT NULL OR NOT ann")


def downgrade() -> None:
    """Rows are handed over anew, to the part that their audience's id names."""
    drop_vector_indexes()
    op.drop_column("search_index", "part")
    for_each_workspace(
        "UPDATE audience_rows SET part = reverie_part_v1(audience) WHERE workspace_id = one AND part IS NOT NULL"
    )
