"""Gather: one bounded batch of messages past the watermark, read and let go of (row D2)."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from service.memory.engine import Engine
from service.store.dreams import Lease
from worker.dreaming.candidates import Turn

BATCH_MESSAGES = 2_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a session that a dream covers: after ``from_seq``, up to and with ``to_seq``."""

    session_id: UUID
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one dream reads. ``more`` when messages were left for the next one."""

    agent: str
    turns: list[Turn]
    session_of: dict[UUID, UUID]
    stretches: list[Stretch]
    more: bool


async def gather(engine: Engine, lease: Lease, limit: int = BATCH_MESSAGES) -> Batch:
    """The next messages due for the agent, session by session, in order."""
    async with engine.db.transaction(lease.workspace_id) as connection:
        agent = await connection.value("agent_by_id", workspace=lease.workspace_id, agent_id=lease.agent_id)
        rows = await connection.fetch(
            "due_messages", workspace=lease.workspace_id, agent_id=lease.agent_id, limit=limit
        )
    turns = [
        Turn(
            id=row["id"],
            session=row["session"],
            seq=row["seq"],
            role=row["role"],
            content=row["content"],
            at=row["created_at"],
            speaker=row["name"],
            user=row["user_name"],
        )
        for row in rows
    ]
    bounds: dict[UUID, tuple[int, int]] = {}
    for row in rows:
        first, _ = bounds.get(row["session_id"], (row["seq"], 0))
        bounds[row["session_id"]] = (first, row["seq"])
    return Batch(
        agent=agent,
        turns=turns,
        session_of={row["id"]: row["session_id"] for row in rows},
        stretches=[Stretch(session, first - 1, last) for session, (first, last) in bounds.items()],
        more=len(rows) == limit,
    )
