"""A secret of each workspace, by which names that hold personal data are told apart when they are masked; and a way to
have the planner's statistics forget what was purged.

Revision ID: 0025
Revises: 0024
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import create_versioned_function, enable_rls, grant

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pii_secrets",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.workspace_id"], name=op.f("fk_pii_secrets_workspaces_workspace_id")
        ),
        sa.PrimaryKeyConstraint("workspace_id", name=op.f("pk_pii_secrets")),
    )
    enable_rls("pii_secrets")
    create_versioned_function("forget_statistics_v1")
    op.execute("REVOKE EXECUTE ON FUNCTION reverie_forget_statistics_v1 FROM PUBLIC")
    grant("EXECUTE ON FUNCTION reverie_forget_statistics_v1")


def downgrade() -> None:
    op.execute("DROP FUNCTION reverie_forget_statistics_v1")
    op.drop_table("pii_secrets")
