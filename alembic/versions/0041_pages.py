"""Pages: standing questions, and the versions of their answers.

Revision ID: 0041
Revises: 0040
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import enable_rls

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pages",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("scope", JSONB(), server_default="{}", nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("max_tokens", sa.Integer(), server_default="500", nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
        sa.Column("due_dream_id", sa.UUID()),
        sa.Column("claimed_until", sa.DateTime(timezone=True)),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_pages_agents_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "id", name=op.f("pk_pages")),
    )
    op.create_index("ix_pages_agent", "pages", ["workspace_id", "agent_id", "id"])
    op.create_index("ix_pages_due", "pages", ["workspace_id", "due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_table(
        "page_versions",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("page_id", sa.UUID(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sentences", JSONB(), server_default="[]", nullable=False),
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("dropped", sa.Integer(), server_default="0", nullable=False),
        sa.Column("inputs_hash", sa.Text(), nullable=False),
        sa.Column("dream_id", sa.UUID()),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "page_id"],
            ["pages.workspace_id", "pages.id"],
            name=op.f("fk_page_versions_pages_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "page_id", "version", name=op.f("pk_page_versions")),
    )
    op.create_index(
        "ix_page_versions_dream", "page_versions", ["workspace_id", "dream_id"],
        postgresql_where=sa.text("dream_id IS NOT NULL"),
    )  # fmt: skip
    enable_rls("pages", "page_versions")


def downgrade() -> None:
    op.drop_table("page_versions")
    op.drop_table("pages")
