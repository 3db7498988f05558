"""Old memories that may be folded into a summary."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from service.db.pool import Connection, Row


async def candidates(
    connection: Connection,
    workspace: UUID,
    agent_id: UUID,
    *,
    importance_below: float,
    before: datetime,
    limit: int,
) -> list[Row]:
    """Live memories of an agent from ``before``, of an importance below that, oldest first."""
    return await connection.fetch(
        "summarizable_memories", workspace=workspace, agent_id=agent_id, importance_below=importance_below,
        before=before, limit=limit,
    )  # fmt: skip


async def tokens_held(connection: Connection, workspace: UUID, agent_id: UUID, now: datetime) -> int:
    """The length of all live memories of an agent in tokens."""
    return await connection.value("agent_memory_tokens", workspace=workspace, agent_id=agent_id, now=now)


async def inherit_sources(connection: Connection, workspace: UUID, memory_id: UUID, ids: Sequence[UUID]) -> None:
    """Let a summary come from the messages that these memories came from."""
    await connection.run("inherit_sources", workspace=workspace, memory_id=memory_id, ids=ids)
