"""Bulletins: an agent's versioned summaries of what it knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection
from service.domain.bulletin import BulletinPart
from service.domain.owners import Owners


async def latest_hash(connection: Connection, workspace: UUID, agent_id: UUID, owners: Owners) -> str | None:
    """Return the hash of the inputs of the latest bulletin of these owners."""
    return await connection.value("bulletin_hash", workspace=workspace, agent_id=agent_id, owners=owners)


async def add(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    owners: Owners,
    *,
    content: str,
    tokens: int,
    inputs_hash: str,
    parts: Sequence[BulletinPart],
    dream_id: UUID | None,
    now: datetime,
) -> int:
    """Add the next version and return its number."""
    return await connection.value(
        "add_bulletin",
        workspace=workspace,
        agent_id=agent_id,
        owners=owners,
        content=content,
        tokens=tokens,
        inputs_hash=inputs_hash,
        parts=parts,
        dream_id=dream_id,
        now=now,
    )
