"""Steps the migrations share; what each does never changes once released."""

from __future__ import annotations

from alembic import op

from service.db.queries import SQL_DIR

ROLE = "reverie_app"
CREATE_ROLE = f"""DO $$ BEGIN
    CREATE ROLE {ROLE} LOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL; END $$"""
JOIN_ROLE = f"DO $$ BEGIN GRANT {ROLE} TO CURRENT_USER; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$"
POLICY = "workspace_id = nullif(current_setting('reverie.workspace', true), '')::uuid"


def create_role() -> None:
    """The role every transaction of the service takes on: it owns nothing and bypasses nothing.

    An owner that may make no roles goes on without it, unless somebody has made it and granted it to the owner:
    row-level security holds for the owner as well.
    """
    op.execute(CREATE_ROLE)
    op.execute(JOIN_ROLE)
    grant("USAGE ON SCHEMA public")


def grant(privilege: str) -> None:
    """Grant ``privilege`` (``SELECT ON some_view``) to the service's role, where there is one."""
    op.execute(
        f"""DO $$ BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') THEN
                GRANT {privilege} TO {ROLE};
            END IF;
        END $$"""
    )


def grant_dml(*tables: str) -> None:
    """Let the service read and write these tables."""
    for table in tables:
        grant(f"SELECT, INSERT, UPDATE, DELETE ON {table}")


def enable_rls(*tables: str, owner_too: bool = True) -> None:
    """As ``grant_dml``, with a row-level security policy: only rows of the transaction's workspace, for the owner
    too."""
    grant_dml(*tables)
    for table in tables:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        if owner_too:
            op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY workspace ON {table} USING ({POLICY}) WITH CHECK ({POLICY})")


def create_versioned_function(*names: str) -> None:
    """Create the functions of ``sql/functions/<name>.sql``. Each file carries a version and is never edited."""
    for name in names:
        op.execute((SQL_DIR / "functions" / f"{name}.sql").read_text(encoding="utf-8"))


def for_each_workspace(statement: str) -> None:
    """Run ``statement`` for ``one`` workspace after the other, since row-level security holds for the owner too."""
    op.execute(
        f"""DO $$ DECLARE one uuid; BEGIN
            FOR one IN SELECT workspace_id FROM workspaces LOOP
                PERFORM set_config('reverie.workspace', one::text, true);
                {statement};
            END LOOP;
            PERFORM set_config('reverie.workspace', '', true);
        END $$"""  # noqa: S608
    )


def serves_from(revision: str, oldest: str) -> None:
    """Say that releases whose newest migration is ``oldest``, and later ones, can work on the schema of ``revision``,
    so that they go on while a newer release takes over. Without it they are refused."""
    op.execute(f"INSERT INTO schema_compatibility (revision, serves_from) VALUES ('{revision}', '{oldest}')")  # noqa: S608


def drop_vector_indexes() -> None:
    """Drop every part of the HNSW indexes; the worker makes those that are needed anew."""
    op.execute(
        """DO $$ DECLARE index text; BEGIN
            FOR index IN SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relname LIKE 'ix\\_search\\_index\\_ann\\_%'
            LOOP EXECUTE format('DROP INDEX public.%I', index); END LOOP;
        END $$"""
    )
