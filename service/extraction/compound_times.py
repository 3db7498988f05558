"""Times made of others, in any language: "from May to July 2021", "the end of 2020", "tomorrow at 3 pm".

A text is read with a mark in the place of each time that it names by itself. A ``Wording`` says how a language joins
marks to longer times; each step puts one mark in the place of several. What is left of strong marks is the answer; a
weak one, as a bare "2019", is a time only where such a step takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from service.domain.times import Period

_MARKS, _CLOCKS = 0xE000, 0xF000
_MARK = re.compile("[\ue000-\uefff]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_MOMENT = re.compile(
    "(?P<day>[\ue000-\uefff])[ ,]{0,2}(?:\\w{1,4} )?(?P<clock>[\uf000-\uf8ff])"
    "|(?P<clock2>[\uf000-\uf8ff])[ ,]{0,2}(?:\\w{1,4} ){0,2}(?P<day2>[\ue000-\uefff])"
)
MOVED = re.compile(
    r"\b(?:mov|chang|reschedul|shift|postpon|push|switch|bump|slip|delay|brought|bring|swap|verleg|verschob|déplac|report"
    r"|décal|cambi|aplaz|retras)|[改推]",
    re.IGNORECASE,
)
"""What makes two times that from which, and that to which, something was moved."""
_MOVED_WITHIN = 80
_RELATIVE = frozenset({"named", "ago", "in", "step"})
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)
_OTHER_CALENDAR = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th|\.|er)?\s(?:of\s|de\s|d'|du\s)?(?:muharram|safar|rabi|jumada|rajab|sha['’]?ban|ramad[aá]n"
    r"|shawwal|dhu|tishr[ei]i?|[ck]heshvan|kislev|te[bv]et|sh['’]?vat|adar|niss?[aá]n|iyy?ar|siv[aá]n|tamm?uz|elul"
    r"|farvardin|ordibehesht|khordad|shahrivar|bahman|esfand|vend[eé]miaire|brumaire|frimaire|niv[oô]se|pluvi[oô]se"
    r"|vent[oô]se|germinal|flor[eé]al|prairial|messidor|thermidor|fructidor)\b|\b(?:hijri|hegir\w{1,3}|anno\shegirae)\b"
    r"|\b\d{3,4}\s(?-i:AH|BE|SH)\b|\b1[34]\d\d[/-]\d{1,2}[/-]\d{1,2}\b"
    r"|令和|平成|昭和|大正|民[国國]|佛[历曆]|回[历曆]|[农農][历曆]|[阴陰][历曆]|腊月|正月|初[一二三四五六七八九十]|[\u05d0-\u05ea]['\"״׳]",
    re.IGNORECASE,
)
"""Dates of calendars other than the Gregorian, which no time is made of."""


class Part(NamedTuple):
    """A part of a time: from one of so many equal shares to another."""

    first: int
    last: int
    of: int


EARLY, MIDDLE, LATE = Part(0, 1, 3), Part(1, 2, 3), Part(2, 3, 3)
FIRST_HALF, SECOND_HALF = Part(0, 1, 2), Part(1, 2, 2)


@dataclass(frozen=True, slots=True)
class Time:
    """A time that a text names. ``said`` are the groups of its expression; ``weak``: only together with other words."""

    period: Period
    said: Mapping[str, str]
    ahead: bool | None
    weak: bool = False

    @property
    def dated(self) -> bool:
        """Return whether its words alone say which year, or week, it is in."""
        return "year" in self.said or not self.said.keys() & {"month", "weekday", "quarter"}


def joining(regex: str) -> re.Pattern[str]:
    """Return the pattern, without regard to case and its own blanks, in which ``@`` stands for a time."""
    return re.compile(regex.replace("@", "[\ue000-\uefff]"), re.IGNORECASE | re.VERBOSE)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a language joins times, in patterns of ``joining``.

    ``plain``: further times by themselves, with groups that ``Calendar.meaning`` reads. ``taken``: what makes a weak
    time a strong one. ``spans``: two times, from the one through the other. ``days``: the number ``n`` of a day before
    or after a time of the same month. ``part``: a ``part`` of a time, by its words in ``parts``. ``clock``: a time of
    day: ``hour`` (in figures, or one of ``numbers``), ``minute``, ``half`` (those of ``late`` are after noon),
    ``until``, ``noon``. ``bound``: words that put what
    happened before or after a time. ``recurs``: what happens again and again has no time. ``inexact``: times that say
    no certain one.
    """

    plain: re.Pattern[str]
    taken: re.Pattern[str]
    spans: re.Pattern[str]
    days: re.Pattern[str]
    part: re.Pattern[str]
    parts: Mapping[str, Part]
    clock: re.Pattern[str]
    late: frozenset[str]
    bound: re.Pattern[str]
    recurs: re.Pattern[str]
    inexact: re.Pattern[str]
    numbers: Mapping[str, int] = field(default_factory=dict)


Read = Callable[[Mapping[str, str], bool | None], Period | None]
"""Returns what the groups of an expression mean, ahead or behind."""


@dataclass(slots=True)
class TimesOfText:
    """The times of one text, each with its mark. ``kept``: marks of ends of spans, whose words say no more alone."""

    wording: Wording
    read: Read
    now: datetime
    times: list[Time] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def mark(self, time: Time | None, otherwise: str) -> str:
        """Return the mark of another time; the words themselves where there is none."""
        if time is None:
            return otherwise
        self.times.append(time)
        return chr(_MARKS + len(self.times) - 1)

    def period(self, text: str, ahead: Callable[[str, int, int], bool | None]) -> Period | None:
        """Return the first time of a text with marks, joined with what belongs to it; None where it names none."""
        wording = self.wording
        text = wording.plain.sub(lambda match: self._plain(match, ahead(text, match.start(), match.end())), text)
        for pattern, join in (
            (wording.days, self._days), (wording.part, self._part), (_MOMENT, None), (wording.spans, self._span),
            (wording.taken, self._taken), (wording.bound, self._unbound),
        ):  # fmt: skip
            text = self._with_clock(text) if join is None else pattern.sub(self._kept(join), text)
        found = (self._of(mark) for mark in _MARK.findall(text))
        return next((time.period for time in found if not time.weak), None)

    def recur(self, text: str) -> bool:
        """Return whether what a text tells happens again and again, or at a date of another calendar."""
        return bool(self.wording.recurs.search(text) or _OTHER_CALENDAR.search(text))

    def named(self, text: str) -> bool:
        """Return whether a text names any time, also one that is not understood."""
        return bool(self.times) or self.recur(text) or bool(self.wording.inexact.search(text))

    def _of(self, mark: str) -> Time:
        return self.times[ord(mark) - _MARKS]

    def _kept(self, join: Callable[[re.Match[str]], Time | None]) -> Callable[[re.Match[str]], str]:
        def joined(match: re.Match[str]) -> str:
            try:
                return self.mark(join(match), match[0])
            except (ValueError, OverflowError, KeyError):
                return match[0]

        return joined

    def _plain(self, match: re.Match[str], ahead: bool | None) -> str:
        said = groups_of(match)
        said = {name.removeprefix("bare_"): words for name, words in said.items()}
        try:
            period = self.read(said, ahead)
        except (ValueError, OverflowError, KeyError):
            return match[0]
        weak = any(name.startswith("bare_") for name in groups_of(match))
        return self.mark(Time(period, said, ahead, weak) if period else None, match[0])

    def _taken(self, match: re.Match[str]) -> Time:
        return replace(self._of(_MARK.findall(match[0])[0]), weak=False)

    def _unbound(self, match: re.Match[str]) -> Time | None:
        """Return a deadline as it is; a bound of what is past tells no time."""
        time = self._of(_MARK.findall(match[0])[0])
        return None if time.ahead or time.said.keys() & {"ago", "in"} else replace(time, weak=True)

    def _days(self, match: re.Match[str]) -> Time | None:
        """ "3 to 5 May": from the day of this number, or through it."""
        mark = _MARK.search(match[0])
        assert mark is not None
        time = self._of(mark[0])
        begin, end = time.period.begin, time.period.end
        if end is None or end - begin != _DAY:
            return None
        day = begin.replace(day=int(match["n"]))
        before = match.start("n") - match.start() < mark.start()
        span = Period(day, end) if before else Period(begin, day + _DAY)
        return replace(time, period=span.checked(), weak=False)

    def _part(self, match: re.Match[str]) -> Time | None:
        said = " ".join(groups_of(match)["part"].lower().split())
        time, part = self._of(_MARK.findall(match[0])[0]), self.wording.parts[said]
        period = time.period
        if period.precision not in ("year", "month") or period.end is None:
            return replace(time, weak=False) if not time.weak else None
        first = period.begin.year * 12 + period.begin.month - 1
        months = period.end.year * 12 + period.end.month - 1 - first
        if months == 1:
            starts = {n: n * (30 // part.of) for n in range(part.of)}
            begin = period.begin + timedelta(days=starts[part.first])
            end = period.end if part.last == part.of else period.begin + timedelta(days=starts[part.last])
            return replace(time, period=Period(begin, end), weak=False)
        since = first + months * part.first // part.of
        length = months * part.last // part.of - months * part.first // part.of
        return replace(time, period=Period.of_months(since // 12, since % 12 + 1, length), weak=False)

    def _span(self, match: re.Match[str]) -> Time | None:
        marks = _MARK.findall(match[0])
        first, last = map(self._of, marks)
        if MOVED.search(match.string, max(0, match.start() - _MOVED_WITHIN), match.start()):
            return replace(last, weak=False)
        self.kept |= {mark for mark in marks if not self._of(mark).said.keys() & _RELATIVE}
        if not first.dated and "year" in last.said:
            first = self._in_year_of(first, last)
        elif "year" in first.said and not last.dated:
            last = self._in_year_of(last, first)
        begin, end = first.period.begin, last.period.end or last.period.begin
        if first.period.of_calendar != last.period.of_calendar:
            return None
        if end <= begin:
            if "weekday" in last.said:
                begin, end = (begin, end + _WEEK) if last.ahead else (begin - _WEEK, end)
            elif last.ahead:
                end = end.replace(year=end.year + 1)
            else:
                begin = begin.replace(year=begin.year - 1)
        return replace(last, period=Period(begin, end).checked(), weak=False)

    def _in_year_of(self, time: Time, other: Time) -> Time:
        period = self.read({**time.said, "year": str(other.period.begin.year)}, time.ahead)
        return replace(time, period=period) if period else time

    def _with_clock(self, text: str) -> str:
        """Return the text with a mark for each day that a time of day stands beside."""
        clocks: list[re.Match[str]] = []

        def note(match: re.Match[str]) -> str:
            clocks.append(match)
            return chr(_CLOCKS + len(clocks) - 1)

        def joined(match: re.Match[str]) -> Time | None:
            time = self._of(match["day"] or match["day2"])
            clock = clocks[ord(match["clock"] or match["clock2"]) - _CLOCKS]
            day = time.period
            if day.end is None or day.end - day.begin != _DAY:
                return None
            given = groups_of(clock)
            half = (
                (given.get("half") or time.said.get("part") or time.said.get("named") or "")
                .lower()
                .replace(".", "")
                .strip()
            )
            begin = self._moment(day.begin, given.get("hour", "12"), given.get("minute"), half)
            until = self._moment(day.begin, given["until"], None, half) if "until" in given else None
            return replace(time, period=Period(begin, until).checked(), weak=False)

        return _MOMENT.sub(self._kept(joined), self.wording.clock.sub(note, text))

    def _moment(self, day: datetime, hour: str, minute: str | None, half: str) -> datetime:
        hours = self.wording.numbers.get(hour) or int(hour)
        if half in self.wording.late and hours < 12:
            hours += 12
        elif half == "am" and hours == 12:
            hours = 0
        minutes = self.wording.numbers.get(minute or "") or int(minute or 0)
        return day.replace(hour=hours, minute=minutes, tzinfo=self.now.tzinfo).astimezone(UTC)


def without_marks(text: str) -> str:
    """Return the text with a blank for each character that could be taken for a mark."""
    return _PRIVATE.sub(" ", text)


def groups_of(match: re.Match[str]) -> dict[str, str]:
    """Return the groups that matched; a digit ends the names of those that a pattern has more than once."""
    return {name.rstrip("23456789"): words for name, words in match.groupdict().items() if words is not None}
