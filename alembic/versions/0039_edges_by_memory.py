"""Edges between entities, one for each memory that states it: it holds as long as that memory does.

Revision ID: 0039
Revises: 0038
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

UNIQUE = "uq_edges_workspace_id_source_id_relation_target_id"


def upgrade() -> None:
    ends = ["workspace_id", "source_id", "relation", "target_id", sa.text("coalesce(memory_id, source_id)")]
    op.create_index("uq_edges_ends", "edges", ends, unique=True)
    op.drop_constraint(UNIQUE, "edges")


def downgrade() -> None:
    """Of several edges with the same ends the oldest stays."""
    op.execute(
        "DELETE FROM edges e USING edges older WHERE older.workspace_id = e.workspace_id"
        " AND older.source_id = e.source_id AND older.relation = e.relation AND older.target_id = e.target_id"
        " AND older.id < e.id"
    )
    op.create_unique_constraint(UNIQUE, "edges", ["workspace_id", "source_id", "relation", "target_id"])
    op.drop_index("uq_edges_ends", table_name="edges")
