"""Reconcile: what each candidate means beside what is known: new, duplicate, update or contradiction.

Hashes and slots are exact. Vectors only find neighbours: whether two statements are one is decided by the guards, or,
where they cannot tell, by the language model within what the guards allow. In doubt both are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from service.domain.guards import contradicts, may_merge, same_particulars
from service.domain.ids import new_id
from service.domain.types import POLICIES, MemoryType
from service.store.vectors import EmbeddingBatch
from worker.dreaming.candidates import Candidate
from worker.dreaming.neighbours import ExistingMemory, RelatedMemories

AMBIGUOUS_FROM = 0.8
"""From this similarity on, two statements the guards cannot tell apart are shown to the language model."""
AMBIGUOUS_PAIRS_MAX = 40

Outcome = Literal["duplicate", "update", "contradiction", "different"]
Relation = Literal["updates", "contradicts"]


@dataclass(slots=True)
class NewMemory:
    """A memory to be written. ``position`` is its candidate's; ``superseded_by`` what supersedes it from the start."""

    id: UUID
    position: int
    candidate: Candidate
    evidence: list[UUID]
    identity: str
    since: datetime
    replaced_by: Statement | None = None

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
        return self.candidate.type.value

    @property
    def subject(self) -> str | None:
        return self.candidate.subject

    @property
    def at(self) -> datetime | None:
        return self.candidate.occurred_at

    @property
    def word_of(self) -> str | None:
        return self.candidate.word_of

    @property
    def hearsay_by(self) -> str | None:
        return self.candidate.hearsay_by

    @property
    def edited(self) -> bool:
        return False

    @property
    def status(self) -> str | None:
        return "open" if self.candidate.type is MemoryType.TODO else None

    def bulletin_row(self, now: datetime) -> dict[str, Any]:
        """What a bulletin will be made of once this is written, as the query ``bulletin_inputs`` gives it."""
        candidate = self.candidate
        return {
            "id": self.id, "type": self.type, "content": self.content, "importance": candidate.importance,
            "user": self.subject, "hearsay_by": self.hearsay_by, "occurred_at": self.at, "status": self.status,
            "weight": candidate.importance, "at": self.at or now,
        }  # fmt: skip


Statement = ExistingMemory | NewMemory


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that only a reader of both can tell apart: the older held, the newer proposed."""

    position: int
    held_id: UUID | int
    older: str
    newer: str


@dataclass(slots=True)
class Plan:
    """What a dream is going to do, worked out without touching anything. ``undecided``: pairs kept apart in doubt."""

    embedded: EmbeddingBatch
    new: list[NewMemory] = field(default_factory=list)
    reinforced: dict[UUID, tuple[ExistingMemory, list[UUID]]] = field(default_factory=dict)
    superseded: dict[UUID, tuple[ExistingMemory, NewMemory]] = field(default_factory=dict)
    links: list[tuple[NewMemory, Relation, UUID]] = field(default_factory=list)
    undecided: list[Pair] = field(default_factory=list)

    def known(self) -> list[ExistingMemory]:
        """Every memory the plan touches."""
        return [known for known, _ in [*self.reinforced.values(), *self.superseded.values()]]


def reconcile(
    related: RelatedMemories,
    said_at: Mapping[UUID, tuple[datetime, int]],
    verdicts: Mapping[tuple[int, UUID | int], Outcome],
) -> Plan:
    """The plan for these candidates, taken in the order they were said; pure.

    ``said_at`` says when each message was said, and its place among all. ``verdicts`` are the language model's, by
    candidate and what it was compared with: a memory's id, or an earlier candidate's position.
    """
    return _Planner(related, said_at, verdicts).plan()


class _Planner:
    """Goes through the candidates once, keeping what holds at that point."""

    def __init__(
        self,
        related: RelatedMemories,
        said_at: Mapping[UUID, tuple[datetime, int]],
        verdicts: Mapping[tuple[int, UUID | int], Outcome],
    ) -> None:
        self._related = related
        self._said_at = said_at
        self._verdicts = verdicts
        self._similar = related.similar_candidates()
        self._new_at: dict[int, NewMemory] = {}
        self._plan = Plan(related.embedded)
        self._by_identity: dict[tuple[str, str], Statement] = {
            (one.type, one.identity): one for one in related.existing
        }
        self._in_slot: dict[str, list[Statement]] = {}
        for one in related.existing:
            if one.slot:
                self._in_slot.setdefault(one.slot, []).append(one)

    def plan(self) -> Plan:
        for position in sorted(range(len(self._related.candidates)), key=self._last_said_at):
            self._take(position)
        return self._plan

    def _last_said_at(self, position: int) -> tuple[datetime, int]:
        return max(self._said_at[id_] for id_ in self._related.candidates[position].evidence)

    def _take(self, position: int) -> None:
        candidate = self._related.candidates[position]
        near = self._near(position)
        same = self._same(position, near)
        if same is not None:
            if may_replace(candidate, same):
                self._confirm(same, candidate)
            return
        new = NewMemory(
            new_id(), position, candidate, list(candidate.evidence), self._related.identities[position],
            self._last_said_at(position)[0],
        )  # fmt: skip
        for held in self._outdated_by(new):
            self._replace(held, new, "updates")
        for held, outcome in near:
            if outcome in ("contradiction", "update") or not _vouched_alike(held, candidate):
                self._replace(held, new, "contradicts" if outcome == "contradiction" else "updates")
        self._plan.new.append(new)
        self._new_at[position] = new
        if new.replaced_by is None:
            self._by_identity[new.type, new.identity] = new
            if new.slot:
                self._in_slot.setdefault(new.slot, []).append(new)

    def _same(self, position: int, near: Sequence[tuple[Statement, Outcome]]) -> Statement | None:
        """What says the same already: word for word, in its slot, or as the guards allow.

        Hearsay that repeats the person's own word adds nothing to it; their own word is more than the same as hearsay.
        """
        candidate = self._related.candidates[position]
        slot = [held for held in self._in_slot.get(candidate.slot or "", []) if self._holds(held)]
        for held in slot:
            if (
                held.value == candidate.value
                and held.polarity == candidate.polarity
                and _vouched_alike(held, candidate)
            ):
                return held
        exact = self._by_identity.get((candidate.type.value, self._related.identities[position]))
        if exact is not None and self._holds(exact):
            return exact
        same = (held for held, outcome in near if outcome == "duplicate" and _vouched_alike(held, candidate))
        return next(same, None)

    def _holds(self, held: Statement) -> bool:
        """Whether it is still current at this point of the plan."""
        return held.replaced_by is None if isinstance(held, NewMemory) else held.id not in self._plan.superseded

    def _outdated_by(self, new: NewMemory) -> list[Statement]:
        """What a statement in an exclusive slot replaces.

        A positive one: every other value, and its own denial. A negative one ("no longer lives in Oslo"): the
        same value only, for it does not say what holds instead.
        """
        held = [one for one in self._in_slot.get(new.slot or "", []) if self._holds(one) and _of_one(one, new)]
        if new.polarity == "negative":
            return [one for one in held if one.value == new.value and one.polarity != "negative"]
        return [
            one for one in held if (one.value == new.value) == (one.polarity == "negative") or _by_another(one, new)
        ]

    def _replace(self, held: Statement, new: NewMemory, relation: Relation) -> None:
        """The later told of the two holds, whichever is new: an old conversation read late changes nothing current.

        Unless it is not for who said it to replace the other: then both stand, and the link says that they disagree.
        """
        if not self._holds(held) or held.id == new.id or new.replaced_by is not None:
            return
        late = isinstance(held, ExistingMemory) and held.since > new.since and not _borne_out(held, new)
        if not (may_replace(held, new) if late else may_replace(new, held)):
            relation = "contradicts"
        elif late:
            new.replaced_by = held
        elif isinstance(held, NewMemory):
            held.replaced_by = new
        else:
            self._plan.superseded[held.id] = (held, new)
            self._plan.reinforced.pop(held.id, None)
        self._plan.links.append((new, relation, held.id))

    def _confirm(self, held: Statement, candidate: Candidate) -> None:
        if isinstance(held, NewMemory):
            held.evidence.extend(id_ for id_ in candidate.evidence if id_ not in held.evidence)
        else:
            self._plan.reinforced.setdefault(held.id, (held, []))[1].extend(candidate.evidence)

    def _near(self, position: int) -> list[tuple[Statement, Outcome]]:
        """Neighbours of a candidate and what it is beside them; those it has nothing to do with are left out."""
        neighbours: list[tuple[float, Statement]] = list(self._related.near[position])
        neighbours += [
            (similarity, self._new_at[other])
            for other, similarity in self._similar[position].items()
            if other in self._new_at
        ]
        close = [each for each in neighbours if self._holds(each[1])]
        close.sort(key=lambda each: -each[0])
        judged = [(held, self._judge(position, held, similarity)) for similarity, held in close]
        return [(held, outcome) for held, outcome in judged if outcome is not None and outcome != "different"]

    def _judge(self, position: int, held: Statement, similarity: float) -> Outcome | None:
        candidate = self._related.candidates[position]
        if held.type != candidate.type.value or held.subject != candidate.subject:
            return None
        happens = POLICIES[candidate.type].happens
        if held.hearsay_by and candidate.hearsay_by and held.hearsay_by != candidate.hearsay_by:
            return None
        if may_merge(held.content, candidate.content):
            return "duplicate" if not happens or _same_day(held.at, candidate.occurred_at) else None
        if happens or (held.slot and candidate.slot and held.slot != candidate.slot):
            return None
        if contradicts(held.content, candidate.content):
            return "contradiction"
        if similarity < AMBIGUOUS_FROM or not may_replace(candidate, held):
            return None
        key = held.position if isinstance(held, NewMemory) else held.id
        verdict = self._verdicts.get((position, key))
        if verdict is None:
            self._ask_about(Pair(position, key, held.content, candidate.content))
            return None
        if verdict == "duplicate" and not same_particulars(held.content, candidate.content):
            return None
        return verdict

    def _ask_about(self, pair: Pair) -> None:
        if len(self._plan.undecided) < AMBIGUOUS_PAIRS_MAX and pair not in self._plan.undecided:
            self._plan.undecided.append(pair)


def may_replace(by: Candidate | Statement, statement: Statement) -> bool:
    """Whether a statement may close, confirm or be merged into a memory, by whose word each is (``docs/dreams.md``).

    A person's own word, and what was saved for them: by their own word only. Hearsay: by the person's own word, or by
    whoever said it, unless it has been edited. Anything else: by whatever is not hearsay.
    """
    if by.hearsay_by is not None:
        return by.hearsay_by == statement.hearsay_by and by.subject == statement.subject and not statement.edited
    if statement.hearsay_by is not None:
        return by.word_of is not None and by.subject == statement.subject
    if statement.word_of is None:
        return True
    return by.subject == statement.subject and by.word_of in (statement.word_of, statement.subject)


def _vouched_alike(held: Statement, candidate: Candidate) -> bool:
    """Whether a memory that says the same is the word of whoever said the candidate, or of the person it is about."""
    if held.subject == candidate.subject:
        return held.hearsay_by in (None, candidate.hearsay_by)
    return not (held.word_of or held.hearsay_by or candidate.word_of or candidate.hearsay_by)


def _of_one(held: Statement, new: NewMemory) -> bool:
    """Whether two that fill one slot are about one person or thing: slots fold the case of names, users do not."""
    return held.subject == new.subject or not (held.word_of or held.hearsay_by or new.hearsay_by)


def _by_another(held: Statement, new: NewMemory) -> bool:
    """Whether a person now speaks for themselves where only others had, also before the person was known."""
    return new.word_of is not None and (held.hearsay_by is not None or held.subject != new.subject)


def _borne_out(held: Statement, new: NewMemory) -> bool:
    """Whether a person says what only others had said of them before."""
    if not _by_another(held, new):
        return False
    filled = (held.slot, held.value, held.polarity) == (new.slot, new.value, new.polarity)
    return (filled and held.slot is not None) or may_merge(held.content, new.content)


def _same_day(a: datetime | None, b: datetime | None) -> bool:
    return (a and a.date()) == (b and b.date())
