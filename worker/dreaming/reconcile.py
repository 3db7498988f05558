"""Reconcile: what each candidate means beside what is known: new, duplicate, update or contradiction (row D4).

Hashes and slots are exact. Vectors only find neighbours: whether two statements are one is decided by the guards, or,
where they cannot tell, by the language model within what the guards allow. In doubt both are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from service.domain.guards import contradicts, may_merge, same_particulars
from service.domain.ids import new_id
from service.domain.types import POLICIES
from service.store.vectors import Embedded
from worker.dreaming.candidates import Candidate
from worker.dreaming.known import Known, Surroundings

AMBIGUOUS_FROM = 0.8
"""From this similarity on, two statements the guards cannot tell apart are shown to the language model."""
AMBIGUOUS_PAIRS_MAX = 40

Outcome = Literal["duplicate", "update", "contradiction", "different"]
Relation = Literal["updates", "contradicts"]


@dataclass(slots=True)
class NewMemory:
    """A memory to be written. ``position`` is its candidate's; ``replaced_by`` what supersedes it from the start."""

    id: UUID
    position: int
    candidate: Candidate
    evidence: list[UUID]
    identity: str
    since: datetime
    replaced_by: Held | None = None

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


Held = Known | NewMemory


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

    embedded: Embedded
    new: list[NewMemory] = field(default_factory=list)
    reinforced: dict[UUID, tuple[Known, list[UUID]]] = field(default_factory=dict)
    superseded: dict[UUID, tuple[Known, NewMemory]] = field(default_factory=dict)
    links: list[tuple[NewMemory, Relation, UUID]] = field(default_factory=list)
    undecided: list[Pair] = field(default_factory=list)

    def known(self) -> list[Known]:
        """Every memory the plan touches."""
        return [known for known, _ in [*self.reinforced.values(), *self.superseded.values()]]


def reconcile(
    around: Surroundings, told: Mapping[UUID, tuple[datetime, int]], verdicts: Mapping[tuple[int, UUID | int], Outcome]
) -> Plan:
    """The plan for these candidates, taken in the order they were said; pure.

    ``told`` says when each message was said, and its place among all. ``verdicts`` are the language model's, by
    candidate and what it was compared with: a memory's id, or an earlier candidate's position.
    """
    return _Planner(around, told, verdicts).plan()


class _Planner:
    """Goes through the candidates once, keeping what holds at that point."""

    def __init__(
        self,
        around: Surroundings,
        told: Mapping[UUID, tuple[datetime, int]],
        verdicts: Mapping[tuple[int, UUID | int], Outcome],
    ) -> None:
        self._around = around
        self._told = told
        self._verdicts = verdicts
        self._similar = around.similar_candidates()
        self._new_at: dict[int, NewMemory] = {}
        self._plan = Plan(around.embedded)
        self._by_identity: dict[tuple[str, str], Held] = {(one.type, one.identity): one for one in around.known}
        self._in_slot: dict[str, list[Held]] = {}
        for one in around.known:
            if one.slot:
                self._in_slot.setdefault(one.slot, []).append(one)

    def plan(self) -> Plan:
        for position in sorted(range(len(self._around.candidates)), key=self._last_told):
            self._take(position)
        return self._plan

    def _last_told(self, position: int) -> tuple[datetime, int]:
        return max(self._told[id_] for id_ in self._around.candidates[position].evidence)

    def _take(self, position: int) -> None:
        candidate = self._around.candidates[position]
        near = self._near(position)
        same = self._same(position, near)
        if same is not None:
            self._confirm(same, candidate)
            return
        new = NewMemory(
            new_id(), position, candidate, list(candidate.evidence), self._around.identities[position],
            self._last_told(position)[0],
        )  # fmt: skip
        for held in self._outdated_by(new):
            self._replace(held, new, "updates")
        for held, outcome in near:
            if outcome in ("contradiction", "update"):
                self._replace(held, new, "contradicts" if outcome == "contradiction" else "updates")
        self._plan.new.append(new)
        self._new_at[position] = new
        if new.replaced_by is None:
            self._by_identity[new.type, new.identity] = new
            if new.slot:
                self._in_slot.setdefault(new.slot, []).append(new)

    def _same(self, position: int, near: Sequence[tuple[Held, Outcome]]) -> Held | None:
        """What says the same already: word for word, in its slot, or as the guards allow."""
        candidate = self._around.candidates[position]
        slot = [held for held in self._in_slot.get(candidate.slot or "", []) if self._holds(held)]
        for held in slot:
            if held.value == candidate.value and held.polarity == candidate.polarity:
                return held
        exact = self._by_identity.get((candidate.type.value, self._around.identities[position]))
        if exact is not None and self._holds(exact):
            return exact
        return next((held for held, outcome in near if outcome == "duplicate"), None)

    def _holds(self, held: Held) -> bool:
        """Whether it is still current at this point of the plan."""
        return held.replaced_by is None if isinstance(held, NewMemory) else held.id not in self._plan.superseded

    def _outdated_by(self, new: NewMemory) -> list[Held]:
        """What a statement in an exclusive slot replaces.

        A positive one: every other value, and its own denial. A negative one ("no longer lives in Oslo"): the
        same value only, for it does not say what holds instead.
        """
        held = [one for one in self._in_slot.get(new.slot or "", []) if self._holds(one)]
        if new.polarity == "negative":
            return [one for one in held if one.value == new.value and one.polarity != "negative"]
        return [one for one in held if (one.value == new.value) == (one.polarity == "negative")]

    def _replace(self, held: Held, new: NewMemory, relation: Relation) -> None:
        """The later told of the two holds, whichever is new: an old conversation read late changes nothing current."""
        if not self._holds(held) or held.id == new.id or new.replaced_by is not None:
            return
        if isinstance(held, Known) and held.since > new.since:
            new.replaced_by = held
        elif isinstance(held, NewMemory):
            held.replaced_by = new
        else:
            self._plan.superseded[held.id] = (held, new)
            self._plan.reinforced.pop(held.id, None)
        self._plan.links.append((new, relation, held.id))

    def _confirm(self, held: Held, candidate: Candidate) -> None:
        if isinstance(held, NewMemory):
            held.evidence.extend(id_ for id_ in candidate.evidence if id_ not in held.evidence)
        else:
            self._plan.reinforced.setdefault(held.id, (held, []))[1].extend(candidate.evidence)

    def _near(self, position: int) -> list[tuple[Held, Outcome]]:
        """Neighbours of a candidate and what it is beside them; those it has nothing to do with are left out."""
        neighbours: list[tuple[float, Held]] = list(self._around.near[position])
        neighbours += [
            (similarity, self._new_at[other])
            for other, similarity in self._similar[position].items()
            if other in self._new_at
        ]
        close = [each for each in neighbours if self._holds(each[1])]
        close.sort(key=lambda each: -each[0])
        judged = [(held, self._judge(position, held, similarity)) for similarity, held in close]
        return [(held, outcome) for held, outcome in judged if outcome is not None and outcome != "different"]

    def _judge(self, position: int, held: Held, similarity: float) -> Outcome | None:
        candidate = self._around.candidates[position]
        if held.type != candidate.type.value or held.subject != candidate.subject:
            return None
        happens = POLICIES[candidate.type].happens
        if may_merge(held.content, candidate.content):
            return "duplicate" if not happens or _same_day(held.at, candidate.occurred_at) else None
        if happens or (held.slot and candidate.slot and held.slot != candidate.slot):
            return None
        if contradicts(held.content, candidate.content):
            return "contradiction"
        if similarity < AMBIGUOUS_FROM:
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


def _same_day(a: datetime | None, b: datetime | None) -> bool:
    return (a and a.date()) == (b and b.date())
