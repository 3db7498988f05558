"""Tasks with members, and the former secrets of keys, which a start does not take in again.

Revision ID: 0027
Revises: 0026
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.db.migration_steps import enable_rls

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "api_keys", sa.Column("former_hashes", sa.ARRAY(sa.LargeBinary()), server_default="{}", nullable=False)
    )
    op.add_column("tasks", sa.Column("members_only", sa.Boolean(), server_default="false", nullable=False))
    op.create_table(
        "task_members",
        sa.Column("workspace_id", sa.UUID(), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("agent_id", sa.UUID(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id", "agent_id"],
            ["agents.workspace_id", "agents.id"],
            name=op.f("fk_task_members_agents_workspace_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id", "task_id"],
            ["tasks.workspace_id", "tasks.id"],
            name=op.f("fk_task_members_tasks_workspace_id_task_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "task_id", "agent_id", name=op.f("pk_task_members")),
    )
    enable_rls("task_members")


def downgrade() -> None:
    """A task whose members were declared is open again to whoever names it."""
    op.drop_table("task_members")
    op.drop_column("tasks", "members_only")
    op.drop_column("api_keys", "former_hashes")
