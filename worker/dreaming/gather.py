"""Gather: one bounded batch of messages past the watermark, read and let go of (row D2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

from service.db.pool import Connection
from service.store.dreams import Lease
from worker.dreaming.candidates import Turn

MESSAGES_MAX = 5_000
TOKENS_MAX = 2_000_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a session that a dream covers: after ``from_seq``, up to and with ``to_seq``."""

    session_id: UUID
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one dream reads: turns in order, session by session. ``more``: some were left for the next one."""

    agent: str
    turns: list[Turn]
    session_of: dict[UUID, UUID]
    dreamed_seq: dict[UUID, int]
    more: bool

    @property
    def stretches(self) -> list[Stretch]:
        """What the turns cover, session by session."""
        last = {self.session_of[turn.id]: turn.seq for turn in self.turns}
        return [Stretch(session, self.dreamed_seq[session], seq) for session, seq in last.items()]

    def watermarks(self) -> list[dict[str, Any]]:
        """The stretches, for the dream's record."""
        return [asdict(stretch) for stretch in self.stretches]

    def first(self, count: int) -> Batch:
        """The same batch with its first ``count`` turns only."""
        return self if count >= len(self.turns) else replace(self, turns=self.turns[:count], more=True)


async def gather(
    connection: Connection, lease: Lease, within: Sequence[Mapping[str, Any]] | None = None, limit: int = MESSAGES_MAX
) -> Batch:
    """The next messages due for the agent, session by session, in order; of these stretches only, if given."""
    agent = await connection.value("agent_by_id", workspace=lease.workspace_id, agent_id=lease.agent_id)
    rows = await connection.fetch(
        "due_messages", workspace=lease.workspace_id, agent_id=lease.agent_id, limit=limit, tokens_max=TOKENS_MAX,
        stretches=None if within is None else list(within),
    )  # fmt: skip
    due = await connection.value("count_due_messages", workspace=lease.workspace_id, agent_id=lease.agent_id)
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
    return Batch(
        agent=agent,
        turns=turns,
        session_of={row["id"]: row["session_id"] for row in rows},
        dreamed_seq={row["session_id"]: row["dreamed_seq"] for row in rows},
        more=due > len(rows),
    )
