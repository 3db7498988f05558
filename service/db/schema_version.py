"""Whether the database's schema is one that this release can work on."""

from __future__ import annotations

from functools import cache
from time import monotonic

import asyncpg

from service.db.queries import query
from service.errors import SchemaMismatch
from service.resources import resource

VERSIONS = resource("alembic") / "versions"
RECHECK_S = 5.0
MIGRATE = "run `reverie migrate` (in a checkout `make migrate`)"


@cache
def code_revision() -> str:
    """Return the newest migration of this release; all are named ``NNNN_what.py``."""
    return max(path.name.partition("_")[0] for path in VERSIONS.glob("[0-9]*_*.py"))


def newer_than_release(revision: str) -> str:
    """Return the refusal of a schema that is newer than this release."""
    return (
        f"The database's schema is at {revision}, newer than this release, which knows migrations up to "
        f"{code_revision()}: run a newer release."
    )


class SchemaCheck:
    """Compares revisions. One that fits is trusted for ``recheck_s``, one that does not is asked for each time.

    ``mismatch`` is what was wrong when it was last compared, None when nothing was.
    """

    def __init__(self, recheck_s: float = RECHECK_S) -> None:
        self.mismatch: str | None = None
        self._recheck_s = recheck_s
        self._fits_until = 0.0

    async def __call__(self, raw: asyncpg.Connection) -> None:
        """Raises SchemaMismatch for a schema older than this release, and for a newer one whose migrations do not say
        (``schema_compatibility``) that this release can work on it."""
        if monotonic() < self._fits_until:
            return
        self.mismatch = await schema_mismatch(raw)
        if self.mismatch:
            raise SchemaMismatch(self.mismatch)
        self._fits_until = monotonic() + self._recheck_s


async def schema_mismatch(raw: asyncpg.Connection) -> str | None:
    """Return what is wrong with the schema, None when this release can work on it."""
    mine = code_revision()
    try:
        found = await raw.fetchval(query("schema_revision").sql)
        if found is not None and found > mine:
            serves_from = await raw.fetchval(query("schema_serves_from").sql, found)
            if serves_from is not None and serves_from <= mine:
                return None
            return newer_than_release(found)
    except (asyncpg.UndefinedTableError, asyncpg.InsufficientPrivilegeError):
        found = None  # never migrated, or by a migration from when only the owner could read it
    if found == mine:
        return None
    at = f"at {found}" if found else "older"
    return f"The database's schema is {at}, this release needs {mine}: {MIGRATE}."
