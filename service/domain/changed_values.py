"""Whether a statement gives something another value than an earlier one did: "the budget is 50000", "… is now 60000".
Forms that name the thing otherwise ("Ann leads Apollo") are first said again as "Apollo lead is Ann" (``restated``).

Only where the same thing is spoken of in the same words, the two values are of one kind (a figure, a date, a name), and
either the later statement says that it is a change or the thing has one value at a time by its nature (a budget).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.domain.guards import normalize
from service.domain.word_lists import word_set

_TEXT_MAX: Final = 300
_NAME = r"(?P<v>[^\W\d_]\w{0,30}(?: [^\W\d_]\w{0,30}){0,2})"
_THING = r"(?P<s>[\w'’./&-]{1,40}(?: [\w'’./&-]{1,40}){0,4}?)"
_PERSON = r"(?P<s>[\w.-]{1,30}(?:['’]s (?:son|daughter|brother|sister|mother|father|wife|husband|niece|nephew))?)"
_PRODUCT = r"(?P<p>[A-Z][\w.+#-]{1,30})"
_VERSION = r"(?P<v>v?\d[\w.]{0,20})"
_ROLE = r"(?P<r>lead|owner|manager|head|boss|ceo|cto|cfo|director|maintainer|sponsor)"
_LIMIT = r"(?P<r>budget|limit|target|quota|goal)"
_CHANGES = (
    r"(?:rescheduled|moved|pushed|postponed|shifted|changed|raised|increased|lowered|reduced|cut|bumped"
    r"|brought forward)"
)
_UPGRADES = r"(?:upgraded|downgraded|updated|migrated|switched)"

_FORMS: Final = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (rf"{_THING} (?:is|are)(?P<n> now)? due (?:on|by) (?P<v>[^.;]{{1,60}})", r"\g<s> deadline is\g<n> \g<v>"),
        (rf"{_PERSON} is (?P<v>\d{{1,3}})(?: years old)?", r"\g<s> age is \g<v>"),
        (rf"{_PERSON} (?:has |have )?(?:just )?turned (?P<v>\d{{1,3}})", r"\g<s> age is now \g<v>"),
        (rf"{_NAME}(?P<n> now)? leads (?!to\b|the way\b){_THING}", r"\g<s> lead is\g<n> \g<v>"),
        (rf"{_NAME} is(?P<n> now)? (?:the )?{_ROLE} (?:of|for) {_THING}", r"\g<s> \g<r> is\g<n> \g<v>"),
        (rf"{_NAME} (?:has |have )?took over {_THING} from [^.;]{{1,40}}", r"\g<s> lead is now \g<v>"),
        (
            rf"{_NAME} (?:has |have )?(?:replaced|succeeded) [\w ]{{1,60}} as (?:the )?{_ROLE} (?:of|for) {_THING}",
            r"\g<s> \g<r> is now \g<v>",
        ),
        (rf"{_THING} (?P<n>now )?(?:runs on|uses|is on) {_PRODUCT} {_VERSION}", r"\g<s> \g<p> version is \g<n>\g<v>"),
        (
            rf"[\w ]{{1,60}} {_UPGRADES} {_THING} (?:from {_PRODUCT} [\w.]{{1,20}} )?"
            rf"to (?:(?P<q>[A-Z][\w.+#-]{{1,30}}) )?{_VERSION}",
            r"\g<s> \g<product> version is now \g<v>",
        ),
        (
            rf"{_THING} (?:was|were|has been|got) {_UPGRADES} (?:from {_PRODUCT} [\w.]{{1,20}} )?"
            rf"to (?:(?P<q>[A-Z][\w.+#-]{{1,30}}) )?{_VERSION}",
            r"\g<s> \g<product> version is now \g<v>",
        ),
        (
            rf"(?:we|i|[\w-]{{1,40}}(?: and others)?)(?: have| has| got){{1,2}} (?P<v>[^,.;]{{1,40}}) for {_THING}"
            rf"(?:,| -|:| and) (?:and )?(?:that's|that is|it's|which is) (?:the|our|their) {_LIMIT}",
            r"\g<s> \g<r> is \g<v>",
        ),
        (
            rf"(?:we|they|\w{{1,40}}(?: and others)?) (?:have |has )?{_CHANGES} (?:the |our )?{_THING}"
            r"(?: from [^.;]{1,40})? to (?P<v>[^.;]{1,60})",
            r"\g<s> is now \g<v>",
        ),
    )
)


def restated(text: str) -> str:
    """Return a statement in the plain form, where it is in one of the others; else as it is. Linear in its length."""
    body = text.strip().rstrip(".!")
    if len(body) > _TEXT_MAX:
        return text
    for pattern, said in _FORMS:
        found = pattern.fullmatch(body)
        if found is None:
            continue
        groups = found.groupdict(default="")
        product = groups.get("q") or groups.get("p", "")
        if r"\g<product>" in said and not product:
            continue
        return found.expand(said.replace(r"\g<product>", product))
    return text


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
    """Return what a plain statement says of what; None for any other."""
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
    """Return whether the newer statement replaces what the older says of the same thing. Not symmetric.

    ``read`` may be a cache of ``assignment``.
    """
    before, after = read(older), read(newer)
    if before is None or after is None or not _same(before.subject, after.subject) or before.value == after.value:
        return False
    if before.kind != after.kind:
        return False
    single = bool(_head(after.subject) & _ONE_VALUE)
    if after.kind == "word":
        return single and after.marked
    return after.marked or single


def _same(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Return whether two are of one thing: "standup" is what was "our standup" before."""
    return before == after or (
        before[-len(after) :] == after and before[: -len(after)][1:] in (("and", "others"), ("and", "others'"))
    )


def value_of(text: str, but: str = "") -> tuple[str, str] | None:
    """Return what a statement gives a value, and which, where that has one value at a time or takes place once; None
    for any other. ``but``: a word that makes no difference, whose thing it is."""
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
    """Return the word that says what it is: the last one, or the one before "with" or "about"."""
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
