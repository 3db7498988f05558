"""Periods: times no more exact than they were said, and the zones in which they were.

A period is an instant, or a stretch of calendar days. Calendar days belong to no zone, so they are stored as midnights
of UTC whatever the zone of who named them, and compared with the calendar of who asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, StringConstraints

Precision = Literal["year", "month", "day", "minute"]

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_OFFSET = re.compile(r"([+-])(\d\d):?([0-5]\d)")
_DAY = timedelta(days=1)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def tzinfo_of(name: str) -> tzinfo:
    """Return the zone of an IANA name or of an offset such as ``+02:00``. Raises ValueError for any other text."""
    offset = _OFFSET.fullmatch(name)
    try:
        if offset is not None:
            distance = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
            return timezone(-distance if offset[1] == "-" else distance)
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("must be an IANA time zone, as in Europe/Berlin") from None


def local_time(moment: datetime, *zones: str | None) -> datetime:
    """Return the moment in the first of the zones that is named; as it is at the ends of the calendar, where no other
    zone has it."""
    try:
        return moment.astimezone(next((tzinfo_of(zone) for zone in zones if zone), UTC))
    except OverflowError:
        return moment


def _zone_name(name: str) -> str:
    tzinfo_of(name)
    return name


ZoneName = Annotated[str, StringConstraints(max_length=100), AfterValidator(_zone_name)]


def zone_said(moment: datetime, zone: str | None) -> str | None:
    """Return the zone in which ``moment`` was told: ``zone`` where it has the offset of the moment, else that offset.

    An offset of zero tells no zone, since most programs write every time in UTC.
    """
    offset = moment.utcoffset()
    if not offset or (zone is not None and local_time(moment, zone).utcoffset() == offset):
        return zone
    return moment.isoformat()[-6:] if not offset.seconds % 60 else zone


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A time as exact as it was said: an instant, without an ``end``, or what lies from ``begin`` up to ``end``, which
    is left out."""

    begin: datetime
    end: datetime | None = None

    @classmethod
    def of_days(cls, first: date, days: int = 1) -> Period:
        """Return so many calendar days; their beginning alone where the calendar ends before them."""
        begin = datetime(first.year, first.month, first.day, tzinfo=UTC)
        try:
            return cls(begin, begin + timedelta(days=days))
        except OverflowError:
            return cls(begin)

    @classmethod
    def of_months(cls, year: int, month: int, months: int = 1) -> Period:
        """Return so many calendar months from the given one. Raises ValueError where there is no such month."""
        return cls(_first_of(year * 12 + month - 1), _first_of(year * 12 + month - 1 + months))

    @classmethod
    def parse(cls, text: str, zone: tzinfo | None = UTC) -> Period:
        """Return the period that ISO 8601 writes so: ``2019``, ``2019-05``, ``2019-05-03``, ``2019-05-03T14:30+02:00``,
        or from one through another, as ``2019/2022``. A time without an offset is of ``zone``. Raises ValueError for
        any other text."""
        first, slash, last = text.strip().partition("/")
        begin, end = first_moment(first, zone), last_moment(first)
        if slash:
            end = last_moment(last) or first_moment(last, zone)
        return cls(begin, end).checked()

    def checked(self) -> Period:
        """Return the period itself. Raises ValueError where it ends before it begins."""
        if self.end is not None and self.end <= self.begin:
            raise ValueError("must be after the beginning")
        return self

    @property
    def precision(self) -> Precision:
        """Return the largest unit that both ends are the beginning of; a minute for an instant."""
        ends = (self.begin, self.end or self.begin)
        if self.end is None or any(one.astimezone(UTC).time() != datetime.min.time() for one in ends):
            return "minute"
        if any(one.day != 1 for one in ends):
            return "day"
        return "month" if any(one.month != 1 for one in ends) else "year"

    @property
    def of_calendar(self) -> bool:
        """Return whether it is a stretch of calendar days."""
        return self.precision != "minute"

    @property
    def last(self) -> datetime:
        """Return the last day of a stretch of calendar days, else the beginning."""
        return self.end - _DAY if self.end is not None and self.of_calendar else self.begin

    def iso(self) -> str:
        """Return the period as ``parse`` reads it."""
        form = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}.get(self.precision)
        if form is None:
            return "/".join(one.isoformat() for one in (self.begin, self.end) if one)
        first, last = self.begin.strftime(form), self.last.strftime(form)
        return first if first == last else f"{first}/{last}"

    def words(self, zone: tzinfo = UTC) -> str:
        """Return the days in English words, no more exact than they are: ``7 May 2023``, ``May 2023``,
        ``2019 to 2022``. ``zone``: in which an instant is told."""
        at = self.begin if self.of_calendar else self.begin.astimezone(zone)
        last = self.last if self.of_calendar else at
        words = {"year": _year_words, "month": _month_words}.get(self.precision, day_words)
        return words(at) if words(at) == words(last) else f"{words(at)} to {words(last)}"


def whole_date(value: object) -> str | None:
    """Return the value itself where it is written as a year, a month or a day; None for anything else."""
    return value if isinstance(value, str) and _DATE.fullmatch(value) else None


def first_moment(text: str, zone: tzinfo | None = UTC) -> datetime:
    """Return the beginning of what is written as a year, a month, a day or a time, without an offset of ``zone``.
    Raises ValueError."""
    written = _DATE.fullmatch(text)
    if written is not None:
        return datetime(int(written[1]), int(written[2] or 1), int(written[3] or 1), tzinfo=UTC)
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def last_moment(text: str) -> datetime | None:
    """Return the end of what is written as a year, a month or a day, which is left out; None for a time. Raises
    ValueError."""
    written = _DATE.fullmatch(text)
    if written is None:
        return None
    begin = first_moment(text)
    if written[3]:
        return begin + _DAY
    return _first_of(begin.year * 12 + begin.month - 1 + (1 if written[2] else 12))


def _first_of(month: int) -> datetime:
    """Return the first day of a month, counted from the year 0."""
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


def day_words(day: date) -> str:
    """Return a date in words without leading zero: ``7 May 2023``."""
    return f"{day.day} {_month_words(day)}"


def _month_words(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _year_words(day: date) -> str:
    return str(day.year)
