"""Language modules: patterns of statements, what is no statement, the third person, a calendar and its dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from service.domain.word_lists import pairs
from service.extraction.candidates import Polarity
from service.extraction.english.dates import Grounded, add_months, weekday_near
from service.extraction.patterns import Pattern, any_case, stating

T = TypeVar("T")

VALUE = r"(?P<value>(?!\s)(?:[^,.;:!?()–—]|[.,](?=\w)|(?<=\d)\.(?=\s)){1,80})"
"""What fills a slot: up to the end of the clause."""


_SPELLINGS = pairs("""
    ä=(?:ä|ae|a) ö=(?:ö|oe|o) ü=(?:ü|ue|u) ß=(?:ß|ss|s) é=[ée] è=[èe] ê=[êe] à=[àa] â=[âa] ç=[çc] ù=[ùu] û=[ûu]
    î=[îi] ï=[ïi] ô=[ôo] œ=(?:œ|oe) á=[áa] í=[íi] ó=[óo] ú=[úu] ñ=[ñn]""")
_ACCENTED = re.compile(r"\[[^\]]{1,80}\]|[" + "".join(_SPELLINGS) + "]")


def spelled(regex: str) -> re.Pattern[str]:
    """The pattern without regard to case, its accented letters taken as typed without accents as well.

    A letter in a set, or written as its code point (``\\u00fc``), is taken as it is.
    """
    return any_case(_ACCENTED.sub(lambda match: _SPELLINGS.get(match[0], match[0]), regex))


def spellings(words: Mapping[str, T]) -> dict[str, T]:
    """The mapping with each key also as it is typed without accents."""
    bare = str.maketrans("éèêàâçùûîïôáíóúñ", "eeeaacuuiioaioun")
    german = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe"})
    plain = str.maketrans("äöü", "aou")
    typed = {form: value for word, value in words.items() for form in (word.translate(german), word.translate(plain))}
    return typed | {word.translate(bare): value for word, value in words.items()} | dict(words)


def meanings(block: str) -> dict[str, str]:
    """``pairs`` of a block, with their ``spellings``."""
    return spellings(pairs(block))


def any_of(words: Iterable[str]) -> str:
    """The alternatives of a pattern, the longest first."""
    return "|".join(word.replace(" ", r"\s") for word in sorted(words, key=len, reverse=True))


def row(what: str, regex: str, **otherwise: Any) -> Pattern:
    """A row of this pattern; see ``rows.stating``."""
    return stating(what, spelled(regex), **otherwise)


def likes(
    regex: str, polarity: Polarity = "positive", thing: str = VALUE, end: str = "", *, negated: bool = False
) -> Pattern:
    """A row of something liked or disliked; a negation turns the former into the latter."""
    whole = f"{regex}{thing}{end}"
    return row("likes", whole, polarity=polarity, deniable=polarity == "positive", negated=negated)


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a language names times.

    ``expression`` has the groups that ``dates`` reads; a digit ends those that it has more than once. The mappings
    say what its words mean: days from today, months, weekdays, units (``day``, ``week``, ``weekend``, ``month``,
    ``year``), -1 to 1 for last, this and next; with ``whole_weeks`` the next Friday is that of the next week.
    ``behind`` and ``ahead`` are prepositions that say where the date lies. ``write`` is given a kind (a unit,
    ``weekday``, ``week before``, ``week after``), the day, and the preposition it replaces.
    """

    expression: re.Pattern[str]
    named: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    units: Mapping[str, str]
    steps: Mapping[str, int]
    counts: Mapping[str, int]
    write: Callable[[str, datetime, str], str]
    behind: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    whole_weeks: bool = False


@dataclass(frozen=True, slots=True)
class Language:
    """A language that statements are read in.

    ``markers`` are words that no English text holds by chance. ``inner_stops``: up to a full stop that ends no
    sentence. ``openings`` and ``tag`` are what may be left out at the start and end of a sentence, ``clauses`` what
    stands between two. ``questions`` and ``task`` match at the start; what follows a task is material. ``unreliable``
    anywhere makes a sentence state nothing, ``retraction`` takes the one before back. ``canonical`` gives a clause
    the order that the patterns know, subject first; ``third_person`` tells it of somebody, None where that takes more
    than rules. ``rewrites`` are made in a sentence ("not A but B"), ``continued`` in a clause after one about the
    speaker, ``elided`` in one after a preference: they put in what it leaves out. ``says`` and ``asks`` tell it in
    the speaker's words. The mappings give the English names of attributes, values and relatives, so that a slot is
    one whatever language it is filled in.
    """

    name: str
    markers: frozenset[str]
    rows: tuple[Pattern, ...]
    calendar: Calendar
    inner_stops: re.Pattern[str]
    openings: re.Pattern[str]
    tag: re.Pattern[str]
    clauses: re.Pattern[str]
    questions: re.Pattern[str]
    unreliable: re.Pattern[str]
    retraction: re.Pattern[str]
    task: re.Pattern[str]
    negation: re.Pattern[str]
    first_person: re.Pattern[str]
    vague: re.Pattern[str]
    value_ends: re.Pattern[str]
    determiners: re.Pattern[str]
    conjunction: re.Pattern[str]
    words: re.Pattern[str]
    stopwords: frozenset[str]
    canonical: Callable[[str], str]
    third_person: Callable[[str, str], str | None]
    nobody: str
    says: str
    asks: str
    stop: str = "."
    rewrites: tuple[tuple[re.Pattern[str], str], ...] = ()
    elided: tuple[tuple[re.Pattern[str], str], ...] = ()
    continued: tuple[tuple[re.Pattern[str], str], ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    relatives: Mapping[str, str] = field(default_factory=dict)


_HALF_YEAR = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class _When:
    kind: str  # what the calendar writes: day, weekday, week, week before, week after, weekend, month, year
    day: datetime
    shown: datetime | None = None  # the day that is written, where it is not the first one


def ground(text: str, now: datetime, calendar: Calendar, *, ahead: bool) -> Grounded:
    """Replaces time expressions in ``text``, said at ``now``, by absolute ones in the words of its language.

    What names no year, or no week, lies after ``now`` with ``ahead`` and before it otherwise, unless its preposition
    says which. An expression that names no existing date stays as it is.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[datetime] = []

    def written(match: re.Match[str]) -> str:
        given = {name.rstrip("23456"): words for name, words in match.groupdict().items() if words is not None}
        preposition = given.get("prep", "").strip().lower()
        lies_ahead = preposition in calendar.ahead or (ahead and preposition not in calendar.behind)
        try:
            when = _resolve({name: words.lower() for name, words in given.items()}, midnight, calendar, lies_ahead)
        except (ValueError, OverflowError, KeyError):
            when = None
        if when is None:
            return match[0]
        found.append(when.day)
        part = f" ({given['part']})" if "part" in given else ""
        return calendar.write(when.kind, when.shown or when.day, preposition) + part

    grounded = calendar.expression.sub(written, text)
    return Grounded(grounded, found[0] if found else None)


def _resolve(given: dict[str, str], today: datetime, calendar: Calendar, ahead: bool) -> _When | None:
    if "iso" in given:
        year, month, day = map(int, given["iso"].split("-"))
        return _When("day", today.replace(year=year, month=month, day=day))
    if "day" in given:
        return _When("day", _calendar_day(given, today, calendar, ahead))
    if "named" in given:
        return _When("day", today + timedelta(days=calendar.named[" ".join(given["named"].split())]))
    if "ago" in given or "in" in given:
        count = given.get("ago") or given["in"]
        amount = calendar.counts.get(" ".join(count.split())) or int(count)
        return _shifted(-amount if "ago" in given else amount, calendar.units[given["unit"]], today)
    if "step" in given:
        return _stepped(calendar.steps[given["step"]], given["unit"], today, calendar)
    if "weekday" in given:
        return _When("weekday", weekday_near(today, calendar.weekdays[given["weekday"]], ahead=ahead))
    if "month" in given:
        month = calendar.months[given["month"]]
        if "year" in given:
            return _When("month", today.replace(year=int(given["year"]), month=month, day=1))
        return _When("month", _nearest_year(today.replace(day=1), month, 1, ahead))
    return _When("year", today.replace(year=int(given["year"]), month=1, day=1)) if "year" in given else None


def _calendar_day(given: dict[str, str], today: datetime, calendar: Calendar, ahead: bool) -> datetime:
    month, day = calendar.months.get(given["month"]) or int(given["month"]), int(given["day"])
    if "year" not in given:
        return _nearest_year(today, month, day, ahead)
    year = int(given["year"])
    return today.replace(year=year if year > 99 else 2000 + year, month=month, day=day)


def _nearest_year(today: datetime, month: int, day: int, ahead: bool) -> datetime:
    start = today.replace(month=month, day=day)
    if ahead and start < today:
        return start.replace(year=today.year + 1)
    if not ahead and start - today > (_HALF_YEAR if day == 1 and today.day == 1 else timedelta()):
        return start.replace(year=today.year - 1)
    return start


def _shifted(amount: int, unit: str, today: datetime) -> _When:
    if unit == "day":
        return _When("day", today + timedelta(days=amount))
    if unit in ("week", "weekend"):
        return _When("day", today + timedelta(weeks=amount))
    if unit == "month":
        return _When("month", add_months(today, amount))
    return _When("year", today.replace(year=today.year + amount, month=1, day=1))


def _stepped(step: int, word: str, today: datetime, calendar: Calendar) -> _When:
    monday = today - timedelta(days=today.weekday())
    if word in calendar.weekdays:
        weekday = calendar.weekdays[word]
        if calendar.whole_weeks:
            return _When("weekday", monday + timedelta(days=weekday, weeks=step))
        if step == 0:
            return _When("weekday", today + timedelta(days=(weekday - today.weekday()) % 7))
        return _When("weekday", weekday_near(today, weekday, ahead=step > 0))
    if word in calendar.months:
        start = _nearest_year(today.replace(day=1), calendar.months[word], 1, ahead=step >= 0)
        if step < 0 and start >= today.replace(day=1):
            start = start.replace(year=start.year - 1)
        return _When("month", start)
    unit = calendar.units[word]
    if unit == "week":
        kind = {-1: "week before", 0: "week", 1: "week after"}[step]
        return _When(kind, monday + timedelta(weeks=step), today)
    if unit == "weekend":
        return _When("weekend", monday + timedelta(days=5, weeks=step))
    if unit == "day":
        return _When("day", today + timedelta(days=step))
    return _shifted(step, unit, today)
