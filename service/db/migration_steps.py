"""Steps the migrations share; what each does never changes once released."""

from __future__ import annotations

from alembic import op

from service.db.queries import SQL_DIR

ROLE = "reverie_app"
POLICY = "workspace_id = nullif(current_setting('reverie.workspace', true), '')::uuid"


def create_role() -> None:
    """The role every transaction of the service takes on: it owns nothing and bypasses nothing."""
    op.execute(
        f"""DO $$ BEGIN
            CREATE ROLE {ROLE} LOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"""
    )
    op.execute(
        f"DO $$ BEGIN GRANT {ROLE} TO CURRENT_USER; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$"
    )
    op.execute(f"GRANT USAGE ON SCHEMA public TO {ROLE}")


def allow(*tables: str) -> None:
    """Let the service read and write these tables."""
    for table in tables:
        op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {ROLE}")


def wall(*tables: str, owner_too: bool = True) -> None:
    """As ``allow``, but only for the rows of the workspace set in the transaction, for the owner as well."""
    allow(*tables)
    for table in tables:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        if owner_too:
            op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY workspace ON {table} USING ({POLICY}) WITH CHECK ({POLICY})")


def frozen_function(*names: str) -> None:
    """Create the functions of ``sql/functions/<name>.sql``. Each file carries a version and is never edited."""
    for name in names:
        op.execute((SQL_DIR / "functions" / f"{name}.sql").read_text(encoding="utf-8"))
