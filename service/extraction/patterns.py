"""Patterns of statements: one phrasing each, and what it states, with the weight that this has in any language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from service.domain.types import MemoryType
from service.extraction.candidates import Polarity


@dataclass(frozen=True, slots=True)
class Pattern:
    """One phrasing, matched at the start of a clause without regard to case.

    ``slot`` may hold ``{attribute}``, the group of that name. With ``several`` there is one slot per value, holding a
    polarity; otherwise one slot holding a value. ``fills`` is the value where the row says it itself ("we broke up"
    fills ``single``). ``grounded`` is False where a date in the text recurs (a birthday) and must stay as said.
    ``to_assistant`` rows tell the assistant something: among several persons they mean somebody else.

    The rest is read in other languages than English. ``negated``: the pattern holds its negation itself. Any other
    negation denies the value of a ``deniable`` row; in a clause of another row with a slot it states nothing.
    ``entity`` is the kind of what fills the slot. ``past``: a date in the clause lies behind the speaker, otherwise
    ahead. ``dated``: only with a date. ``news``: how many words that carry news, a date among them, the clause needs.
    ``instructs``: kept in the speaker's words, as what they want of the assistant.
    """

    type: MemoryType
    slot: str | None = None
    importance: float = 0.6
    several: bool = False
    grounded: bool = True
    entity: str | None = None
    polarity: Polarity = "positive"
    fills: str | None = None
    to_assistant: bool = False
    negated: bool = False
    deniable: bool = False
    past: bool = False
    dated: bool = False
    news: int = 0
    instructs: bool = False
    regex: re.Pattern[str] = re.compile("")


_IDENTITY, _FACT, _PREFERENCE = MemoryType.IDENTITY, MemoryType.FACT, MemoryType.PREFERENCE
STATED: Final[Mapping[str, Pattern]] = {
    "name": Pattern(_IDENTITY, "name", 0.9, entity="person"),
    "pronouns": Pattern(_IDENTITY, "pronouns", 0.9),
    "birthday": Pattern(_IDENTITY, "birthday", 0.85, grounded=False),
    "age": Pattern(_IDENTITY, "age", 0.8, grounded=False),
    "from": Pattern(_IDENTITY, "from", 0.8, entity="place"),
    "born_in": Pattern(_IDENTITY, "born_in", 0.8),
    "grew_up_in": Pattern(_IDENTITY, "grew_up_in", 0.8),
    "allergic_to": Pattern(_IDENTITY, "allergic_to", 0.9, several=True),
    "diet": Pattern(_IDENTITY, "diet", 0.85),
    "marital_status": Pattern(_IDENTITY, "marital_status", 0.8),
    "job": Pattern(_IDENTITY, "job", 0.8),
    "native_language": Pattern(_IDENTITY, "native_language", 0.8),
    "speaks": Pattern(_IDENTITY, "speaks", 0.75, several=True),
    "time_zone": Pattern(_IDENTITY, "time_zone", 0.8),
    "named": Pattern(_IDENTITY, "named", 0.8, several=True, entity="person"),
    "identity": Pattern(_IDENTITY, importance=0.8),
    "animal named": Pattern(_FACT, "named", several=True),
    "lives_in": Pattern(_FACT, "lives_in", 0.75, entity="place"),
    "lives_in of another": Pattern(_FACT, "lives_in", entity="place", deniable=True),
    "moved to": Pattern(_FACT, "lives_in", 0.75, entity="place", past=True),
    "moved to of another": Pattern(_FACT, "lives_in", entity="place", past=True),
    "works_at": Pattern(_FACT, "works_at", 0.75, entity="company"),
    "works_at of another": Pattern(_FACT, "works_at", entity="company", deniable=True),
    "joined": Pattern(_FACT, "works_at", 0.7, entity="company", past=True),
    "left": Pattern(_FACT, "works_at", 0.7, entity="company", polarity="negative", past=True),
    "studies_at": Pattern(_FACT, "studies_at", 0.7),
    "job of another": Pattern(_FACT, "job"),
    "attribute": Pattern(_FACT, "{attribute}"),
    "version": Pattern(_FACT, "{attribute} version"),
    "event date": Pattern(_FACT, "{event} date", 0.65),
    "event time": Pattern(_FACT, "{event} time", 0.65),
    "abstains": Pattern(_FACT, "does", 0.65, several=True, polarity="negative"),
    "habit": Pattern(_FACT, importance=0.5, grounded=False, news=1),
    "fact": Pattern(_FACT),
    "likes": Pattern(_PREFERENCE, "likes", 0.65, several=True),
    "prefers": Pattern(_PREFERENCE, "prefers", 0.7),
    "favorite": Pattern(_PREFERENCE, "favorite {attribute}", 0.7),
    "instruction": Pattern(_PREFERENCE, importance=0.7),
    "decision": Pattern(MemoryType.DECISION, importance=0.75),
    "choice": Pattern(MemoryType.DECISION, importance=0.7),
    "todo": Pattern(MemoryType.TODO, importance=0.65),
    "reminder": Pattern(MemoryType.TODO, importance=0.7, instructs=True),
    "goal": Pattern(MemoryType.GOAL),
    "aim": Pattern(MemoryType.GOAL, importance=0.7),
    "event": Pattern(MemoryType.EVENT, dated=True, news=1),
    "past event": Pattern(MemoryType.EVENT, importance=0.5, past=True, news=2),
}
"""What a row may state, by name, as most rows of all languages state it."""


def any_case(regex: str) -> re.Pattern[str]:
    """Compile a pattern that matches in either case."""
    return re.compile(regex, re.IGNORECASE)


def stating(what: str, regex: re.Pattern[str], **otherwise: Any) -> Pattern:
    """Return the row of this pattern that states something of ``STATED``, with the fields in which it differs from
    most."""
    return replace(STATED[what], regex=regex, **otherwise)
