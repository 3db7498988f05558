"""64 bits for the numbers of messages, which an import may set; and which releases can work on a newer schema.

Revision ID: 0026
Revises: 0025
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import grant

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

NUMBERS = {
    "messages": ("seq",),
    "sessions": ("last_seq", "dreamed_seq", "window_seq", "window_from_seq"),
    "window_summaries": ("from_seq", "to_seq"),
}


def upgrade() -> None:
    _retype("bigint")
    op.create_table(
        "schema_compatibility",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("serves_from", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_schema_compatibility")),
    )
    grant("SELECT ON schema_compatibility")
    grant("SELECT ON alembic_version")


def downgrade() -> None:
    op.drop_table("schema_compatibility")
    _retype("integer")


def _retype(name: str) -> None:
    """One statement for each table, which rewrites it once."""
    for table, columns in NUMBERS.items():
        changes = ", ".join(f"ALTER COLUMN {column} TYPE {name}" for column in columns)
        op.execute(f"ALTER TABLE {table} {changes}")
