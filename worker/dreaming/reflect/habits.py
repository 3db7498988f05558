"""A habit: what somebody did on several days ("Sam ran by the river", three times).

Two reports are of one habit when they agree in who did it and in every word that carries meaning, but for when it was:
"went running by the river yesterday" and "ran by the river on the morning of 3 October 2026".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.domain.guards import content_stems, normalize
from service.domain.word_lists import word_set
from service.extraction.english.completed_todos import deed_done, without_time
from service.extraction.english.lexicon import MONTHS, WEEKDAYS, base_of_past, third_person
from worker.dreaming.digests import digest_of
from worker.dreaming.reflect.changes import months_between

TIMES_MIN = 3
OFTEN_DAYS = 31
"""Done as often as once in so many days, it is done often."""
_CHARS_MAX = 300
_PARTS_OF_DAY = word_set("morning afternoon evening night week weekend month day today again")
_TIME_STEMS = content_stems(" ".join(_PARTS_OF_DAY)) | {"go"}
_OF_CALENDAR = frozenset((*MONTHS, *WEEKDAYS)) | _PARTS_OF_DAY
_IN_MONTH = re.compile(rf"\b(?:in|during) (?:{'|'.join(MONTHS)})(?: \d{{4}})?(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_DENIED = re.compile(
    r"^(?:(?:does|do) not|doesn['’]t|don['’]t|no longer|never|(?:has |have )?(?:stopped|quit|given up)|gave up)"
    r"(?: (?:really|even|ever))? (?P<what>.+?)(?: any ?more| any longer)?\.?$"
)


@dataclass(frozen=True, slots=True)
class Habit:
    """Which habit a statement reports to have been followed, or ``denied``; equal for reports of the same one."""

    key: str
    denied: bool = False

    @property
    def about(self) -> str:
        """The matter of an insight on it."""
        return f"habit:{self.key}"

    def stored(self) -> dict[str, object]:
        """As it is kept with what a dream reads in a memory."""
        return {"habit": self.key} | ({"denied": True} if self.denied else {})


@dataclass(frozen=True, slots=True)
class Report:
    """A statement that something was done, and when."""

    content: str
    at: datetime


def habit_in(content: str, subject: str | None, *, happens: bool) -> Habit | None:
    """The habit a statement speaks of; None for most. What ``happens`` is compared word for word where it is no plain
    report of a deed in English."""
    if len(content) > _CHARS_MAX or "?" in content:
        return None
    whose = normalize(subject or "")
    denied = _DENIED.match(_after(whose, normalize(content))) if whose else None
    if denied is not None:
        stems = content_stems(denied["what"]) - _TIME_STEMS
        return Habit(digest_of(subject or "", *sorted(stems)), denied=True) if stems else None
    deed = deed_done(_IN_MONTH.sub("", content), subject)
    if deed is not None:
        stems = (deed.verb | content_stems(" ".join(deed.words))) - _TIME_STEMS
        own = deed.actor == (whose or deed.actor)
        return Habit(digest_of(subject or deed.actor, *sorted(stems))) if stems and own and deed.actor else None
    words = [word for word in _WORD.findall(normalize(content)) if word not in _OF_CALENDAR]
    return Habit(digest_of(subject or "", "", *words)) if happens and whose and len(words) > 2 else None


def habit_sentence(reports: Sequence[Report], user: str | None) -> str:
    """What the reports of a habit come to, in a sentence."""
    days = sorted(one.at for one in reports)
    often = (days[-1] - days[0]).days <= OFTEN_DAYS * (len(days) - 1)
    phrases = sorted(filter(None, (_phrase(one.content, user) for one in reports)), key=lambda one: (len(one), one))
    if not phrases:
        shortest = min((one.content for one in reports), key=lambda one: (len(one), one))
        return f"{shortest.rstrip('.。')} ({len(days)}×, {days[0]:%Y-%m-%d} – {days[-1]:%Y-%m-%d})"
    when = f"{len(days)} times, {months_between(days[0], days[-1])}"
    return f"{user} often {phrases[0]} ({when})" if often else f"{user} {phrases[0]} now and then ({when})"


def _phrase(content: str, user: str | None) -> str | None:
    """What a plain report in English says that its user does: "runs by the river"."""
    who = user or ""
    if not who or normalize(content[: len(who)]) != normalize(who) or deed_done(content, user) is None:
        return None
    words = without_time(_IN_MONTH.sub("", content[len(who) :])).rstrip(". ").split()
    while words and words[-1] in _PARTS_OF_DAY:
        words.pop()
    base = base_of_past(words[0]) if words else None
    return " ".join([third_person(base), *words[1:]]) if base is not None else None


def _after(whose: str, text: str) -> str:
    return text.removeprefix(f"{whose} ") if text.startswith(f"{whose} ") else ""
