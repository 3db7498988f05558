"""Whether a statement gives something another value than an earlier one did: "the budget is 50000", "… is now 60000".

Only where the same thing is spoken of in the same words, the two values are of one kind (a figure, a date, a name), and
either the later statement says that it is a change or the thing has one value at a time by its nature (a budget).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from service.domain.guards import normalize
from service.domain.restated_values import restated
from service.domain.word_lists import word_set

_TEXT_MAX = 300
_WORDS_MAX = 8
_WORD = re.compile(r"[^\W_]+(?:['’._/:@+#%-][^\W_]+)*|[$€£]")
_CAPITALISED = re.compile(r"(?<=[^\s.!?:] )[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_LEAD = re.compile(
    r"^(?:correction|update|actually|as of (?:now|today)|from now on|note|fyi)\s?[:,–-]\s", re.IGNORECASE
)


_STATES = word_set("is are was were has have been be being will got costs remains")
_MOVES = word_set("""
    moved changed switched increased decreased raised lowered reduced cut postponed rescheduled updated pushed
    shifted grew rose fell dropped slipped went up down""")
_MARKS = word_set("now currently instead actually henceforth")
_IGNORED = word_set("the a an new current updated our my final latest $ € £")
_BEFORE_VALUE = word_set("on at in by to for")
_DATES = word_set("""
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow noon midnight""")
_ONE_VALUE = word_set("""
    budget deadline price cost rent salary password port version owner address email timezone venue codename target
    limit quota headcount headquarters capital birthday age status priority lead manager ceo cto cfo hostname url
    region fee rate discount goal score height weight size capacity due-date boss supervisor landlord""")
_SCHEDULED = word_set("""
    meeting appointment kickoff launch release demo review flight interview call standup party wedding conference
    exam delivery workshop webinar surgery visit presentation offsite retreat deployment migration go-live""")


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a statement gives which value; ``marked``: it says that this is a change."""

    subject: tuple[str, ...]
    value: tuple[str, ...]
    kind: str
    marked: bool


def assignment(text: str) -> Assignment | None:
    """What a plain statement says of what; None for any other."""
    if len(text) > _TEXT_MAX:
        return None
    body = _LEAD.sub("", text.strip())
    corrected = body != text.strip()
    body = restated(body)
    words = [word.removesuffix("'s") for word in _WORD.findall(normalize(body).replace("’", "'"))]
    at = next((n for n, word in enumerate(words) if word in _STATES or word in _MOVES), 0)
    subject = _named_first(tuple(word for word in words[:at] if word not in _IGNORED | _MARKS))
    if not 0 < len(subject) <= _WORDS_MAX:
        return None
    marked = corrected or bool(_MARKS & set(words[:at]))
    end = at
    while end < len(words) and words[end] in _STATES | _MARKS | _MOVES:
        marked = marked or words[end] in _MARKS | _MOVES
        end += 1
    rest = words[end:]
    if words[end - 1] in _MOVES or (words[end - 1] in _MARKS and words[end - 2] in _MOVES):
        if "to" not in rest:
            return None
        rest = rest[rest.index("to") + 1 :]
    if rest and rest[-1] in _MARKS:
        marked, rest = True, rest[:-1]
    value = tuple(
        word for n, word in enumerate(rest) if word not in _IGNORED and not (n == 0 and word in _BEFORE_VALUE)
    )
    if not 0 < len(value) <= _WORDS_MAX or "not" in rest:
        return None
    names = {normalize(name).removesuffix("'s") for name in _CAPITALISED.findall(body)}
    return Assignment(subject, value, _kind(value, names), marked)


def changes_value(older: str, newer: str, read: Callable[[str], Assignment | None] = assignment) -> bool:
    """Whether the newer statement replaces what the older says of the same thing. Not symmetric.

    ``read`` may be a cache of ``assignment``.
    """
    before, after = read(older), read(newer)
    if before is None or after is None or before.subject != after.subject or before.value == after.value:
        return False
    if before.kind != after.kind:
        return False
    single = bool(_head(after.subject) & _ONE_VALUE)
    if after.kind == "word":
        return single and after.marked
    return after.marked or single


def value_of(text: str, but: str = "") -> tuple[str, str] | None:
    """What a statement gives a value, and which, where that has one value at a time or takes place once; None for any
    other. ``but``: a word that makes no difference, whose thing it is."""
    given = assignment(text)
    if given is None:
        return None
    subject = tuple(word for word in given.subject if word != but)
    head = _head(subject) if subject else set()
    single = head & _ONE_VALUE and given.kind != "word"
    return (
        (" ".join(subject), " ".join(given.value)) if single or (head & _SCHEDULED and given.kind == "date") else None
    )


def _head(subject: tuple[str, ...]) -> set[str]:
    """The word that says what it is: the last one, or the one before "with" or "about"."""
    at = next((n for n, word in enumerate(subject[1:]) if word in ("with", "about")), len(subject) - 1)
    return {subject[at]}


def _named_first(subject: tuple[str, ...]) -> tuple[str, ...]:
    """ "budget for apollo" as "apollo budget" is said."""
    at = next((n for n, word in enumerate(subject) if word in ("of", "for") and 0 < n < len(subject) - 1), None)
    return subject if at is None else subject[at + 1 :] + subject[:at]


def _kind(value: tuple[str, ...], names: set[str]) -> str:
    if _DATES & set(value):
        return "date"
    if any(char.isdigit() for word in value for char in word):
        return "figure"
    return "name" if value[0] in names else "word"
