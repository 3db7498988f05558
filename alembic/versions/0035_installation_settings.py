"""Settings of the whole installation, by section: the models that all workspaces share.

Revision ID: 0035
Revises: 0034
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import grant_dml

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "installation_settings",
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("value", JSONB(), server_default="{}", nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("section", name=op.f("pk_installation_settings")),
    )
    grant_dml("installation_settings")


def downgrade() -> None:
    op.drop_table("installation_settings")
