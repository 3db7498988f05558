"""What all workers together have counted, for the metrics.

Revision ID: 0016
Revises: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import grant_dml

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "totals",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_totals")),
    )
    grant_dml("totals")


def downgrade() -> None:
    op.drop_table("totals")
