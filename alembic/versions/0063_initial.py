"""The initial schema: the functions of ``sql/functions`` and what ``sql/schema.sql`` writes.

Until 0.1.0 is tagged, a change of the schema is made in those files, and this migration is numbered one higher, so that
no database of an earlier form passes for one of the new form.

Revision ID: 0063
Revises:
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

from service.db.migrate import CREATE_ROLE, JOIN_ROLE
from service.db.pool import APP_ROLE
from service.db.queries import SQL_DIR

revision = "0063"
down_revision = None
branch_labels = None
depends_on = None

takes_over = ("0057", "0058", "0059", "0060", "0061", "0062")
"""Earlier revisions that ``service.db.migrate`` brings to this schema by ``TAKE_OVER``, and then numbers so."""
schema_sha256 = "3a4cb2d814a8bf656e25feab3c81b1da4593163d6d3fb7cd63941f42e195ccfb"
"""Digest of the files that this revision runs, compared in ``tests/store/test_schema.py``."""


def _functions(*names: str) -> list[str]:
    """Return the statements that make these functions, or replace them."""
    return [
        (SQL_DIR / "functions" / f"{name}.sql")
        .read_text(encoding="utf-8")
        .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)
        for name in names
    ]


TAKE_OVER = {
    "0058": [
        """ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE api_keys ADD COLUMN makers uuid[], ADD COLUMN subject text;
        UPDATE api_keys SET makers = ARRAY[granted_by] WHERE granted_by IS NOT NULL;
        ALTER TABLE api_keys DROP COLUMN granted_by""",
        *_functions("settle_stored_v1"),
    ],
    "0059": [
        "DROP FUNCTION reverie_authenticate_v6(uuid, bytea); DROP FUNCTION reverie_facets_v1(text, text, text[])",
        *_functions("authenticate_v6", "facets_v1", "owners_v1", "viewer_v1"),
        (SQL_DIR / "take_over_0059.sql").read_text(encoding="utf-8"),
    ],
    "0060": ["ALTER TABLE memories RENAME COLUMN reading TO dream_analysis"],
    "0061": ["ALTER TABLE messages ADD COLUMN searchable boolean DEFAULT true NOT NULL"],
    "0062": [
        *_functions("precision_v1"),
        """ALTER TABLE messages ADD COLUMN time_zone text;
        ALTER TABLE proposals ADD COLUMN occurred_until timestamptz;
        ALTER TABLE memories ADD COLUMN occurred_until timestamptz;
        ALTER TABLE search_index ADD COLUMN happened_until timestamptz;
        ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE search_index NO FORCE ROW LEVEL SECURITY;
        UPDATE memories SET occurred_until = occurred_at + interval '24 hours'
        WHERE dream_id IS NOT NULL AND (occurred_at AT TIME ZONE 'UTC')::time = '00:00';
        UPDATE search_index i SET happened_until = m.occurred_until FROM memories m
        WHERE m.workspace_id = i.workspace_id AND m.id = i.id AND m.occurred_until IS NOT NULL;
        CREATE INDEX ix_search_index_happened_until ON search_index USING btree
            (workspace_id, audience, kind, ann, happened_until) WHERE happened_until IS NOT NULL""",
        *_functions("note_rewritten_v1", "note_stored_v1", "settle_workspace_v1", "settle_stored_v1", "viewer_v1"),
        """DO $$ DECLARE change text; BEGIN FOR change IN
            SELECT format('ALTER POLICY viewer ON %s USING (%s)', p.polrelid::regclass, replace(
                pg_get_expr(p.polqual, p.polrelid),
                '( SELECT reverie_viewer_v1() AS reverie_viewer_v1)', 'reverie_viewer_v1()'))
            FROM pg_policy p WHERE p.polname = 'viewer'
        LOOP EXECUTE change; END LOOP; END $$""",
    ],
}
"""By revision, the statements that bring a database of it, or of one before, to the next. They leave row-level security
not forced: the owner of a table sees its rows only so."""

_GRANT = re.compile(rf"^GRANT .* TO {APP_ROLE};$", re.MULTILINE)


def upgrade() -> None:
    """Create everything. An owner that may create no role grants nothing to it."""
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(CREATE_ROLE)
    op.execute(JOIN_ROLE)
    op.execute("SET LOCAL check_function_bodies = off")  # functions come before the tables that they name
    for path in sorted((SQL_DIR / "functions").glob("*.sql")):
        _run(path.read_text(encoding="utf-8"))
    schema = (SQL_DIR / "schema.sql").read_text(encoding="utf-8")
    has_role = sa.text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role)")
    _run(schema if op.get_bind().scalar(has_role, {"role": APP_ROLE}) else _GRANT.sub("", schema))
    op.execute("INSERT INTO embedding_state (singleton) VALUES (true)")


def _run(statements: str) -> None:
    """Run several statements in the migration's transaction, by the simple query protocol."""
    connection = op.get_bind().connection.dbapi_connection
    assert connection is not None
    connection.run_async(lambda raw: raw.execute(statements))
