"""Grounding of time expressions ("yesterday", "last week", "in May") on the time a turn was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from service.extraction.english.grammar import lies_ahead
from service.extraction.english.lexicon import MONTHS, SMALL_NUMBERS, WEEKDAYS
from service.extraction.patterns import any_case

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH_FULL = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_COUNT = r"\d{1,3}|a\scouple\sof|couple\sof|a\sfew|few|several|an?|" + "|".join(
    word for word in SMALL_NUMBERS if " " not in word and word not in ("a", "an", "few", "several")
)
MONTH_NAMES = tuple(name.capitalize() for name in _MONTH_FULL.split("|"))

_EXPRESSION = re.compile(
    rf"""(?P<prep>\b(?:on|in|by|until|till|since|from|before|after|for|of|to|due|about|around|roughly|almost
        |nearly|over)\s+(?:the\s+(?=\d{{1,2}}(?:st|nd|rd|th)?\b)|(?=\S)))?(?:
      (?<![\w/-])(?P<iso>(?:19|20)\d\d-\d\d-\d\d)\b
    | \b(?<!\d[-–])(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month_a>{_MONTH})\b(?:\.(?=.))?
      (?:,?\s(?P<year_a>(?:19|20)\d\d))?
    | \b(?P<month_b>{_MONTH})\.?\s(?P<day_second>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<year_b>(?:19|20)\d\d))?
    | \b(?P<month_c>{_MONTH_FULL})(?:,?\sof)?,?\s(?P<year_c>(?:19|20)\d\d)\b
    | \b(?:the\s)?(?P<beside>day\sbefore\syesterday|day\safter\stomorrow)\b
    | (?<=\bthe\s)(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)\b(?!\s(?:floor|time|street|avenue|grade|place|of|birthday
        |anniversary|try|attempt|page|and|century|street|hole|level|day|week|lap|round|one|book|half|part|season|episode|chapter|kid|child
        |edition|version|draft|year|month|floors?|person|option|choice|date|interview|appointment|trimester))
    | \b(?P<named>yesterday|today|tomorrow|tonight|last\snight|(?:this|yesterday|tomorrow)\s(?:morning|afternoon
        |evening))\b
    | \b(?P<ago_n>{_COUNT})\s(?P<ago_unit>day|week|weekend|month|year)s?\s(?:ago|back)\b
    | \bin\s(?P<in_n>{_COUNT})\s(?P<in_unit>day|week|month|year)s?\b
    | \b(?P<which>last|this|next|this\spast|past|this\scoming)\s(?P<unit>week|weekend|month|year|{_MONTH_FULL}
        |{_DAY})\b
    | \b(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b(?!,?\s\d)
    | (?:(?<=\bin\s)|(?<=\bsince\s)|(?<=\buntil\s)|(?<=\btill\s)|(?<=\bby\s)|(?<=\bbefore\s)|(?<=\bfrom\s))
      (?P<month_d>{_MONTH_FULL})\b
    | (?<=\bin\s)(?P<year_d>(?:19|20)\d\d)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_CUE = any_case(rf"\d|day|week|month|year|night|tomorrow|\b(?:morning|evening|afternoon|{_MONTH_FULL})\b")
_IS = any_case(r"(?:'s|\bis|\bare|\bbe|\bwas|\bnow)\s$")
_TO_WEEKDAY = any_case(rf"\s?(?:to|till?|until|through|thru|[-–])\s?(?:{_DAY})\b")
_FROM_WEEKDAY = any_case(rf"\b(?:{_DAY})\s?(?:to|till?|until|through|thru|[-–])\s?$")
_MOVED = any_case(r"\b(?:mov|chang|reschedul|shift|postpon|push|switch|bump|slip|delay|brought|bring|swap)")
_MOVED_WITHIN = 80
_KEEPS_PREPOSITION = frozenset({"by", "until", "till", "since", "from", "before", "after", "for", "of", "to", "due"})
_APPROXIMATE = frozenset({"about", "around", "roughly", "almost", "nearly", "over"})


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text whose time expressions are absolute, and when its first one lies (midnight of the first day)."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class _When:
    start: datetime
    words: str
    preposition: str = "on"


_AFTER_SUBJECT = re.compile(r" (?:has|is|was|will be)\b")
"""What follows a time that is itself what is spoken of: "This week has been hard"."""


def ground(text: str, now: datetime, *, future: bool = False) -> Grounded:
    """Replaces relative time expressions in ``text``, said at ``now``, by absolute ones.

    "yesterday" becomes "on 7 May 2023". The tense of its verb says whether a weekday, or a day without a year, is the
    next one or the last; where nothing says so it is the next one with ``future`` (todos, goals), else the last weekday
    or the nearest day. A date in figures, and an expression that names no existing date, stay as they are.
    """
    if not _CUE.search(text):
        return Grounded(text, None)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[datetime] = []

    def replace(match: re.Match[str]) -> str:
        given = (match["prep"] or "").split()
        preposition = given[0].lower() if given else ""
        ahead = lies_ahead(text, match.start(), match.end(), preposition)
        try:
            when = _resolve(match, midnight, True if ahead is None and future else ahead)
        except (ValueError, OverflowError):
            when = None
        if when is None:
            return match[0]
        found.append(when.start)
        if match["iso"] is not None:
            return match[0]
        if match.start() == 0 and not given and _AFTER_SUBJECT.match(text, match.end()):
            return f"{when.words[:1].upper()}{when.words[1:]}"
        return _written(match, when, given[0] if given else "")

    grounded = _EXPRESSION.sub(replace, text)
    return Grounded(grounded, found[0] if found else None)


def _written(match: re.Match[str], when: _When, given: str) -> str:
    if match.string[match.end() : match.end() + 2] in ("'s", "’s"):
        return f"{given} {when.words}".strip()
    if given.lower() == "to" and match["ago_n"] is not None:
        return f"{given} {when.preposition} {when.words}"
    if given.lower() in _KEEPS_PREPOSITION:
        return f"{given} {when.words}"
    return f"{'around' if given.lower() in _APPROXIMATE else when.preposition} {when.words}"


def day_words(day: date) -> str:
    """A date in words without leading zero: ``7 May 2023``."""
    return f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}"


def _month_words(day: datetime) -> str:
    return f"{MONTH_NAMES[day.month - 1]} {day.year}"


def _resolve(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    for name, resolver in _RESOLVERS:
        if match[name] is not None:
            return resolver(match, today, ahead)
    return None


def _iso(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    year, month, day = map(int, match["iso"].split("-"))
    return _on(today.replace(year=year, month=month, day=day))


def _calendar_day(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    suffix = "a" if match["month_a"] else "b"
    if match[f"month_{suffix}"] == "may":
        return None
    month = MONTHS[match[f"month_{suffix}"].lower()]
    day = int(match["day_first"] or match["day_second"])
    year = match[f"year_{suffix}"]
    if year is None:
        return _on(_nearest_year(today, month, day, ahead))
    return _on(today.replace(year=int(year), month=month, day=day))


def _on(start: datetime) -> _When:
    return _When(start, day_words(start))


def _nearest_year(today: datetime, month: int, day: int, ahead: bool | None) -> datetime:
    start = today.replace(month=month, day=day)
    if ahead and start < today:
        return start.replace(year=today.year + 1)
    if ahead is False and start > today:
        return start.replace(year=today.year - 1)
    if ahead is None and start - today > timedelta(days=183):
        return start.replace(year=today.year - 1)
    return start


def _ordinal(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    """ "on the 5th": of this month, or of the one before or after."""
    if match["prep"] is None:
        return None
    start = today.replace(day=int(match["ordinal"]))
    if ahead and start < today:
        start = add_months(today, 1).replace(day=start.day)
    elif not ahead and start > today:
        start = add_months(today, -1).replace(day=start.day)
    return _on(start)


def _named_month(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    number, first = MONTHS[(match["month_c"] or match["month_d"]).lower()], today.replace(day=1)
    if match["year_c"]:
        return _month(first.replace(year=int(match["year_c"]), month=number))
    return _month(_nearest_year(first, number, 1, ahead))


def _month(start: datetime) -> _When:
    return _When(start, _month_words(start), "in")


def _year(today: datetime, year: int) -> _When:
    return _When(today.replace(year=year, month=1, day=1), str(year), "in")


def _named(words: str, today: datetime) -> _When:
    shift = {"yesterday": -1, "tomorrow": 1, "last": -1}.get(words.split()[0], 0)
    start = today + timedelta(days=shift)
    part = "night" if "night" in words else next((p for p in ("morning", "afternoon", "evening") if p in words), None)
    return _When(start, f"the {part} of {day_words(start)}" if part else day_words(start))


def _shifted(count: str, unit: str, today: datetime, sign: int) -> _When:
    vague = count.lower() in ("a few", "few", "several", "a couple of", "couple of")
    amount = sign * (SMALL_NUMBERS.get(count.lower()) or int(count))
    unit = unit.lower()
    if unit == "day":
        start = today + timedelta(days=amount)
        return _When(start, day_words(start), "around" if vague else "on")
    if unit in ("week", "weekend"):
        start = today + timedelta(weeks=amount)
        return _When(start, day_words(start), "around")
    if unit == "month":
        start = add_months(today, amount)
        return _When(start, _month_words(start), "around" if vague else "in")
    start = add_months(today, 12 * amount).replace(month=1, day=1)
    return _When(start, str(start.year), "around" if vague else "in")


def add_months(day: datetime, months: int) -> datetime:
    """The first of the month so many months later."""
    index = day.year * 12 + day.month - 1 + months
    return day.replace(year=index // 12, month=index % 12 + 1, day=1)


def _relative_unit(match: re.Match[str], today: datetime) -> _When | None:
    which, unit = match["which"].lower(), match["unit"].lower()
    at = match.start("which")
    if match.string[max(0, at - 4) : at].lower() == "the ":
        return None
    step = -1 if which in ("last", "past", "this past") else 1 if which == "next" else 0
    if unit in WEEKDAYS:
        if step == 0:
            start = today + timedelta(days=(WEEKDAYS[unit] - today.weekday()) % 7)
        else:
            start = weekday_near(today, WEEKDAYS[unit], ahead=step > 0)
        return _When(start, f"{start:%A} {day_words(start)}")
    if unit == "week":
        start = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        relation = {-1: f"the week before {day_words(today)}", 1: f"the week after {day_words(today)}"}
        return _When(start, relation.get(step, f"the week of {day_words(today)}"), "in")
    if unit == "weekend":
        start = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=step)
        return _When(start, f"the weekend of {day_words(start)}")
    if unit in MONTHS:
        start = _nearest_year(today.replace(day=1), MONTHS[unit], 1, ahead=step > 0)
        if step < 0 and start >= today.replace(day=1):
            start = start.replace(year=start.year - 1)
        return _month(start)
    if unit == "month":
        return _month(add_months(today, step))
    return _year(today, today.year + step)


def _bare_weekday(match: re.Match[str], today: datetime, ahead: bool | None) -> _When | None:
    if match.string[match.end() : match.end() + 1] in ("s", "'", "’"):
        return None
    if match["prep"] is None and not _IS.search(match.string, max(0, match.start() - 10), match.start()):
        return None
    if _ends_span(match.string, match.start("weekday"), match.end()):
        return None
    start = weekday_near(today, WEEKDAYS[match["weekday"].lower()], ahead=bool(ahead))
    return _When(start, f"{start:%A} {day_words(start)}")


def weekday_near(today: datetime, weekday: int, *, ahead: bool) -> datetime:
    """The day of the week (0 is Monday) next after or last before today."""
    distance = (weekday - today.weekday()) % 7 or 7
    return today + timedelta(days=distance if ahead else distance - 7 if distance < 7 else -7)


def _ends_span(text: str, start: int, end: int) -> bool:
    """Whether a weekday is one end of a span, as of opening hours, and not where something was moved from or to."""
    spanned = _TO_WEEKDAY.match(text, end) or _FROM_WEEKDAY.search(text, max(0, start - 20), start)
    return bool(spanned) and not _MOVED.search(text, max(0, start - _MOVED_WITHIN), start)


_RESOLVERS: tuple[tuple[str, Callable[[re.Match[str], datetime, bool | None], _When | None]], ...] = (
    ("iso", _iso),
    ("day_first", _calendar_day),
    ("day_second", _calendar_day),
    ("month_c", _named_month),
    ("beside", lambda match, today, _: _on(today + timedelta(days=2 if "after" in match["beside"].lower() else -2))),
    ("ordinal", _ordinal),
    ("named", lambda match, today, _: _named(match["named"].lower(), today)),
    ("ago_n", lambda match, today, _: _shifted(match["ago_n"], match["ago_unit"], today, -1)),
    ("in_n", lambda match, today, ahead: _shifted(match["in_n"], match["in_unit"], today, 1) if ahead else None),
    ("which", lambda match, today, _: _relative_unit(match, today)),
    ("weekday", _bare_weekday),
    ("month_d", _named_month),
    ("year_d", lambda match, today, _: _year(today, int(match["year_d"]))),
)
