"""All rows, in the order in which they are tried: what fills a slot before what only has a type."""

from __future__ import annotations

import re

from service.domain.word_lists import listed, word_set
from service.extraction.patterns import (
    facts,
    household,
    identity,
    instructions,
    intentions,
    others,
    preferences,
    projects,
)
from service.extraction.patterns.grammar import CAPITALS, PROFESSION
from service.extraction.patterns.instructions import commands
from service.extraction.rows import Row

# A goal such as "I plan to" is not a habit, a negated preference is no preference: the order matters.
_SPEAKER: tuple[Row, ...] = (
    *identity.SPEAKER,
    *household.SPEAKER,
    *facts.SPEAKER,
    *projects.SPEAKER,
    intentions.APPOINTMENT,
    *instructions.SPEAKER,
    *preferences.SPEAKER,
    *intentions.SPEAKER,
)
_CONTRACTED = {
    verb: tuple(row for row in _SPEAKER if f"'{verb}" in row.regex.pattern) for verb in listed("m re ve ll d")
}
"""The rows for "I'm", "we've" and the like: those that spell it so."""
_POSSESSED: tuple[Row, ...] = (
    *identity.OTHER,
    *household.OTHER,
    *projects.OTHER,
    *facts.OTHER,
    *preferences.OTHER,
    *intentions.OTHER,
    *others.ROWS,
)
_COMMANDED: tuple[Row, ...] = (*identity.OTHER, *instructions.OTHER, *intentions.OTHER, *preferences.OTHER)
_NAMED: tuple[Row, ...] = (
    *identity.NAMED,
    *household.NAMED,
    *facts.NAMED,
    *projects.OTHER,
    *facts.OTHER,
    *preferences.OTHER,
    *intentions.OTHER,
    intentions.APPOINTMENT,
    *others.ROWS,
)
_FIRST_WORD = re.compile(r"[\w'-]+")

_DETERMINERS = word_set("my our the his her their your")
FORMER_NOW = re.compile(
    rf"\bused to (?P<verb>live in|work (?:at|for)|work as|be) (?:an? )?(?P<former>[\w'&. -]{{1,40}}?)"
    rf"(?:[,;.]| (?:and|but)| -)+ ?(?:(?:but|and) )?(?:i |i'm |we )?(?:am )?(?:now|currently|these days) "
    rf"(?:i |i'm |i am |we )?(?:live |living |work |working )?(?:(?:in|at|for|as) )?(?:an? )?(?P<value>(?-i:{CAPITALS})"
    rf"|{PROFESSION.replace('?P<value>', '?:')})",
    re.IGNORECASE,
)
FORMER_SLOTS = {"live in": "lives_in", "work at": "works_at", "work for": "works_at", "work as": "job", "be": "job"}
SWITCHED = re.compile(
    r"^(?P<who>i|we)(?:'ve| have|'m| am| are)? (?:just |recently |finally |now |also )*(?:switched|migrated) "
    r"(?:over )?from "
    r"(?P<former>[\w.+#-]{1,25}(?: [\w.+#-]{1,25})?) to (?:using )?(?P<value>[\w.+#-]{1,25}(?: [\w.+#-]{1,25})?)"
    r"(?= for\b| as\b| at\b| last\b| this\b| in\b| on\b|[.,!;]|$)",
    re.IGNORECASE,
)
LEFT_FOR = re.compile(
    rf"^(?:(?:i|we)(?:'ve| have)? )?(?:just |recently |finally )*(?:(?:left|quit|resigned from) (?:my job at )?"
    rf"(?-i:{CAPITALS.replace(',?', '')})|(?:switched|changed|got a new) jobs?)(?:, and|,| and| -)(?: then| now)?"
    r"(?:(?: (?:i'm|i am|we're|i)(?: now)?)?(?: am)?(?: now)? "
    r"(?:(?P<place>settled(?: down)? in|moved to|relocated to|live in|living in)"
    rf"|joined|at|with|started at|work (?:at|for)|working (?:at|for)) (?P<value>(?-i:{CAPITALS}))"
    rf"| (?P<home>(?-i:{CAPITALS})) is (?:now )?(?:my |our )?(?:new )?home)",
    re.IGNORECASE,
)


def rows_for(clause: str) -> tuple[Row, ...]:
    """The rows that a clause may match, by its first word: the speaker, something of theirs, a command, a name."""
    first = _FIRST_WORD.match(clause)
    word = first[0].lower() if first else ""
    subject, _, contracted = word.partition("'")
    if subject in ("i", "we"):
        return _CONTRACTED.get(contracted, _SPEAKER)
    if word in _DETERMINERS:
        return _POSSESSED
    if commands(word):
        return _COMMANDED
    return _NAMED
