"""Times that a question names, as windows: "last week", "in May 2023", "before 8 May", "two months ago".

English phrases, read against the question's own ``now`` and in its time zone. An absolute date anchors a question:
relative words beside it ("what did she say on 8 May about last week?") are then left alone. Words that name no certain
time ("a few years ago") stay words.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from service.domain.word_lists import places, word_set

WINDOWS_MAX = 4
COUNT_MAX = 1000

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_FULL_MONTH = "(january|february|april|june|july|august|september|october|november|december)"
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_WEEKDAY = "(" + "|".join(_WEEKDAYS) + ")"
_COUNTS = places("""
    a/an/one a~couple~of/couple~of/two few/a~few/three several/four five six seven eight nine ten eleven twelve""")
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1}
_ORDINAL = "(" + "|".join(_ORDINALS) + ")"
_VAGUE = frozenset({"few", "a few", "several", "couple of", "a couple of"})
_NO_CERTAIN_TIME = frozenset({(count, unit) for count in ("few", "a few", "several") for unit in ("month", "year")})
_COUNT = r"(\d{1,4}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_UNIT_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_UNIT_SLACK_DAYS = {"day": 0.5, "week": 3.0, "month": 15.0, "year": 183.0}
_LEAD_IN = re.compile(
    r"(?:\b(?:on|in|during|by|of|since|until|till|up to|from|between|and|as of|the month of|before|prior to|after|at"
    r"|the)\s++){0,5}\x00",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(before|prior to|until|till|up to|as of|by|since|after)\s+(?:the\s+)?$", re.IGNORECASE)
_OWN_BOUND = re.compile(r"(before|until|till|by|since|after)\b", re.IGNORECASE)
_BOUND_CHARS = 24
"""Before a time, where a word stands that makes it a bound."""
_EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_NO_CONTENT = word_set("""
    a about all am an and any anything are at been did do does done event events everything for from go going had
    happen happened happening happens has have i in is it list me my new of on our please show something take takes
    tell that the there thing things this to took up us was we went were what whats when which who you""")
"""Words that ask for nothing but what happened."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A span of time, the end left out; ``bounded`` where the question names one end ("before 8 May")."""

    since: datetime
    until: datetime
    bounded: bool = False

    def in_zone(self, zone: tzinfo | None) -> TimeSpan:
        """Return the span of the same local times in another zone."""
        return TimeSpan(self.since.replace(tzinfo=zone), self.until.replace(tzinfo=zone), self.bounded)


@dataclass(frozen=True, slots=True)
class Timed:
    """A question taken apart: what is left without its time words, and the windows they name (at most four).

    Nothing is left of a question for nothing but what happened then.
    """

    text: str
    windows: tuple[TimeSpan, ...]


Resolve = Callable[[re.Match[str], datetime], TimeSpan | None]


def parse(question: str, now: datetime) -> Timed:
    """Find the times that a question names. Without any, the question is given back as it is."""
    windows: list[TimeSpan] = []
    left = question.replace("\x00", " ")
    today = now.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
    for group in (_ABSOLUTE, _RELATIVE):
        for pattern, resolve in group:
            left = _take(pattern, resolve, left, today, windows)
        if windows:
            break
    if not windows:
        return Timed(question, ())
    left = " ".join(_LEAD_IN.sub(" ", left).split())
    asks_more = any(word.group().lower() not in _NO_CONTENT for word in _WORD.finditer(left))
    return Timed(left if asks_more else "", tuple(one.in_zone(now.tzinfo) for one in windows[:WINDOWS_MAX]))


def _take(pattern: re.Pattern[str], resolve: Resolve, text: str, today: datetime, windows: list[TimeSpan]) -> str:
    def replace(match: re.Match[str]) -> str:
        try:
            window = resolve(match, today)
        except (ValueError, OverflowError):
            window = None
        if window is None:
            return match.group(0)
        before = _BOUND.search(text[max(0, match.start() - _BOUND_CHARS) : match.start()])
        bound = before or _OWN_BOUND.match(match.group(0))
        windows.append(_bounded(window, bound.group(1).lower(), today) if bound else window)
        return "\x00"

    return pattern.sub(replace, text)


def _bounded(window: TimeSpan, bound: str, today: datetime) -> TimeSpan:
    """Return what lies before or after a time, as ``bound`` says; the time itself where nothing does."""
    if bound in ("since", "after"):
        since, until = window.since if bound == "since" else window.until, today + timedelta(days=1)
    else:
        since, until = _EARLIEST, window.since if bound in ("before", "prior to") else window.until
    return TimeSpan(since, until, bounded=True) if since < until else window


def _day(start: datetime) -> TimeSpan:
    return TimeSpan(start, start + timedelta(days=1))


def _date(year: int, month: int, day: int) -> TimeSpan:
    return _day(datetime(year, month, day, tzinfo=UTC))


def _month(year: int, month: int) -> TimeSpan:
    return TimeSpan(datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC))


def _year(year: int) -> TimeSpan:
    return TimeSpan(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))


def _latest_year(today: datetime, month: int, day: int = 1) -> int:
    """Return the year of the latest such date that is not after today."""
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1


def _numeric_date(match: re.Match[str], _: datetime) -> TimeSpan:
    return _date(*(int(part) for part in match.groups()))


def _named_date(month: str, day: str, year: str | None, today: datetime) -> TimeSpan:
    number = _MONTHS[month.lower()]
    return _date(int(year) if year else _latest_year(today, number, int(day)), number, int(day))


def _bare_month(match: re.Match[str], today: datetime) -> TimeSpan:
    number = _MONTHS[match[1].lower()]
    coming = match.group(0).lower().startswith("next ")
    return _month(_latest_year(today, number) + coming, number)


def _years(match: re.Match[str], _: datetime) -> TimeSpan:
    """ "from 2019 to 2022"."""
    return TimeSpan(_year(int(match[1])).since, _year(int(match[2])).until)


def _months(match: re.Match[str], today: datetime) -> TimeSpan:
    """ "between November 2022 and March", "from May to July"."""
    first, last = _MONTHS[match[1].lower()], _MONTHS[match[3].lower()]
    year = int(match[4]) if match[4] else int(match[2]) + (last < first) if match[2] else _latest_year(today, last)
    began = int(match[2]) if match[2] else year - (first > last)
    return TimeSpan(_month(began, first).since, _month(year, last).until)


def _part_of_month(match: re.Match[str], today: datetime) -> TimeSpan | None:
    """ "the first weekend of October", "the last Friday in May 2023"."""
    number = _MONTHS[match[3].lower()]
    month = _month(int(match[4]) if match[4] else _latest_year(today, number), number)
    part, days = match[2].lower(), 1
    if part == "week":
        first, step, days = month.since, 7, 7
    else:
        weekday, days = (5, 2) if part == "weekend" else (_WEEKDAYS[part], 1)
        first, step = month.since + timedelta(days=(weekday - month.since.weekday()) % 7), 7
    starts = [first + timedelta(days=step * n) for n in range(5)]
    starts = [start for start in starts if start < month.until]
    place = _ORDINALS[match[1].lower()]
    if place >= len(starts):
        return None
    return TimeSpan(starts[place], starts[place] + timedelta(days=days))


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word.lower()]


def _ago(match: re.Match[str], today: datetime) -> TimeSpan | None:
    count, unit = _count(match[1]), match[2].lower()
    if count > COUNT_MAX or (match[1].lower(), unit) in _NO_CERTAIN_TIME:
        return None
    centre = today - timedelta(days=count * _UNIT_DAYS[unit])
    slack = _UNIT_SLACK_DAYS[unit]
    if match[1].lower() in _VAGUE:
        slack = max(slack, 0.505 * _UNIT_DAYS[unit])
    if unit == "day" and slack <= _UNIT_SLACK_DAYS["day"]:
        return _day(centre)
    return TimeSpan(centre - timedelta(days=slack), centre + timedelta(days=slack + 1))


def _past(match: re.Match[str], today: datetime) -> TimeSpan | None:
    count = _count(match[1]) if match[1] else 1
    if count > COUNT_MAX:
        return None
    return TimeSpan(today - timedelta(days=count * _UNIT_DAYS[match[2].lower()]), today + timedelta(days=1))


def _last_month(_: re.Match[str], today: datetime) -> TimeSpan:
    return _month(today.year - (today.month == 1), (today.month - 2) % 12 + 1)


def _next_month(_: re.Match[str], today: datetime) -> TimeSpan:
    return _month(today.year + today.month // 12, today.month % 12 + 1)


def _week(today: datetime, weeks: int) -> TimeSpan:
    monday = _monday(today) + timedelta(days=7 * weeks)
    return TimeSpan(monday, monday + timedelta(days=7))


def _last_weekday(match: re.Match[str], today: datetime) -> TimeSpan:
    back = (today.weekday() - _WEEKDAYS[match[1].lower()] - 1) % 7 + 1
    return _day(today - timedelta(days=back))


def _monday(today: datetime) -> datetime:
    return today - timedelta(days=today.weekday())


def _rules(*pairs: tuple[str, Resolve]) -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), resolve) for pattern, resolve in pairs)


_ABSOLUTE = _rules(
    (r"\b(?:from|between) (\d{4}) (?:to|until|till|through|and) (\d{4})\b", _years),
    (
        rf"\b(?:from|between) {_MONTH}(?: (\d{{4}}))? (?:to|until|till|through|and) {_MONTH}\b(?:,? (\d{{4}}))?",
        _months,
    ),
    (rf"\b{_ORDINAL} (weekend|week|{_WEEKDAY[1:-1]}) (?:of|in) {_MONTH}\b(?:,? (\d{{4}})\b)?", _part_of_month),
    (r"\b(\d{4})-(\d\d)-(\d\d)\b", _numeric_date),
    (r"\b(\d{4})/(\d\d?)/(\d\d?)\b", _numeric_date),
    (
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}\b\.?(?:,? (\d{{4}}))?",
        lambda match, today: _named_date(match[2], match[1], match[3], today),
    ),
    (
        rf"\b{_MONTH}\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (\d{{4}}))?",
        lambda match, today: _named_date(match[1], match[2], match[3], today),
    ),
    (rf"\b{_MONTH},?(?: of)? (\d{{4}})\b", lambda match, _: _month(int(match[2]), _MONTHS[match[1].lower()])),
    (
        rf"\b(?:in|during|of|by|since|from|until|till|between|and|early|late|mid|this|last|next) {_MONTH}\b",
        _bare_month,
    ),
    (rf"\b{_FULL_MONTH}\b", _bare_month),
    (
        r"\b(?:in|during|of|since|by|before|after|until|summer|winter|spring|fall|autumn) ((?:19|20)\d\d)\b",
        lambda match, _: _year(int(match[1])),
    ),
)

_RELATIVE = _rules(
    (r"\b(?:the )?day before yesterday\b", lambda _, today: _day(today - timedelta(days=2))),
    (r"\b(?:the )?day after tomorrow\b", lambda _, today: _day(today + timedelta(days=2))),
    (r"\btomorrow\b", lambda _, today: _day(today + timedelta(days=1))),
    (r"\byesterday\b", lambda _, today: _day(today - timedelta(days=1))),
    (r"\b(?:today|tonight|this morning|this afternoon|this evening)\b", lambda _, today: _day(today)),
    (r"\blast week\b", lambda _, today: TimeSpan(_monday(today) - timedelta(days=7), _monday(today))),
    (r"\blast weekend\b", lambda _, today: TimeSpan(_monday(today) - timedelta(days=2), _monday(today))),
    (r"\blast month\b", _last_month),
    (r"\bthis week\b", lambda _, today: _week(today, 0)),
    (r"\bnext week\b", lambda _, today: _week(today, 1)),
    (r"\bnext month\b", _next_month),
    (r"\bnext year\b", lambda _, today: _year(today.year + 1)),
    (r"\bthis month\b", lambda _, today: _month(today.year, today.month)),
    (r"\blast year\b", lambda _, today: _year(today.year - 1)),
    (
        r"\bthis year\b",
        lambda _, today: TimeSpan(datetime(today.year, 1, 1, tzinfo=UTC), today + timedelta(days=1)),
    ),
    (rf"\blast {_WEEKDAY}\b", _last_weekday),
    (rf"\b{_COUNT} (day|week|month|year)s? ago\b", _ago),
    (rf"\b(?:last|past|previous) (?:{_COUNT} )?(day|week|month|year)s?\b", _past),
)
