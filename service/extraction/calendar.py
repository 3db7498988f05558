"""Calendars: how a language names times, and the day that such a name means when it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

_HALF_YEAR = timedelta(days=183)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text whose time expressions are absolute, and when its first one lies (midnight of the first day)."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class When:
    """What a time expression means. ``shown``: the day that is written, where it is not the first one."""

    kind: str  # day, weekday, week, week before, week after, weekend, month, year
    day: datetime
    shown: datetime | None = None


Reader = Callable[[re.Match[str], dict[str, str], datetime], tuple[When, str] | None]
"""Is given a match, its groups, and midnight of the day; returns what it means and how that is written."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a language names times.

    ``expression`` has the groups that ``meaning`` reads; a digit ends those that it has more than once. The mappings
    say what its words mean: days from today, months, weekdays, units (``day``, ``week``, ``weekend``, ``month``,
    ``year``), -1 to 1 for last, this and next; with ``whole_weeks`` the next Friday is that of the next week.
    """

    expression: re.Pattern[str]
    named: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    units: Mapping[str, str]
    steps: Mapping[str, int]
    counts: Mapping[str, int]
    whole_weeks: bool = False

    def ground(self, text: str, now: datetime, read: Reader) -> Grounded:
        """Replace the time expressions in ``text``, said at ``now``, by absolute ones.

        One that ``read`` returns None for, or that names no existing date, stays as it is.
        """
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        found: list[datetime] = []

        def written(match: re.Match[str]) -> str:
            given = {name.rstrip("23456"): words for name, words in match.groupdict().items() if words is not None}
            try:
                meant = read(match, given, midnight)
            except (ValueError, OverflowError, KeyError):
                meant = None
            if meant is None:
                return match[0]
            when, words = meant
            found.append(when.day)
            return words

        grounded = self.expression.sub(written, text)
        return Grounded(grounded, found[0] if found else None)

    def meaning(self, said: Mapping[str, str], today: datetime, ahead: bool | None) -> When | None:
        """Return what the groups of an expression mean; None for no group.

        What names no year, or no week, lies ahead or behind, as ``ahead`` says, or, where that is None, in the nearest
        year and the last week.
        """
        given = {name: " ".join(words.lower().split()) for name, words in said.items()}
        if "iso" in given:
            year, month, day = map(int, given["iso"].split("-"))
            return When("day", today.replace(year=year, month=month, day=day))
        if "day" in given:
            return When("day", self._calendar_day(given, today, ahead))
        if "named" in given:
            return When("day", today + timedelta(days=self.named[given["named"]]))
        if "ago" in given or "in" in given:
            count = given.get("ago") or given["in"]
            amount = self.counts.get(count) or int(count)
            return _shifted(-amount if "ago" in given else amount, self.units[given["unit"]], today)
        if "step" in given:
            return self._stepped(self.steps[given["step"]], given["unit"], today)
        if "weekday" in given:
            return When("weekday", _weekday_near(today, self.weekdays[given["weekday"]], ahead=bool(ahead)))
        first = today.replace(day=1)
        if "month" not in given:
            return When("year", first.replace(year=int(given["year"]), month=1)) if "year" in given else None
        month = self.months[given["month"]]
        if "year" in given:
            return When("month", first.replace(year=int(given["year"]), month=month))
        return When("month", nearest_year(first, month, 1, ahead))

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
        return _shifted(step, unit, today)


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


def _shifted(amount: int, unit: str, today: datetime) -> When:
    if unit == "day":
        return When("day", today + timedelta(days=amount))
    if unit in ("week", "weekend"):
        return When("day", today + timedelta(weeks=amount))
    if unit == "month":
        return When("month", add_months(today, amount))
    return When("year", today.replace(year=today.year + amount, month=1, day=1))


def _weekday_near(today: datetime, weekday: int, *, ahead: bool) -> datetime:
    """Return the day of the week (0 is Monday) next after or last before today."""
    distance = (weekday - today.weekday()) % 7 or 7
    return today + timedelta(days=distance if ahead else distance - 7 if distance < 7 else -7)
