"""Gather: one bounded batch of messages past the watermark and of memories not read yet, read and let go of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.db.pool import Connection
from service.domain.dead_letters import reason
from service.domain.dreams import SeqRange
from service.domain.guards import normalize
from service.domain.json import JsonValue
from service.domain.message_text import read_text
from service.domain.times import local_time
from service.extraction.candidates import Candidate, Turn
from service.extraction.trust import People, Person, leading_names, slot_owner
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
class DueMessage:
    """A message to be dreamed about. ``status``, ``step`` and ``attempts`` are those of its dead letter: None, empty
    and 0 where it has none. What is set aside has no text."""

    id: UUID
    session_id: UUID
    session: str
    dreamed_seq: int
    seq: int
    role: str
    name: str | None
    user_name: str | None
    created_at: datetime
    time_zone: str | None
    content: str
    parts: JsonValue
    status: Literal["dead", "retrying", "resolved", "discarded"] | None
    step: str
    attempts: int

    def turn(self, zone: str) -> Turn:
        """Return the message as the extractors see it, in ``zone`` where it names none."""
        text = read_text(self.role, self.content if self.parts is None else self.parts)
        return Turn(
            id=self.id, session=self.session, seq=self.seq, role=self.role,
            content=text, at=local_time(self.created_at, self.time_zone, zone),
            speaker=self.name, user=self.user_name,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeadMemory:
    """A memory that workers have died on in a dream."""

    memory_id: UUID
    step: str
    attempts: int


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
    """Ranges that a dream is going to read: stretches of sessions, and memories."""

    stretches: list[SeqRange]
    memory_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class Batch:
    """Input of one dream: turns in order, session by session, and memories ``saved`` or changed since the last one,
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
        """Return what the turns cover, session by session."""
        last = {self.session_of[turn.id]: turn.seq for turn in self.turns}
        return [
            SeqRange(session, self.dreamed_seq[session], seq)
            for session, seq in last.items()
            if seq > self.dreamed_seq[session]
        ]

    def ranges_read(self) -> Ranges:
        """Return all that the dream reads, for its record."""
        return Ranges(self.ranges, [memory.id for memory in self.saved])

    def first(self, count: int) -> Batch:
        """Return the same batch with its first ``count`` turns only."""
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
    zone: str,
    now: datetime,
) -> Batch:
    """Return the next messages and memories due for the agent, in order; ``within`` these ranges only, if given.

    Messages that were set aside and are retried come first, and by themselves. At most ``limit`` of either.
    ``embedded``: only memories that have their vectors. ``zone``: of messages that name none.
    """
    agent: str = await connection.value("agent_by_id", **lease.of_agent)
    stretches = within.stretches if within else []
    messages: list[DueMessage] = []
    if not stretches:
        messages = await connection.many(DueMessage, "retried_messages", **lease.of_owners, limit=limit or MESSAGES_MAX)
    if not messages and (stretches or within is None):
        messages = await connection.many(
            DueMessage, "due_messages", **lease.of_owners, limit=limit or MESSAGES_MAX, tokens_max=TOKENS_MAX,
            stretches=stretches or None,
        )  # fmt: skip
    due: int = await connection.value("count_due_messages", **lease.of_agent)
    saved = await connection.many(
        SavedMemory, "unread_memories", **lease.of_owners, ids=within.memory_ids if within else None, embedded=embedded,
        limit=limit or MEMORIES_MAX, now=now,
    )  # fmt: skip
    unread: int = await connection.value("count_unread_memories", **lease.of_agent, embedded=embedded, now=now)
    died_on = await connection.many(DeadMemory, "memories_set_aside", **lease.of_agent, dream_id=dream_id)
    return Batch(
        agent=agent,
        turns=[one.turn(zone) for one in messages],
        session_of={one.id: one.session_id for one in messages},
        dreamed_seq={one.session_id: one.dreamed_seq for one in messages},
        saved=saved,
        more=due > len(messages) or unread > len(saved),
        set_aside=[
            SetAside(one.id, one.session, one.seq, reason(one.step, one.attempts), one.attempts)
            for one in messages
            if one.status == "dead"
        ],
        memories_set_aside=[
            MemorySetAside(one.memory_id, reason(one.step, one.attempts), one.attempts) for one in died_on
        ],
        retried={one.id: one.attempts for one in messages if one.status == "retrying"},
    )


async def find_people(
    connection: Connection, lease: Lease, turns: Sequence[Turn], candidates: Sequence[Candidate]
) -> People:
    """Return the persons whom these candidates may be about, and those who speak in these turns."""
    names = _names(turns, candidates)
    folded = sorted({normalize(name) for name in names})
    aliases: Mapping[str, set[str]] = defaultdict(set)
    for row in await connection.fetch("aliases_of_persons", **lease.of_owners, names=folded):
        aliases[row["alias"]].add(row["name"])
    rows = await connection.fetch("people_called", **lease.of_agent, names=sorted({*folded, *aliases}))
    speaking = People.speaking(turns)
    users = {row["user_name"] for row in rows if row["way"] == "id"} | speaking.users
    others: dict[str, Person] = {}
    for row in rows:
        if row["way"] == "speaks as":
            others.setdefault(row["called"], Person(row["called"], row["user_name"]))
        elif row["way"] == "is called":
            others.setdefault(normalize(row["called"]), Person(row["user_name"], row["user_name"]))
    others = speaking.others | others
    for user in sorted(users):
        for name in aliases.get(normalize(user), ()):
            others.setdefault(name, Person(user, user))
    return People(users, others)


def _names(turns: Iterable[Turn], candidates: Collection[Candidate]) -> set[str]:
    names = {name for turn in turns for name in (turn.speaker, turn.user) if name}
    for candidate in candidates:
        names.update(leading_names(candidate.content))
        names.update(name for name in (candidate.subject, slot_owner(candidate.slot)) if name)
    return names
