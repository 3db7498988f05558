"""The audit log: who administered, and who read what is not their own.

Acts are recorded in the transaction that does them; reads are counted by ``service.memory.access.read_audit``. No line
holds the content of anything.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.principal import Principal
from service.memory.engine import Engine
from service.store import audit

Record = dict[str, Any]


async def record(
    connection: Connection,
    principal: Principal,
    action: str,
    *,
    target: str | None = None,
    subject: str | None = None,
    details: Record | None = None,
) -> None:
    """One act, committed with what it did. ``subject`` is the user it was about; a purge of that user erases it."""
    await audit.add(
        connection, principal.workspace_id, audit.Line(principal.actor, principal.key_id, action, target, subject),
        details or {},
    )  # fmt: skip


async def list_audit(
    engine: Engine,
    principal: Principal,
    *,
    action: str | None,
    actor: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
) -> tuple[list[Record], str | None]:
    """A page of the audit log, newest first. Raises Forbidden for anyone but an admin."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    await engine.read_audit.flush()
    async with engine.db.transaction(principal.workspace_id) as connection:
        rows = await audit.list_(
            connection, principal.workspace_id, action=action, actor=actor, since=since, until=until,
            before=before, limit=limit + 1,
        )  # fmt: skip
    rows, more = cursors.paginate(rows, limit, "id")
    return [dict(row) for row in rows], more
