"""Proposals: statements that wait for somebody's decision. Every function runs in the caller's transaction.

All of them lock proposals in one order, that of their fingerprints, and before any memory (lock ordering against
deadlock)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row

Record = dict[str, Any]

SOURCE_CHARACTERS_MAX = 2_000
"""Characters of each message that a proposal is shown with."""


async def rejected(connection: Connection, workspace: UUID, agent_id: UUID) -> dict[str, float]:
    """What dreams of the agent shall not come with again, by fingerprint: with how much confidence it was."""
    rows = await connection.fetch("rejected_proposals", workspace=workspace, agent_id=agent_id)
    return {row["fingerprint"]: row["confidence"] for row in rows}


async def alike(connection: Connection, workspace: UUID, agent_id: UUID, fingerprints: Sequence[str]) -> dict[str, Row]:
    """The agent's proposals of these fingerprints that wait or may not come again, locked, by fingerprint."""
    rows = await connection.fetch("proposals_alike", workspace=workspace, agent_id=agent_id, fingerprints=fingerprints)
    return {row["fingerprint"]: row for row in rows}


async def add(
    connection: Connection, workspace: UUID, agent_id: UUID, items: Sequence[Record], *, dream_id: UUID, now: datetime
) -> set[UUID]:
    """Let these statements wait, but for those that a live memory of the agent makes known; the ids that do."""
    rows = await connection.fetch(
        "add_proposals", workspace=workspace, agent_id=agent_id, items=items, dream_id=dream_id, now=now
    )
    return {row["id"] for row in rows}


async def support(connection: Connection, workspace: UUID, items: Sequence[Record], now: datetime) -> None:
    """These (``id``, ``message_ids``, ``confidence``) have been said again, in other messages."""
    await connection.run("support_proposals", workspace=workspace, items=items, now=now)


async def list_(
    connection: Connection,
    workspace: UUID,
    *,
    agent: str | None,
    status: str | None = None,
    ids: Sequence[UUID] | None = None,
    before: UUID | None = None,
    limit: int,
) -> list[Record]:
    """Proposals with their ``sources``, newest first: those of a status that are to be shown, or these."""
    rows = await connection.fetch(
        "list_proposals", workspace=workspace, agent=agent, status=status, ids=ids,
        before=before, limit=limit, characters=SOURCE_CHARACTERS_MAX,
    )  # fmt: skip
    return [{name: value for name, value in row.items() if name not in ("agent_id", "message_ids")} for row in rows]


async def lock(connection: Connection, workspace: UUID, ids: Sequence[UUID]) -> dict[UUID, Row]:
    """These proposals, each with the ``session`` it was first said in, locked until the transaction ends."""
    rows = await connection.fetch("lock_proposals", workspace=workspace, ids=ids)
    return {row["id"]: row for row in rows}


async def decide(
    connection: Connection,
    workspace: UUID,
    proposal_id: UUID,
    status: str,
    *,
    memory_id: UUID | None,
    actor: str,
    now: datetime,
) -> None:
    """Note what has been decided on a locked proposal, and the memory that came of it."""
    await connection.run(
        "decide_proposal", workspace=workspace, id=proposal_id, status=status, memory_id=memory_id, actor=actor, now=now
    )


async def erase(connection: Connection, workspace: UUID, *, before: datetime, limit: int) -> int:
    """Remove the words of what was rejected or put otherwise before then; of how many."""
    return await connection.run("erase_proposals", workspace=workspace, before=before, limit=limit)
