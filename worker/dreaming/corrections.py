"""Corrections that do not say of what: "Correction: the budget is 60000", where Apollo's budget was spoken of before.

Such a statement fills the slot of the one thing of which that attribute is known: within its conversation, else among
all that the agent knows. Where there are several, or it says nothing of a change, it is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from service.domain.guards import normalize
from service.extraction.candidates import Candidate
from service.extraction.english.entities import mentions
from worker.dreaming.gather import Batch
from worker.dreaming.readings import Reading

_ANNOUNCED = re.compile(
    r"\b(?:correction|update|edit|actually|sorry|scratch that|i meant?|make that|no|wait)[ ,:;.!–-]{1,4}$"
)
_CHANGED = re.compile(
    r"(?:(?:is|are) (?:now|actually)|(?:has |have |was |were |got |been |now |just ){0,4}(?:went|goes|rose|fell|dropped"
    r"|grew|moved|changed|raised|increased|lowered|reduced|cut|decreased|postponed|rescheduled|updated|pushed"
    r"|bumped))\b"
)
_HEAD = re.compile(r"(?P<head>.{1,80}?) (?:is|are|was|were|has|have|will|went|rose|fell|moved|changed|got|costs?)\b")
_REACH = 60
_KNOWN_BEFORE = -1_000_000


@dataclass(frozen=True, slots=True)
class Fact:
    """A known attribute of something. ``place`` among what the dream reads, of which saved
    memories come first; less than all of them where it was known before. ``personal``: of the person whose
    memory it is."""

    slot: str
    value: str
    content: str
    audience: UUID
    sessions: frozenset[UUID]
    place: int
    personal: bool

    @property
    def attribute(self) -> str:
        return self.slot.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class StoredFact:
    """What a memory says of an attribute, and the sessions it was said in."""

    content: str
    audience: UUID
    user_name: str | None
    slot: str
    value: str
    sessions: list[UUID]


class Corrections:
    """The corrections of a batch that do not say of what."""

    def __init__(self, batch: Batch, home: UUID, candidates: Sequence[Candidate], readings: Sequence[Reading]) -> None:
        self._batch, self._home = batch, home
        self._candidates, self._readings = candidates, readings
        self._place = {turn.id: at for at, turn in enumerate(batch.turns)}
        said, saved = dict(self._facts_said()), dict(self._facts_saved())
        self._said = {
            at: replace(one, sessions=frozenset({batch.session_of[batch.turns[one.place].id]}))
            for at, one in said.items()
            if _is_correction(one, batch.turns[one.place].content)
        }
        self._saved = {at: one for at, one in saved.items() if _is_correction(one, one.content)}
        self._facts = [one for at, one in saved.items() if at not in self._saved]
        self._facts += [one for at, one in said.items() if at not in self._said]

    @property
    def attributes(self) -> list[str]:
        """Return the attribute kinds named in the corrections."""
        return sorted({one.attribute for one in (*self._said.values(), *self._saved.values())})

    @property
    def audiences(self) -> list[UUID]:
        """Return among what is known to whom it is to be looked for."""
        return sorted({one.audience for one in (*self._said.values(), *self._saved.values())})

    def settled(self, stored: Iterable[StoredFact]) -> tuple[list[Candidate], list[Reading]]:
        """Return the candidates and readings, those of which it is clear what they correct with its slot. ``stored``:
        what is known of such attributes."""
        known = [*map(_known, stored), *self._facts]
        candidates, readings = list(self._candidates), list(self._readings)
        for at, one in self._said.items():
            fact = _corrected(one, [fact for fact in known if fact.place < one.place])
            if fact is not None:
                candidates[at] = _of(fact, candidates[at])
        for at, one in self._saved.items():
            fact = _corrected(one, [fact for fact in known if fact.place < one.place])
            if fact is not None:
                readings[at] = replace(readings[at], slot=fact.slot)
        return candidates, readings

    def _facts_said(self) -> Iterator[tuple[int, Fact]]:
        for at, one in enumerate(self._candidates):
            if one.slot and one.value and one.polarity == "positive":
                sessions = frozenset(self._batch.session_of[id_] for id_ in one.evidence)
                place, own = self._place[one.evidence[0]], _is_of(one.subject, one.slot)
                yield at, Fact(one.slot, one.value, one.content, self._home, sessions, place, own)

    def _facts_saved(self) -> Iterator[tuple[int, Fact]]:
        for at, one in enumerate(self._readings):
            if one.slot and one.value and one.polarity == "positive":
                memory, place = one.memory, at - len(self._readings)
                own = _is_of(memory.user_name, one.slot)
                yield at, Fact(one.slot, one.value, memory.content, memory.audience, frozenset(), place, own)


def _known(stored: StoredFact) -> Fact:
    own = _is_of(stored.user_name, stored.slot)
    return Fact(
        stored.slot, stored.value, stored.content, stored.audience, frozenset(stored.sessions), _KNOWN_BEFORE, own
    )


def _is_of(person: str | None, slot: str) -> bool:
    return slot.rpartition("/")[0] == normalize(person or "")


def _is_anonymous(content: str, slot: str) -> bool:
    """Return whether a statement names the attribute that it sets and nothing whose it is."""
    return f"the {slot.rpartition('/')[2]} " in normalize(content[:_REACH])


def _is_correction(one: Fact, text: str) -> bool:
    """Return whether a statement of an attribute does not name whose, and a text says that it is other than was
    said."""
    return _is_anonymous(one.content, one.slot) and _corrects(text, one.attribute)


def _corrects(text: str, attribute: str) -> bool:
    """Return whether a text says of an attribute that it is other than was said."""
    folded = normalize(text)
    before, named, after = folded.partition(f"the {attribute} ")
    return bool(named) and bool(_ANNOUNCED.search(before[-_REACH:]) or _CHANGED.match(after[:_REACH]))


def _corrected(one: Fact, known: Sequence[Fact]) -> Fact | None:
    """Return the one thing that a correction may be about; None where there is none, or several."""
    fits = [fact for fact in known if fact.audience == one.audience and fact.attribute == one.attribute]
    if any(fact.slot == one.slot for fact in fits):
        return None
    fits = [fact for fact in fits if not fact.personal]
    near = [fact for fact in fits if one.sessions & fact.sessions] or fits
    alike = [fact for fact in near if _has_figures(fact.value) == _has_figures(one.value)]
    return alike[-1] if len({fact.slot for fact in near}) == 1 and alike else None


def _has_figures(value: str) -> bool:
    return any(char.isdigit() for char in value)


def _of(fact: Fact, correction: Candidate) -> Candidate:
    """Return a correction that says of what it is, in the words of what it corrects."""
    head = _HEAD.match(fact.content)
    start = len(f"the {fact.attribute}")
    content = correction.content if head is None else f"{head['head']}{correction.content[start:]}"
    named = mentions(content, (), correction.subject)
    return replace(correction, slot=fact.slot, content=content, mentions=named or correction.mentions)
