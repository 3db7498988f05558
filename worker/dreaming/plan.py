"""The plan of a dream: what it is going to write, worked out without touching anything.

Its diff says what the dream changed, for people to read, and what undoing it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.domain.bulletin import BulletinInput
from service.domain.dreams import ChangedFields, DreamAction
from service.domain.json import JsonObject
from service.domain.memory import StoredMemory
from service.domain.origin import Origin
from service.domain.spending import Usage
from service.domain.types import MemoryType, Status
from service.domain.verdicts import PairVerdict
from service.domain.word_lists import listed
from service.extraction.candidates import Candidate
from service.extraction.conclusions import Reported
from service.store.dreams import NewChange
from service.store.vectors import EmbeddingBatch
from worker.dreaming.neighbours import ExistingMemory

Relation = Literal["updates", "contradicts"]

Key = UUID | int
"""A statement in the verdicts of a model: the id of a memory that is there, the position of a candidate."""
UNDONE = (
    "importance", "confidence", "tags", "metadata", "superseded_by", "valid_until", "updated_at", "reinforced_at",
    "version", "changed_by", "change_reason", "dream_id", "status", "origin",
)  # fmt: skip
"""The columns a dream may change in a memory, kept as they were for the undo."""
COUNTED = listed("created proposed reinforced superseded completed reopened linked decayed skipped")


@dataclass(slots=True)
class NewMemory:
    """A memory to be written. ``position`` is its candidate's; ``replaced_by`` what supersedes it from the start;
    ``done``: a todo that is reported as done by what was said after it; ``reports``: a habit or the like."""

    id: UUID
    audience: UUID
    position: int
    candidate: Candidate
    evidence: list[UUID]
    identity: str
    since: datetime
    replaced_by: Statement | None = None
    done: bool = False
    reports: Reported | None = None

    @property
    def content(self) -> str:
        return self.candidate.content

    @property
    def slot(self) -> str | None:
        return self.candidate.slot

    @property
    def value(self) -> str | None:
        return self.candidate.value

    @property
    def polarity(self) -> str:
        return self.candidate.polarity

    @property
    def type(self) -> str:
        return str(self.candidate.type)

    @property
    def policy_type(self) -> str:
        return self.candidate.policy_type

    @property
    def subject(self) -> str | None:
        return self.candidate.subject

    @property
    def at(self) -> datetime | None:
        return self.candidate.begins

    @property
    def ends(self) -> datetime | None:
        return self.candidate.occurred.end if self.candidate.occurred else None

    @property
    def word_of(self) -> str | None:
        return self.candidate.word_of

    @property
    def hearsay_by(self) -> str | None:
        return self.candidate.hearsay_by

    @property
    def origin(self) -> Origin:
        return self.candidate.origin

    @property
    def edited(self) -> bool:
        return False

    @property
    def status(self) -> Status | None:
        if self.candidate.type != MemoryType.TODO:
            return None
        return "done" if self.done else "open"

    @property
    def source(self) -> JsonObject:
        """Return where it comes from, and what fills which slot in it."""
        candidate = self.candidate
        filled = {"slot": candidate.slot, "value": candidate.value} if candidate.slot else {}
        negative = {"polarity": "negative"} if candidate.polarity == "negative" else {}
        return {"kind": "dream"} | filled | negative

    def bulletin_input(self, now: datetime) -> BulletinInput:
        """Return what a bulletin will be made of once this is written."""
        candidate = self.candidate
        return BulletinInput(
            id=self.id, type=self.policy_type, content=self.content, importance=candidate.importance,
            user=self.subject, hearsay_by=self.hearsay_by, origin=self.origin, occurred_at=self.at,
            occurred_until=self.ends, status=self.status,
            weight=candidate.importance, at=self.at or now,
        )  # fmt: skip


Statement = ExistingMemory | NewMemory


def key_of(statement: Statement) -> Key:
    """Return the statement's key: one that is the same in every plan for the same candidates."""
    return statement.position if isinstance(statement, NewMemory) else statement.id


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that only a reader of both can tell apart."""

    newer_key: Key
    older_key: Key
    older: str
    newer: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """A memory that is closed, and what holds in its place. ``same``: because both say the same."""

    known: ExistingMemory
    by: Statement
    same: bool = False


@dataclass(slots=True)
class Reinforcement:
    """A memory that was said again: in these messages, by these candidates (``said``), and by these memories, which
    become one with it."""

    known: ExistingMemory
    evidence: list[UUID] = field(default_factory=list)
    said: list[NewMemory] = field(default_factory=list)
    merged: list[ExistingMemory] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A todo that is closed or opened again."""

    known: ExistingMemory
    status: Literal["done", "open"]
    reason: str


@dataclass(slots=True)
class Plan:
    """Plan of a dream, worked out without touching anything. ``proposed``: what it is not sure enough of,
    which somebody else decides on; ``undecided``: pairs kept apart in doubt; ``verdicts``: what models said of
    pairs."""

    embedded: EmbeddingBatch
    new: list[NewMemory] = field(default_factory=list)
    proposed: list[NewMemory] = field(default_factory=list)
    reinforced: dict[UUID, Reinforcement] = field(default_factory=dict)
    superseded: dict[UUID, Replacement] = field(default_factory=dict)
    statuses: dict[UUID, StatusChange] = field(default_factory=dict)
    links: list[tuple[Statement, Relation, UUID]] = field(default_factory=list)
    undecided: list[Pair] = field(default_factory=list)
    verdicts: Mapping[tuple[Key, Key], PairVerdict] = field(default_factory=dict)

    def verdict_on(self, key: Key, other: Key) -> PairVerdict | None:
        """Return what a model said of two statements, whichever is the newer."""
        return self.verdicts.get((key, other)) or self.verdicts.get((other, key))

    def left_out(self) -> list[UUID]:
        """Return what a bulletin leaves out once the plan is applied: what is replaced, and todos that are done."""
        return [*self.superseded, *(id_ for id_, one in self.statuses.items() if one.status == "done")]

    def known(self) -> list[ExistingMemory]:
        """Return every memory the plan touches."""
        touched: list[Reinforcement | Replacement | StatusChange] = [
            *self.reinforced.values(), *self.superseded.values(), *self.statuses.values(),
        ]  # fmt: skip
        return [one.known for one in touched]


@dataclass(slots=True)
class Diff:
    """Changes in the order they were made, and their counts by name of the change."""

    messages: int = 0
    memories: int = 0
    bulletin_version: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    changes: list[NewChange] = field(default_factory=list)

    def note(
        self, op: DreamAction, *, memory_id: UUID | None = None, before: ChangedFields | None = None,
        after: ChangedFields | None = None, undo: JsonObject | None = None, reason: str,
    ) -> None:  # fmt: skip
        """Add one change, and count it."""
        if op in self.counts:
            self.counts[op] += 1
        self.changes.append(NewChange(len(self.changes) + 1, op, memory_id, before, after, undo, reason))

    def report(self) -> JsonObject:
        """Return the counts."""
        return {
            "messages": self.messages,
            "memories": self.memories,
            **self.counts,
            "bulletin_version": self.bulletin_version,
        }


def undo_record(memory: StoredMemory) -> JsonObject:
    """Return what of a stored memory undoing a change of it takes."""
    return {column: getattr(memory, column) for column in UNDONE}


def usage_report(usage: Usage) -> JsonObject:
    """Return what the language model took, as a report says it."""
    return {
        "calls": usage.calls,
        "failed_calls": usage.failed_calls,
        "tokens": usage.tokens,
        "cost_usd": round(usage.cost_usd, 6),
    }
