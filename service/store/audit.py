"""The audit log's lines."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from service.db.pool import Connection
from service.domain.ids import new_id
from service.domain.json import JsonObject


@dataclass(frozen=True, slots=True)
class Line:
    """Who did what to what: ``target`` is an id or an agent, ``subject`` the user it was about."""

    actor: str
    key_id: UUID | None
    action: str
    target: str | None
    subject: str | None


async def add(connection: Connection, workspace: UUID, line: Line, details: JsonObject) -> None:
    """Add a line."""
    await connection.run(
        "add_audit",
        workspace=workspace,
        id=new_id(),
        actor=line.actor,
        key_id=line.key_id,
        action=line.action,
        target=line.target,
        subject=line.subject,
        details=details,
    )
