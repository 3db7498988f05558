"""Bulletins: an agent's versioned summaries of what it knows."""

from __future__ import annotations

from uuid import UUID

from service.db.pool import Connection, Row


async def get(connection: Connection, workspace: UUID, agent: str, version: int | None) -> Row | None:
    """The agent's bulletin of that version, or the latest."""
    return await connection.row("get_bulletin", workspace=workspace, agent=agent, version=version)


async def versions(connection: Connection, workspace: UUID, agent: str, *, before: int | None, limit: int) -> list[Row]:
    """Bulletins newest first."""
    return await connection.fetch("bulletin_versions", workspace=workspace, agent=agent, before=before, limit=limit)


async def latest_hash(connection: Connection, workspace: UUID, agent_id: UUID) -> str | None:
    """The hash of the inputs of the latest bulletin."""
    found: str | None = await connection.value("bulletin_hash", workspace=workspace, agent_id=agent_id)
    return found


async def add(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    *,
    content: str,
    tokens: int,
    inputs_hash: str,
    dream_id: UUID | None,
) -> int:
    """Add the next version and return its number."""
    version: int = await connection.value(
        "add_bulletin",
        workspace=workspace,
        agent_id=agent_id,
        content=content,
        tokens=tokens,
        inputs_hash=inputs_hash,
        dream_id=dream_id,
    )
    return version
