"""Bulletins: an agent's versioned summaries of what it knows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.bulletin import BulletinPart
from service.domain.origin import Origin


async def get(connection: Connection, workspace: UUID, agent: str, version: int | None, now: datetime) -> Row | None:
    """The agent's bulletin of that version, or the latest; ``states`` are what the memories that it
    cites are now, by id, and ``newest`` whether no later one is there."""
    return await connection.row("get_bulletin", workspace=workspace, agent=agent, version=version, now=now)


async def versions(
    connection: Connection, workspace: UUID, agent: str, *, before: int | None, limit: int, now: datetime
) -> list[Row]:
    """Bulletins newest first, as ``get`` gives them."""
    return await connection.fetch(
        "bulletin_versions", workspace=workspace, agent=agent, before=before, limit=limit, now=now
    )


async def inputs(
    connection: Connection, workspace: UUID, agent_id: UUID, *, now: datetime, limit: int, faded_below: float,
    origins: Collection[Origin], left_out: Sequence[UUID], reinforced: Sequence[UUID],
) -> list[Row]:  # fmt: skip
    """The live memories of the agent, weightiest first, of these ``origins`` or hearsay, but for those faded and those
    ``left_out``; the ``reinforced``
    weigh what they will once they are reinforced."""
    return await connection.fetch(
        "bulletin_inputs", workspace=workspace, agent_id=agent_id, now=now, limit=limit, faded_below=faded_below,
        origins=list(origins), left_out=left_out, reinforced=reinforced,
    )  # fmt: skip


async def latest_hash(connection: Connection, workspace: UUID, agent_id: UUID) -> str | None:
    """The hash of the inputs of the latest bulletin."""
    return await connection.value("bulletin_hash", workspace=workspace, agent_id=agent_id)


async def add(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
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
        content=content,
        tokens=tokens,
        inputs_hash=inputs_hash,
        parts=parts,
        dream_id=dream_id,
        now=now,
    )
