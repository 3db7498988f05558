"""Calendars: how a language names times, and what such a name means when it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from service.domain.times import Period
from service.extraction.compound_times import Time, TimesOfText, Wording, groups_of, without_marks

_HALF_YEAR = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text whose time expressions are absolute, and its first time. ``timed``: it names one, if perhaps none that is
    understood."""

    text: str
    period: Period | None = None
    timed: bool = False

    def happened(self, said: datetime) -> Period | None:
        """Return when what the text says, in the local time ``said``, happened: that day, where it names no time."""
        return self.period if self.timed else Period.of_days(said)


@dataclass(frozen=True, slots=True)
class When:
    """What a time expression means. ``shown``: the day that is written, where it is not the first one. ``exactly``:
    where it is not what its kind says."""

    kind: str  # day, weekday, week, week before, week after, weekend, month, year
    day: datetime
    shown: datetime | None = None
    exactly: Period | None = None

    @property
    def period(self) -> Period:
        """Return the time as exact as it was said."""
        if self.exactly is not None:
            return self.exactly
        if self.kind in ("month", "year"):
            return Period.of_months(self.day.year, self.day.month, 1 if self.kind == "month" else 12)
        return Period.of_days(self.day, {"day": 1, "weekday": 1, "weekend": 2}.get(self.kind, 7))


Reader = Callable[[re.Match[str], dict[str, str], datetime], tuple[When, str] | None]
"""Is given a match, its groups, and midnight of the day; returns what it means and how that is written."""
Ahead = Callable[[str, int, int], bool | None]
"""Returns whether what stands in a text from one place to another lies ahead; None where nothing tells."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a language names times.

    ``expression`` has the groups that ``meaning`` reads; a digit ends those that it has more than once. The mappings
    say what its words mean: days from today, months, weekdays, units (``day``, ``week``, ``weekend``, ``month``,
    ``year``), -1 to 1 for last, this and next, quarters and decades by words; ``wording`` says how times are joined.
    With ``whole_weeks`` the next Friday is that of the next week.
    """

    expression: re.Pattern[str]
    named: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    units: Mapping[str, str]
    steps: Mapping[str, int]
    counts: Mapping[str, int]
    wording: Wording
    quarters: Mapping[str, int]
    decades: Mapping[str, int]
    whole_weeks: bool = False

    def ground(self, text: str, now: datetime, read: Reader, ahead: Ahead) -> Grounded:
        """Replace the time expressions in ``text``, said at the local time ``now``, by absolute ones.

        One that ``read`` returns None for, or that names no existing date, stays as it is.
        """
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        times = TimesOfText(self.wording, partial(self._plain, now=now), now)
        text = without_marks(text)
        written: dict[str, tuple[str, str]] = {}
        marked: list[str] = []
        end = 0
        for match in self.expression.finditer(text):
            given = groups_of(match)
            try:
                meant = read(match, given, midnight)
                time = Time(meant[0].period, given, ahead(text, match.start(), match.end())) if meant else None
            except (ValueError, OverflowError, KeyError):
                continue
            if meant is not None and time is not None:
                named = max((match.end(name) for name in match.re.groupindex if name.startswith("prep")), default=-1)
                kept = text[match.start() : named].rstrip() + " " if named >= 0 else ""
                mark = times.mark(time, "")
                written[mark] = meant[1], match[0]
                marked += text[end : match.start()], kept, mark
                end = match.end()
        whole = "".join([*marked, text[end:]])
        period = None if times.recur(text) else times.period(whole, ahead)
        for mark, (words, said) in written.items():
            marked[marked.index(mark) - 1 : marked.index(mark) + 1] = ["", said if mark in times.kept else words]
        return Grounded("".join([*marked, text[end:]]), period, period is not None or times.named(text))

    def meaning(self, said: Mapping[str, str], today: datetime, ahead: bool | None) -> When | None:
        """Return what the groups of an expression mean; None for no group.

        What names no year, or no week, lies ahead or behind, as ``ahead`` says, or, where that is None, in the nearest
        year and the last week.
        """
        given = {name: " ".join(words.lower().split()) for name, words in said.items()}
        if "iso" in given:
            year, month, day = map(int, re.split(r"\D", given["iso"]))
            return When("day", today.replace(year=year, month=month, day=day))
        if "day" in given:
            return When("day", self._calendar_day(given, today, ahead))
        if "named" in given:
            return When("day", today + timedelta(days=self.named[given["named"]]))
        if "ago" in given or "in" in given:
            count = given.get("ago") or given["in"]
            amount = self.counts.get(count) or int(count)
            return shifted(-amount if "ago" in given else amount, self.units[given["unit"]], today)
        if "quarter" in given:
            return self._quarter(given, today, ahead)
        if "decade" in given:
            return _decade(self.decades.get(given["decade"]) or int(given["decade"]), today)
        if "step" in given:
            return self._stepped(self.steps[given["step"]], given["unit"], today)
        if "weekday" in given:
            return When("weekday", _weekday_near(today, self.weekdays[given["weekday"]], ahead=bool(ahead)))
        first = today.replace(day=1)
        if "month" not in given:
            return When("year", first.replace(year=int(given["year"]), month=1)) if "year" in given else None
        month = self.months.get(given["month"]) or int(given["month"])
        if "year" in given:
            return When("month", first.replace(year=int(given["year"]), month=month))
        return When("month", nearest_year(first, month, 1, ahead))

    def _plain(self, said: Mapping[str, str], ahead: bool | None, *, now: datetime) -> Period | None:
        """Return what the groups of a plain time mean; hours and minutes are counted from ``now``."""
        if said.keys() & {"hours", "minutes"}:
            count = said.get("hours") or said["minutes"]
            amount = self.counts.get(count.lower()) or int(count)
            distance = timedelta(hours=amount) if "hours" in said else timedelta(minutes=amount)
            moment = now.astimezone(UTC) + (-distance if "back" in said else distance)
            return Period(moment.replace(second=0, microsecond=0))
        if "current" in said:
            return self._stepped(0, said["current"].lower(), now.replace(hour=0, minute=0, second=0)).period
        when = self.meaning(said, now.replace(hour=0, minute=0, second=0, microsecond=0), ahead)
        return when.period if when else None

    def _quarter(self, given: Mapping[str, str], today: datetime, ahead: bool | None) -> When:
        number = self.quarters.get(given["quarter"]) or int(given["quarter"])
        year = int(given["year"]) if "year" in given else today.year
        quarter = Period.of_months(year, number * 3 - 2, 3)
        day = Period.of_days(today)
        if "year" not in given and ahead and quarter.end <= day.begin:  # type: ignore[operator]  # it has an end
            quarter = Period.of_months(year + 1, number * 3 - 2, 3)
        elif "year" not in given and ahead is False and quarter.begin > day.begin:
            quarter = Period.of_months(year - 1, number * 3 - 2, 3)
        return When("quarter", today, exactly=quarter)

    def _calendar_day(self, given: Mapping[str, str], today: datetime, ahead: bool | None) -> datetime:
        month, day = self.months.get(given["month"]) or int(given["month"]), int(given["day"])
        if "year" not in given:
            return nearest_year(today, month, day, ahead)
        year = int(given["year"])
        return today.replace(year=year if year > 99 else 2000 + year, month=month, day=day)

    def _stepped(self, step: int, word: str, today: datetime) -> When:
        monday = today - timedelta(days=today.weekday())
        if word in self.weekdays:
            weekday = self.weekdays[word]
            if self.whole_weeks:
                return When("weekday", monday + timedelta(days=weekday, weeks=step))
            if step == 0:
                return When("weekday", today + timedelta(days=(weekday - today.weekday()) % 7))
            return When("weekday", _weekday_near(today, weekday, ahead=step > 0))
        if word in self.months:
            start = nearest_year(today.replace(day=1), self.months[word], 1, ahead=step >= 0)
            if step < 0 and start >= today.replace(day=1):
                start = start.replace(year=start.year - 1)
            return When("month", start)
        unit = self.units[word]
        if unit == "week":
            kind = {-1: "week before", 0: "week", 1: "week after"}[step]
            return When(kind, monday + timedelta(weeks=step), today)
        if unit == "weekend":
            return When("weekend", monday + timedelta(days=5, weeks=step))
        return shifted(step, unit, today)


def nearest_year(today: datetime, month: int, day: int, ahead: bool | None) -> datetime:
    """Return the next such day with ``ahead``, the last one without, and the nearest where that is None."""
    start = today.replace(month=month, day=day)
    if ahead and start < today:
        return start.replace(year=today.year + 1)
    if (ahead is False and start > today) or (ahead is None and start - today > _HALF_YEAR):
        return start.replace(year=today.year - 1)
    return start


def add_months(day: datetime, months: int) -> datetime:
    """Return the first of the month so many months later."""
    index = day.year * 12 + day.month - 1 + months
    return day.replace(year=index // 12, month=index % 12 + 1, day=1)


def shifted(amount: int, unit: str, today: datetime) -> When:
    """Return the day, or the week, month or year, that lies so many of them ahead."""
    if unit == "day":
        return When("day", today + timedelta(days=amount))
    if unit in ("week", "weekend"):
        day = today + timedelta(weeks=amount)
        monday = day - timedelta(days=day.weekday())
        first = monday + timedelta(days=5) if unit == "weekend" else monday
        return When("day", day, exactly=Period.of_days(first, 2 if unit == "weekend" else 7))
    if unit == "month":
        return When("month", add_months(today, amount))
    return When("year", today.replace(year=today.year + amount, month=1, day=1))


def _decade(years: int, today: datetime) -> When | None:
    """Return a decade, by its first year or that of the twentieth century; None for one that may be of two."""
    first = years if years > 99 else 1900 + years
    if years <= 20:
        return None
    return When("decade", today, exactly=Period.of_months(first, 1, 120))


def _weekday_near(today: datetime, weekday: int, *, ahead: bool) -> datetime:
    """Return the day of the week (0 is Monday) next after or last before today."""
    distance = (weekday - today.weekday()) % 7 or 7
    return today + timedelta(days=distance if ahead else distance - 7 if distance < 7 else -7)
