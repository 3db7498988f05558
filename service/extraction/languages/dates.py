"""Grounding of a language's time expressions on the time a turn was said; a language's words are in its calendar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from service.extraction.dates import Grounded, add_months, weekday_near
from service.extraction.languages.grammar import Calendar

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
