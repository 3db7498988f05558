"""Which text-search configurations are in use in each audience, so that a query is read under them and no others.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audience_languages",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("audience", sa.UUID(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.workspace_id"],
            name=op.f("fk_audience_languages_workspaces_workspace_id"),
        ),
        sa.PrimaryKeyConstraint("workspace_id", "audience", "language", name=op.f("pk_audience_languages")),
    )
    enable_rls("audience_languages")


def downgrade() -> None:
    op.drop_table("audience_languages")
