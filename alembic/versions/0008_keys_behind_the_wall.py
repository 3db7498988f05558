"""The wall around API keys holds for their owner too, now that authentication sets the workspace itself.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE api_keys FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.execute("ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY")
