"""What searches of very large audiences need: their sizes, their commonest words, and which rows an index holds.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("search_index", sa.Column("ann", sa.Boolean(), server_default="false", nullable=False))
    op.drop_index("ix_search_index_audience", table_name="search_index")
    op.create_index(
        "ix_search_index_audience", "search_index", ["workspace_id", "audience", "kind", "ann", "happened_at"]
    )
    op.create_index(
        "ix_search_index_previous",
        "search_index",
        ["workspace_id", "previous"],
        postgresql_where=sa.text("previous IS NOT NULL"),
    )
    op.create_table(
        "audience_rows",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "audience", "kind", name="pk_audience_rows"),
    )
    op.create_table(
        "common_terms",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("term", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "term", name="pk_common_terms"),
    )
    enable_rls("audience_rows", "common_terms")


def downgrade() -> None:
    op.drop_table("common_terms")
    op.drop_table("audience_rows")
    op.drop_index("ix_search_index_previous", table_name="search_index")
    op.drop_index("ix_search_index_audience", table_name="search_index")
    op.create_index("ix_search_index_audience", "search_index", ["workspace_id", "audience", "kind"])
    op.drop_column("search_index", "ann")
