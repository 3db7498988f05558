"""Times that a question names, in any of the languages of the rules."""

from __future__ import annotations

from datetime import datetime, timedelta

from service.domain import timex
from service.domain.timex import Timed, TimeSpan
from service.extraction.english.dates import ground
from service.extraction.languages.detection import spoken
from service.extraction.languages.reading import grounded


def times_of(question: str, now: datetime) -> Timed:
    """Return a question, asked at the local time ``now``, and the times that it names."""
    timed = timex.parse(question, now)
    if timed.windows:
        return timed
    language = spoken(question, None)
    said = ground(question, now) if language is None else grounded(language, question, now, past=True)
    if said.period is None:
        return timed
    span = TimeSpan(said.period.begin, said.period.end or said.period.begin + timedelta(minutes=1))
    return Timed(question, (span.in_zone(now.tzinfo) if said.period.of_calendar else span,))
