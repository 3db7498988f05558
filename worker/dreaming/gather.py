"""Gather: one bounded batch of messages past the watermark and of memories not read yet, read and let go of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from service.db.pool import Connection, Row
from service.domain.dead_letters import reason
from service.domain.message_text import text_of_parts
from service.extraction.candidates import Turn
from service.store import agents, dead_letters, dreams
from service.store.dreams import Lease

MESSAGES_MAX = 5_000
MEMORIES_MAX = 1_000
TOKENS_MAX = 2_000_000


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """A memory that somebody else than a dream saved or changed. ``kind``: what its source says it is, if anything."""

    id: UUID
    version: int
    audience: UUID
    content: str
    user_name: str | None
    kind: str | None
    hearsay_by: str | None = None
    type: str = "fact"


@dataclass(frozen=True, slots=True)
class SeqRange:
    """The part of a session that a dream covers: after ``from_seq``, up to and with ``to_seq``."""

    session_id: UUID
    from_seq: int
    to_seq: int


@dataclass(frozen=True, slots=True)
class SetAside:
    """A message that a worker has died over, and that is left out."""

    message_id: UUID
    session: str
    seq: int
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class MemorySetAside:
    """A saved memory that a worker has died over, and that is left out."""

    memory_id: UUID
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Ranges:
    """What a dream is going to read: stretches of sessions, and memories."""

    stretches: list[dict[str, Any]]
    memory_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one dream reads: turns in order, session by session, and memories ``saved`` or changed since the last one,
    oldest first. ``more``: some were left for the next one.

    ``set_aside``, ``memories_set_aside``: those that are dead letters, and have no text here. ``retried``: those that
    were, and are to be read after all, with the times a worker has died over them.
    """

    agent: str
    turns: list[Turn]
    saved: list[SavedMemory]
    session_of: dict[UUID, UUID]
    dreamed_seq: dict[UUID, int]
    more: bool
    set_aside: list[SetAside]
    memories_set_aside: list[MemorySetAside]
    retried: dict[UUID, int]

    @property
    def ranges(self) -> list[SeqRange]:
        """What the turns cover, session by session."""
        last = {self.session_of[turn.id]: turn.seq for turn in self.turns}
        return [
            SeqRange(session, self.dreamed_seq[session], seq)
            for session, seq in last.items()
            if seq > self.dreamed_seq[session]
        ]

    def watermarks(self) -> list[dict[str, Any]]:
        """The stretches, for the dream's record."""
        return [asdict(stretch) for stretch in self.ranges]

    def ranges_read(self) -> Ranges:
        """All that the dream reads, for its record."""
        return Ranges(self.watermarks(), [memory.id for memory in self.saved])

    def first(self, count: int) -> Batch:
        """The same batch with its first ``count`` turns only."""
        if count >= len(self.turns):
            return self
        left = {turn.id for turn in self.turns[:count]}
        return replace(
            self,
            turns=self.turns[:count],
            more=True,
            set_aside=[one for one in self.set_aside if one.message_id in left],
            retried={id_: deaths for id_, deaths in self.retried.items() if id_ in left},
        )


async def gather(
    connection: Connection,
    lease: Lease,
    dream_id: UUID,
    within: Ranges | None,
    *,
    limit: int | None,
    embedded: bool,
    now: datetime,
) -> Batch:
    """The next messages and memories due for the agent, in order; ``within`` these ranges only, if given.

    Messages that were set aside and are retried come first, and by themselves. At most ``limit`` of either.
    ``embedded``: only memories that have their vectors.
    """
    agent = await agents.agent_name(connection, lease.workspace_id, lease.agent_id)
    stretches = within.stretches if within else []
    rows: list[Row] = []
    if not stretches:
        rows = await dead_letters.retried(connection, lease.workspace_id, lease.agent_id, limit or MESSAGES_MAX)
    if not rows and (stretches or within is None):
        rows = await dreams.due_messages(
            connection, lease, limit=limit or MESSAGES_MAX, tokens_max=TOKENS_MAX, ranges=stretches or None
        )
    due = await dreams.count_due(connection, lease)
    saved = await dreams.unread_memories(
        connection, lease, ids=within.memory_ids if within else None, embedded=embedded, limit=limit or MEMORIES_MAX,
        now=now,
    )  # fmt: skip
    unread = await dreams.count_unread_memories(connection, lease, embedded=embedded, now=now)
    died_on = await dead_letters.memories_set_aside(connection, lease.workspace_id, lease.agent_id, dream_id)
    return Batch(
        agent=agent,
        turns=[_turn(row) for row in rows],
        session_of={row["id"]: row["session_id"] for row in rows},
        dreamed_seq={row["session_id"]: row["dreamed_seq"] for row in rows},
        saved=[SavedMemory(**row) for row in saved],
        more=due > len(rows) or unread > len(saved),
        set_aside=[
            SetAside(row["id"], row["session"], row["seq"], reason(row["step"], row["attempts"]), row["attempts"])
            for row in rows
            if row["status"] == "dead"
        ],
        memories_set_aside=[
            MemorySetAside(row["memory_id"], reason(row["step"], row["attempts"]), row["attempts"]) for row in died_on
        ],
        retried={row["id"]: row["attempts"] for row in rows if row["status"] == "retrying"},
    )


def _turn(row: Row) -> Turn:
    return Turn(
        id=row["id"],
        session=row["session"],
        seq=row["seq"],
        role=row["role"],
        content=_content(row),
        at=row["created_at"],
        speaker=row["name"],
        user=row["user_name"],
    )


def _content(row: Row) -> str:
    text = text_of_parts(row["parts"])
    content: str = row["content"]
    return content if text is None else text
