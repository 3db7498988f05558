"""The audit log: who administered, and who read what is not their own.

Acts are recorded in the transaction that does them; reads are counted by ``service.memory.counters``. No line
holds the content of anything.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain import cursors
from service.domain.audit import AuditLine
from service.domain.json import JsonObject
from service.domain.principal import Principal
from service.memory.counters import ReadCounter
from service.runtime import Runtime
from service.store import audit


async def record(
    connection: Connection,
    principal: Principal,
    action: str,
    *,
    target: str | None = None,
    subject: str | None = None,
    details: JsonObject | None = None,
) -> None:
    """Record one act, committed with what it did. ``subject`` is the user it was about, whom a purge takes out."""
    await audit.add(
        connection, principal.workspace_id, audit.Line(principal.actor, principal.key_id, action, target, subject),
        details or {},
    )  # fmt: skip


async def list_audit(
    runtime: Runtime,
    principal: Principal,
    *,
    action: str | None,
    actor: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
) -> tuple[list[AuditLine], str | None]:
    """Return a page of the audit log, newest first. Raises Forbidden for anyone but an admin."""
    principal.require_admin()
    (before,) = cursors.decode(cursor, UUID)
    await runtime.part(ReadCounter).flush()
    async with runtime.db.transaction(principal.workspace_id) as connection:
        found = await connection.many(
            AuditLine,
            "list_audit",
            workspace=principal.workspace_id,
            action=action,
            actor=actor,
            since=since,
            until=until,
            before=before,
            limit=limit + 1,
        )
    return cursors.paginate(found, limit, "id")
