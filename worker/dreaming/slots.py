"""Slots of statements in the third person: things that have one value at a time, however they are put ("the Apollo
budget", "Apollo's budget", "the budget for Apollo"), and, where the extractor's patterns give none, jobs begun and
left, partners and diets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from service.domain.changed_values import value_of
from service.domain.guards import normalize
from service.extraction.candidates import Candidate, Polarity

_Rule = tuple[re.Pattern[str], str, Polarity, str | None]

_CHARS_MAX = 300
_NAME = r"(?P<value>[A-Z][\w&'’.-]{0,30}(?: [A-Z][\w&'’.-]{0,30}){0,2})"
_JOB = r"(?: (?:a|an|the|their))?(?: new)? (?:job|position|role)"
_COUPLE = r"(?:(?:broke|split) up|separated|got divorced|(?:are|is) (?:no longer|not) (?:together|a couple))"
_PARTNER = r"(?:girlfriend|boyfriend|partner|wife|husband|fianc[eé]e?)"

_OPENING = (
    r"^(?:(?: [a-z]+(?:['’][a-z]+)?,?){0,4}?"
    r"|.{0,80}? (?:and|then|but)(?: (?:they|just|then|now|have|has|recently)){0,3}) "
)
"""What may stand between somebody's name and the verb that says what they do: no other name, unless a clause ends."""
_REPORTED = re.compile(
    r" (?:said|says|thinks?|hopes?|wants?|heard|believes?|knows?|would|might|may|could|should|plans?|if|wish(?:es)?"
    r"|dreams?|whose|asked|sister|brother|mother|father|friend|boss|colleague)\b"
)
_APART = ("separated", "divorced", "single")
_HAS_PARTNER = re.compile(rf"^['’]s (?:new )?{_PARTNER} is (?:now )?(?:called )?{_NAME}")
_HIRED = re.compile(
    r"^(?P<company>[A-Z][\w&'’.-]{0,30}(?: [A-Z][\w&'’.-]{0,30}){0,2}) (?:has |have )?(?:just )?hired"
    r" (?P<person>[A-Z][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30}){0,2}) as (?:an? |the |its |their )?[\w-]"
)
_COUPLE_ENDS = re.compile(rf"^(?P<value>[\w'’.-]{{1,40}}) and (?P<other>[\w'’.-]{{1,40}}) {_COUPLE}\b")


@dataclass(frozen=True, slots=True)
class Filled:
    """Value that a statement gives to a slot of its owner's."""

    slot: str
    value: str
    polarity: Polarity


def _does(pattern: str, slot: str, polarity: Polarity = "positive", value: str | None = None) -> _Rule:
    return re.compile(_OPENING + pattern), slot, polarity, value


_DOES = (
    _does(rf"(?:started|began|accepted|took|got|found|landed|has){_JOB} (?:at|with) {_NAME}", "works_at"),
    _does(rf"started (?:working )?at {_NAME}", "works_at"),
    _does(rf"started working (?:for|with) {_NAME}", "works_at"),
    _does(rf"(?:was|got) hired (?:at|by) {_NAME}", "works_at"),
    _does(rf"joined {_NAME} (?:as an? |full[- ]time)", "works_at"),
    _does(rf"(?:switched|changed) jobs\b[^.]{{0,40}}? (?:to|at|for) {_NAME}", "works_at"),
    _does(rf"(?:left|quit|resigned from|stopped working (?:at|for)|no longer works? (?:at|for)) {_NAME}", "works_at",
          "negative"),
    _does(rf"(?:was|got) (?:laid off|fired|let go) (?:from|by) {_NAME}", "works_at", "negative"),
    _does(r"(?:eats? meat again|started eating meat)\b", "diet", "positive", "eats meat"),
    _does(r"(?:went|turned|became) (?P<value>vegan|vegetarian|pescatarian|keto)\b", "diet"),
    _does(r"(?:stopped being|quit being) (?P<value>vegan|vegetarian|pescatarian)\b", "diet", "negative"),
    _does(r"(?:got|is now|are now) (?P<value>married|divorced|engaged|widowed)\b", "marital_status"),
    _does(rf"(?:(?:broke|split) up with|separated from|is no longer (?:with|dating)) {_NAME}", "partner", "negative"),
    _does(rf"(?:is|are|started) (?:now )?(?:dating|engaged to|married to|together with) {_NAME}", "partner"),
)  # fmt: skip
"""Read after the name of whom a statement is about."""


def filled_by(content: str, owner: str | None) -> Filled | None:
    """Return the slot that a plain statement fills, of what or whom; ``owner``: whom it is about, if anybody."""
    whose = normalize(owner or "")
    given = value_of(content, but=whose)
    if given is not None:
        return Filled(f"{whose}/{given[0]}", given[1], "positive")
    return _of_person(content, owner) or _of_hired(content)


def ended_slot(slot: str | None, value: str | None) -> str | None:
    """Return the slot whose value ends with this statement: who is separated has no partner."""
    owner, _, attribute = (slot or "").rpartition("/")
    return f"{owner}/partner" if attribute == "marital_status" and value in _APART else None


def _of_hired(content: str) -> Filled | None:
    """Return where somebody works of whom a company says that it hired them."""
    hired = _HIRED.match(content) if len(content) <= _CHARS_MAX and "?" not in content else None
    if hired is None:
        return None
    return Filled(f"{normalize(hired['person'])}/works_at", normalize(hired["company"]), "positive")


def _of_person(content: str, owner: str | None) -> Filled | None:
    """Return what a statement that opens with somebody's name says they do, or a couple of which they are one."""
    if not owner or len(content) > _CHARS_MAX or "?" in content:
        return None
    whose = normalize(owner)
    couple = _COUPLE_ENDS.match(content)
    if couple is not None:
        both = [normalize(couple["value"]), normalize(couple["other"])]
        return Filled(f"{whose}/partner", both[both[0] == whose], "negative") if whose in both else None
    if normalize(content[: len(owner)]) != whose:
        return None
    rest = content[len(owner) :]
    partner = _HAS_PARTNER.match(rest)
    if partner is not None:
        return Filled(f"{whose}/partner", normalize(partner["value"]).rstrip("."), "positive")
    if not rest.startswith(" ") or _REPORTED.search(rest):
        return None
    for pattern, slot, polarity, value in _DOES:
        match = pattern.match(rest)
        if match is not None:
            return Filled(f"{whose}/{slot}", value or normalize(match["value"]).rstrip("."), polarity)
    return None


def with_slots(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, with slots for those that have none and fill one."""
    return [_with_slot(candidate) for candidate in candidates]


def _with_slot(candidate: Candidate) -> Candidate:
    filled = filled_by(candidate.content, candidate.subject) if candidate.slot is None else None
    if filled is None:
        return candidate
    return replace(candidate, slot=filled.slot, value=filled.value, polarity=filled.polarity)
