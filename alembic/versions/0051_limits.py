"""Limits of workspaces and keys, and what they use of them.

Revision ID: 0051
Revises: 0050
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from service.db.migration_steps import create_versioned_function, enable_rls, for_each_workspace

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

NO_KEY = "00000000-0000-0000-0000-000000000000"
COUNTED = {"memories": "content, metadata", "messages": "content, content_json"}
TABLES = ("stored_counts", "stored_changes", "stored_days", "request_counts")


def upgrade() -> None:
    for table in ("workspaces", "api_keys"):
        op.add_column(table, sa.Column("limits", JSONB(), nullable=True))
    for table in COUNTED:
        op.add_column(table, sa.Column("key_id", sa.UUID(), nullable=True))
    op.add_column("dreams", sa.Column("key_id", sa.UUID(), nullable=True))
    op.create_index(
        "ix_dreams_unfinished",
        "dreams",
        ["workspace_id", "key_id"],
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.add_column("model_budgets", sa.Column("key_id", sa.UUID(), nullable=False, server_default=NO_KEY))
    _primary_key_of_budgets("day", "key_id")
    _create_tables()
    enable_rls(*TABLES)
    create_versioned_function(
        "stored_bytes_v1", "note_stored_v1", "note_rewritten_v1", "settle_stored_v1", "authenticate_v6"
    )
    op.execute("DROP FUNCTION reverie_authenticate_v5")
    _create_triggers()


def downgrade() -> None:
    """No limit holds any more; keys with limits are revoked, as an older release would not hold them to any."""
    for_each_workspace(
        "UPDATE api_keys SET revoked_at = now() WHERE workspace_id = one AND revoked_at IS NULL AND limits IS NOT NULL"
    )
    for_each_workspace(f"DELETE FROM model_budgets WHERE workspace_id = one AND key_id <> '{NO_KEY}'")  # noqa: S608
    for table in COUNTED:
        for trigger in ("inserted", "deleted", "rewritten"):
            op.execute(f"DROP TRIGGER {table}_{trigger} ON {table}")
    create_versioned_function("authenticate_v5")
    op.execute("DROP FUNCTION reverie_authenticate_v6")
    for table in TABLES:
        op.drop_table(table)
    for function in ("settle_stored", "note_rewritten", "note_stored", "stored_bytes"):
        op.execute(f"DROP FUNCTION reverie_{function}_v1")
    _primary_key_of_budgets("day")
    op.drop_column("model_budgets", "key_id")
    op.drop_index("ix_dreams_unfinished", "dreams")
    for table in ("dreams", *COUNTED):
        op.drop_column(table, "key_id")
    for table in ("workspaces", "api_keys"):
        op.drop_column(table, "limits")


def _primary_key_of_budgets(*columns: str) -> None:
    op.drop_constraint("pk_model_budgets", "model_budgets")
    op.create_primary_key("pk_model_budgets", "model_budgets", ["workspace_id", *columns])


def _create_tables() -> None:
    def table(name: str, *columns: sa.Column[object], key: tuple[str, ...], key_id_nullable: bool = False) -> None:
        op.create_table(
            name,
            sa.Column("workspace_id", sa.UUID(), nullable=False),
            sa.Column("key_id", sa.UUID(), nullable=key_id_nullable),
            *columns,
            sa.PrimaryKeyConstraint("workspace_id", *key, name=op.f(f"pk_{name}")),
        )

    def sizes() -> tuple[sa.Column[object], sa.Column[object]]:
        return (
            sa.Column("rows", sa.BigInteger(), nullable=False),
            sa.Column("bytes", sa.BigInteger(), nullable=False),
        )

    table("stored_counts", *sizes(), key=("key_id",))
    table(
        "stored_changes",
        sa.Column("id", sa.UUID(), nullable=False),
        *sizes(),
        key=("id",),
        key_id_nullable=True,
    )
    op.execute("ALTER TABLE stored_changes SET UNLOGGED")
    table("stored_days", sa.Column("day", sa.Date(), nullable=False), *sizes(), key=("day", "key_id"))
    table(
        "request_counts",
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        key=("key_id", "period", "starts_at"),
    )


def _create_triggers() -> None:
    for table, columns in COUNTED.items():
        for trigger, event, transition in (("inserted", "INSERT", "NEW"), ("deleted", "DELETE", "OLD")):
            op.execute(
                f"CREATE TRIGGER {table}_{trigger} AFTER {event} ON {table} REFERENCING {transition} TABLE AS changed "
                "FOR EACH STATEMENT EXECUTE FUNCTION reverie_note_stored_v1()"
            )
        op.execute(
            f"CREATE TRIGGER {table}_rewritten AFTER UPDATE OF {columns} ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION reverie_note_rewritten_v1()"
        )
    op.execute(
        "CREATE CONSTRAINT TRIGGER stored_changes_settled AFTER INSERT ON stored_changes "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reverie_settle_stored_v1()"
    )
