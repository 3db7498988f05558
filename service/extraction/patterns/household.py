"""Relatives and animals of the speaker, by name.

``kin`` says whose name it is, and the slot is theirs: several sisters are several values.
"""

from __future__ import annotations

from service.domain.types import MemoryType
from service.extraction.patterns.grammar import NAME, row
from service.extraction.rows import Row

_KIN = (
    r"(?P<kin>(?:step|grand|god)?(?:sister|brother|daughter|son|mother|father)(?:-in-law)?|wife|husband|m[uo]m|dad"
    r"|partner|girlfriend|boyfriend|fianc[eé]e?|grandma|grandpa|aunt|uncle|cousin|niece|nephew|dog|cat|parrot|hamster"
    r"|rabbit|horse|puppy|kitten|budgie|turtle|goldfish)"
)
_OLDER = r"(?:(?:little|big|older|younger|elder|oldest|youngest|new|old|twin|baby|late|first|second) ){0,2}"


def _named(regex: str, type_: MemoryType = MemoryType.FACT) -> Row:
    return row("named", regex, type=type_, importance=0.65)


_CALLED = rf"(?: an?| one| another)? {_OLDER}{_KIN}(?:,? (?:named|called|whose name is)|,) {NAME}"

SPEAKER: tuple[Row, ...] = (
    _named(rf"^(?:i|we)(?: have|'ve)(?: got)?{_CALLED}"),
    _named(rf"^(?:i|we)(?:'ve| have)? (?:just )?(?:got|adopted){_CALLED}", MemoryType.EVENT),
)
OTHER: tuple[Row, ...] = (
    _named(rf"^(?:my|our) {_OLDER}{_KIN}(?:['’]s name is| is (?:named|called)|['’]s (?:named|called)) {NAME}"),
)
NAMED: tuple[Row, ...] = (
    _named(rf"^(?!(?:it|this|that|he|she|here|there|who|what|which) ){NAME} is (?:my|our) {_OLDER}{_KIN}\b(?!['’]s)"),
)
