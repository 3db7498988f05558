"""The audit log's lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.ids import new_id


@dataclass(frozen=True, slots=True)
class Line:
    """Who did what to what: ``target`` is an id or an agent, ``subject`` the user it was about."""

    actor: str
    key_id: UUID | None
    action: str
    target: str | None
    subject: str | None


async def add(connection: Connection, workspace: UUID, line: Line, details: dict[str, Any]) -> None:
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


async def list_(connection: Connection, workspace: UUID, **filters: Any) -> list[Row]:
    """Lines newest first; ``filters`` are the parameters of the query ``list_audit``."""
    return await connection.fetch("list_audit", workspace=workspace, **filters)
