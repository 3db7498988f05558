"""Reconcile: what each candidate means beside what is known: new, duplicate, update or contradiction; and what memories
saved since the last dream mean beside each other.

Hashes and slots are exact. Vectors only find neighbours: whether two statements are one is decided by the guards, or,
where they cannot tell, by the language model within what the guards allow. In doubt both are kept.

Which statement may replace, confirm or stand for which memory: ``superseding``. Todos are closed where a statement
reports them as done, and opened again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

from service.domain.changed_values import assignment, changes_value
from service.domain.endings import ends, supplants
from service.domain.guards import Analysis, contradicts, may_merge, normalize, same_particulars
from service.domain.ids import new_id
from service.domain.types import POLICIES, MemoryType
from service.domain.verdicts import ASKED_FROM, Outcome, PairVerdict
from service.extraction.english.completed_todos import Deed, deed_done, deed_due, does
from worker.dreaming.neighbours import ExistingMemory, RelatedMemories
from worker.dreaming.plan import (
    Key,
    NewMemory,
    Pair,
    Plan,
    Reinforcement,
    Relation,
    Replacement,
    Statement,
    StatusChange,
    key_of,
)
from worker.dreaming.slots import ended_slot
from worker.dreaming.superseding import (
    happened,
    in_slot,
    kept_of,
    may_replace,
    may_speak_for,
    order,
    outdates,
    same_in_slot,
    stands_for,
    vouched_alike,
)

AMBIGUOUS_PAIRS_MAX = 40

Verdicts = Mapping[tuple[Key, Key], PairVerdict]
"""The models', by the keys of the newer and the older statement."""

_TELLING = frozenset({MemoryType.EVENT.value, MemoryType.FACT.value, MemoryType.OBSERVATION.value})
_BEFOREHAND = timedelta(days=1)
"""So long before a todo was noted what it asks for may have been done."""
Place = tuple[datetime, int]
"""When something was said, and its place among what was said at that time."""


def reconcile(
    related: RelatedMemories,
    said_at: Mapping[UUID, tuple[datetime, int]],
    verdicts: Verdicts,
    *,
    propose_below: float | None = None,
) -> Plan:
    """Return the plan for these candidates and saved memories, each taken in the order they were said; pure.

    ``said_at`` says when each message was said, and its place among all. Candidates with a confidence less than
    ``propose_below`` come last: unless something says the same they are proposed, and change nothing. So do those that
    are held back, which do not confirm what says the same either.
    """
    return _Planner(related, said_at, verdicts, propose_below or 0.0).plan()


class _Planner:
    """Goes through the memories to be read and the candidates once, keeping what holds at that point."""

    def __init__(
        self,
        related: RelatedMemories,
        said_at: Mapping[UUID, tuple[datetime, int]],
        verdicts: Verdicts,
        propose_below: float,
    ) -> None:
        self._related = related
        self._said_at = said_at
        self._verdicts = verdicts
        self._propose_below = propose_below
        self._similar = related.similar_candidates()
        self._analyse = cache(Analysis)
        self._assignment = cache(assignment)
        self._new_at: dict[int, NewMemory] = {}
        self._plan = Plan(related.embedded, verdicts=verdicts)
        self._by_identity: dict[tuple[str, str], Statement] = {}
        self._in_slot: dict[tuple[UUID, str], list[Statement]] = {}
        self._of_form: dict[tuple[UUID, str], list[ExistingMemory]] = {}
        self._reports: list[Report] = []
        for one in related.existing:
            if one.audience == related.home:
                self._by_identity[one.type, one.identity] = one
            if one.slot:
                self._in_slot.setdefault((one.audience, one.slot), []).append(one)
            if one.form:
                self._of_form.setdefault((one.audience, one.form), []).append(one)

    def plan(self) -> Plan:
        read = [one for one in self._related.existing if one.id in self._related.read]
        for memory in sorted(read, key=_said_last):
            self._review(memory)
        in_order = sorted(range(len(self._related.candidates)), key=self._last_said_at)
        for position in sorted(in_order, key=self._is_unsure):
            self._take(position)
        close_todos(
            self._plan, self._open_todos(), self._reports, asked_at=self._asked_at, may_close=may_speak_for
        )  # fmt: skip
        return self._plan

    def _open_todos(self) -> list[Statement]:
        known = {one.id: one for one in (*self._related.existing, *self._related.todos)}
        todos: list[Statement] = [one for one in known.values() if one.status == "open"]
        todos += (one.known for one in self._plan.statuses.values())
        todos += (new for new in self._plan.new if new.status == "open")
        return [one for one in todos if self._holds(one)]

    def _asked_at(self, todo: Statement) -> Place:
        """Return when a todo was said last."""
        if isinstance(todo, NewMemory):
            return max(self._said_at[id_] for id_ in todo.evidence)
        again = self._plan.reinforced.get(todo.id)
        return max([(todo.said_at, -1), *(self._said_at[id_] for id_ in (again.evidence if again else ()))])

    def _last_said_at(self, position: int) -> tuple[datetime, int]:
        return max(self._said_at[id_] for id_ in self._related.candidates[position].evidence)

    def _is_unsure(self, position: int) -> bool:
        candidate = self._related.candidates[position]
        return candidate.held is not None or candidate.confidence < self._propose_below

    def _review(self, memory: ExistingMemory) -> None:
        """Compare a memory that somebody saved with those around it, its own audience's."""
        self._reports.append(Report(memory, (memory.said_at, 0), memory))
        around: dict[UUID, tuple[float, ExistingMemory]] = {
            one.id: (1.0, one)
            for group in (
                self._in_slot.get((memory.audience, memory.slot or ""), []),
                self._of_form.get((memory.audience, memory.form or ""), []),
            )
            for one in group
            if isinstance(one, ExistingMemory)
        }
        for similarity, other in self._related.around.get(memory.id, ()):
            around.setdefault(other.id, (similarity, other))
        for similarity, other in sorted(around.values(), key=lambda each: (-each[0], each[1].id)):
            if not self._holds(memory):
                return
            if other.id != memory.id and self._holds(other):
                older, newer = sorted((memory, other), key=_said_last)
                self._settle(older, newer, similarity)

    def _settle(self, older: ExistingMemory, newer: ExistingMemory, similarity: float) -> None:
        """Merge two memories, or let the newer replace the older, or leave both."""
        slot = in_slot(older, newer)
        outcome = slot if slot == "update" else self._judge(newer, older, similarity)
        if outcome == "duplicate":
            if not vouched_alike(older, newer) or not vouched_alike(newer, older):
                if may_replace(newer, older):
                    self._close(older, newer)
                return
            chosen = kept_of(older, newer)
            if chosen is not None and may_replace(*chosen):
                self._merge(*chosen)
        elif outcome in ("update", "contradiction"):
            relation: Relation = "updates" if outcome == "update" else "contradicts"
            if may_replace(newer, older):
                self._close(older, newer)
            else:
                relation = "contradicts"
            self._plan.links.append((newer, relation, older.id))

    def _close(self, held: ExistingMemory, by: Statement, *, same: bool = False) -> Reinforcement | None:
        """Mark a memory as replaced. Return the reinforcement that it was to have, if any."""
        self._plan.superseded[held.id] = Replacement(held, by, same)
        return self._plan.reinforced.pop(held.id, None)

    def _merge(self, kept: ExistingMemory, merged: ExistingMemory) -> None:
        before = self._close(merged, kept, same=True)
        again = self._plan.reinforced.setdefault(kept.id, Reinforcement(kept))
        again.merged.append(merged)
        if before is not None:
            again.merged += before.merged

    def _take(self, position: int) -> None:
        candidate = self._related.candidates[position]
        new = NewMemory(
            new_id(), self._related.home, position, candidate, list(candidate.evidence),
            self._related.identities[position], self._last_said_at(position)[0],
        )  # fmt: skip
        same, near = self._same_exactly(new), list[tuple[Statement, Outcome]]()
        if same is None:
            undecided = len(self._plan.undecided)
            near = self._near(new)
            alike = (held for held, outcome in near if outcome == "duplicate" and stands_for(held, candidate))
            same = next(alike, None)
            if same is not None:
                del self._plan.undecided[undecided:]
        if self._is_unsure(position) and (same is None or candidate.held):
            self._plan.proposed += [new] if same is None else []
            return
        self._reports.append(Report(new, self._last_said_at(position), same or new))
        if same is not None:
            if may_speak_for(candidate, same):
                self._confirm(same, new)
            return
        for held in (*self._outdated_by(new), *self._ended_by(new)):
            self._replace(held, new, "updates")
        for held, outcome in near:
            if outcome in ("contradiction", "update") or not stands_for(held, candidate):
                self._replace(held, new, "contradicts" if outcome == "contradiction" else "updates")
        self._plan.new.append(new)
        self._new_at[position] = new
        if new.replaced_by is None:
            self._by_identity[new.type, new.identity] = new
            if new.slot:
                self._in_slot.setdefault((new.audience, new.slot), []).append(new)

    def _same_exactly(self, new: NewMemory) -> Statement | None:
        """Return what says the same already, word for word or in its slot.

        Hearsay that repeats the person's own word adds nothing to it; their own word is more than the same as hearsay.
        """
        for held in self._in_slot.get((new.audience, new.slot or ""), []):
            if self._holds(held) and same_in_slot(held, new):
                return held
        exact = self._by_identity.get((new.type, new.identity))
        return exact if exact is not None and self._holds(exact) else None

    def _holds(self, held: Statement) -> bool:
        """Return whether it is still current at this point of the plan."""
        return held.replaced_by is None if isinstance(held, NewMemory) else held.id not in self._plan.superseded

    def _outdated_by(self, new: NewMemory) -> list[Statement]:
        """Return what a statement in an exclusive slot replaces, and what it ends in another ("is single again")."""
        filled = self._in_slot.get((new.audience, new.slot or ""), [])
        outdated = [one for one in filled if self._holds(one) and outdates(new, one)]
        if new.polarity == "negative":
            return outdated
        ended = self._in_slot.get((new.audience, ended_slot(new.slot, new.value) or ""), [])
        return [
            one
            for one in ended
            if self._holds(one) and one.subject == new.subject and not happened(one) and _names_nobody_else(new, one)
        ] + outdated

    def _ended_by(self, new: NewMemory) -> list[Statement]:
        """Return what a statement says is over, in whatever words it was said."""
        over = self._related.endings.get(new.position)
        if over is None:
            return []
        known: list[Statement] = [*self._related.existing, *self._plan.new]
        return [
            one
            for one in known
            if self._holds(one) and one.subject == new.subject and one.audience == new.audience
            and one.polarity == "positive" and not happened(one)
            and (ends(over, one.content) or (one.type == new.type and self._has_another_value(new, one)))
        ]  # fmt: skip

    def _has_another_value(self, new: NewMemory, held: Statement) -> bool:
        return supplants(new.content, held.content) or changes_value(held.content, new.content, self._assignment)

    def _replace(self, held: Statement, new: NewMemory, relation: Relation) -> None:
        """Let the later of the two hold; where it may not replace the earlier, both stand, and the link says that they
        disagree."""
        if not self._holds(held) or held.id == new.id or new.replaced_by is not None:
            return
        later, earlier = order(held, new)
        if not may_replace(later, earlier):
            relation = "contradicts"
        elif isinstance(earlier, NewMemory):
            earlier.replaced_by = later
        else:
            self._close(earlier, later)
        self._plan.links.append((new, relation, held.id))

    def _confirm(self, held: Statement, new: NewMemory) -> None:
        if isinstance(held, NewMemory):
            held.evidence.extend(id_ for id_ in new.evidence if id_ not in held.evidence)
        else:
            again = self._plan.reinforced.setdefault(held.id, Reinforcement(held))
            again.evidence.extend(new.evidence)
            again.said.append(new)
            open_again(self._plan, held)

    def _near(self, new: NewMemory) -> list[tuple[Statement, Outcome]]:
        """Return neighbours of a candidate and what it is beside them; those it has nothing to do with are left out."""
        neighbours: list[tuple[float, Statement]] = list(self._related.near[new.position])
        neighbours += [
            (similarity, self._new_at[other])
            for other, similarity in self._similar[new.position].items()
            if other in self._new_at
        ]
        close = [each for each in neighbours if self._holds(each[1])]
        close.sort(key=lambda each: -each[0])
        judged = [(held, self._judge(new, held, similarity)) for similarity, held in close]
        return [(held, outcome) for held, outcome in judged if outcome is not None and outcome != "different"]

    def _judge(self, newer: Statement, older: Statement, similarity: float) -> Outcome | None:
        """Return what a statement is beside an older one, by the guards; None where it is nothing, or nobody can
        tell."""
        if older.type != newer.type or older.subject != newer.subject:
            return None
        happens = POLICIES[MemoryType(newer.policy_type)].happens
        if older.hearsay_by and newer.hearsay_by and older.hearsay_by != newer.hearsay_by:
            return None
        if may_merge(older.content, newer.content, self._analyse):
            return "duplicate" if not happens or _same_day(older.at, newer.at) else None
        if happens or (older.slot and newer.slot and older.slot != newer.slot):
            return None
        if contradicts(older.content, newer.content, self._analyse):
            return "contradiction"
        if changes_value(older.content, newer.content, self._assignment):
            return "update"
        if similarity < ASKED_FROM or not may_speak_for(newer, older):
            return None
        judged = self._verdicts.get((key_of(newer), key_of(older)))
        if judged is None:
            self._ask_about(Pair(key_of(newer), key_of(older), older.content, newer.content))
            return None
        verdict = judged.outcome
        if verdict == "duplicate" and not same_particulars(older.content, newer.content, self._analyse):
            return None
        return verdict

    def _ask_about(self, pair: Pair) -> None:
        if len(self._plan.undecided) < AMBIGUOUS_PAIRS_MAX and pair not in self._plan.undecided:
            self._plan.undecided.append(pair)


def _names_nobody_else(new: NewMemory, held: Statement) -> bool:
    """Return whether a statement that somebody is alone again is of the person it was before, or names none."""
    people = [mention for mention in new.candidate.mentions if mention.kind == "person"]
    return not people or (held.value or "") in normalize(new.content)


def _said_last(memory: ExistingMemory) -> tuple[datetime, UUID]:
    return memory.said_at, memory.id


def _same_day(a: datetime | None, b: datetime | None) -> bool:
    return (a and a.date()) == (b and b.date())


@dataclass(frozen=True, slots=True)
class Report:
    """A statement that may report something as done, and the memory that ``keeps`` it."""

    said: Statement
    at: Place
    keeps: Statement


def close_todos(
    plan: Plan,
    todos: Iterable[Statement],
    reports: Sequence[Report],
    *,
    asked_at: Callable[[Statement], Place],
    may_close: Callable[[Statement, Statement], bool],
) -> None:
    """Close the open ``todos`` that one of ``reports`` says are done, by whoever may say so. ``asked_at``: when a todo
    was said last."""
    due: dict[tuple[frozenset[str], tuple[str, ...]], list[tuple[Deed, Statement]]] = defaultdict(list)
    for todo in todos:
        deed = deed_due(todo.content, todo.subject)
        if deed is not None:
            due[deed.verb, deed.words].append((deed, todo))
    if not due:
        return
    for report in reports:
        said = report.said
        if said.type not in _TELLING or said.polarity == "negative":
            continue
        done = deed_done(said.content, said.subject)
        if done is None:
            continue
        for deed, todo in due.get((done.verb, done.words), ()):
            fits = todo.audience == said.audience and does(done, deed) and may_close(said, todo)
            if fits and _followed(asked_at(todo), report):
                _close(plan, todo, report)


def open_again(plan: Plan, todo: Statement) -> None:
    """Reopen a todo that was done and is said again: it is to be done once more."""
    if not isinstance(todo, NewMemory) and todo.status == "done":
        plan.statuses[todo.id] = StatusChange(todo, "open", "said again")


def _close(plan: Plan, todo: Statement, report: Report) -> None:
    if isinstance(todo, NewMemory):
        todo.done = True
    elif todo.status == "done":
        plan.statuses.pop(todo.id, None)
    else:
        plan.statuses[todo.id] = StatusChange(todo, "done", "said to be done")
    plan.links.append((report.keeps, "updates", todo.id))


def _followed(asked_at: Place, report: Report) -> bool:
    happened = report.said.at
    return report.at > asked_at and (happened is None or happened >= asked_at[0] - _BEFOREHAND)
