"""A change over time: what filled a slot before, and what fills it now ("Sam moved from Berlin to Bergen")."""

from __future__ import annotations

from datetime import datetime

from service.domain.guards import normalize
from service.extraction.english.dates import MONTH_NAMES

_SENTENCES = {
    "lives_in": "{who} moved from {old} to {new} in {when}",
    "works_at": "{who} changed jobs from {old} to {new} in {when}",
}
_OTHERS = "{whose}{attribute} changed from {old} to {new} in {when}"


def change_sentence(
    slot: str, user: str | None, before: tuple[str, str], after: tuple[str, str], when: datetime
) -> str | None:
    """What changed in a slot, of two (value, content) pairs; None where it is not clear of whom or what."""
    owner, _, attribute = slot.rpartition("/")
    old, new = (_as_written(*each) for each in (before, after))
    whom = user if user is not None and normalize(user) == owner else _as_written(owner, after[1])
    if not attribute or not old or not new or (attribute in _SENTENCES and not whom):
        return None
    return _SENTENCES.get(attribute, _OTHERS).format(
        who=whom, whose=f"{whom}'s " if whom else "The ", attribute=attribute.replace("_", " "), old=old, new=new,
        when=month_of(when),
    )  # fmt: skip


def month_of(moment: datetime) -> str:
    """As ``November 2026``."""
    return f"{MONTH_NAMES[moment.month - 1]} {moment.year}"


def months_between(first: datetime, last: datetime) -> str:
    """As ``November 2026``, ``October–November 2026`` or ``December 2025 – January 2026``."""
    if first.year != last.year:
        return f"{month_of(first)} – {month_of(last)}"
    return month_of(last) if first.month == last.month else f"{MONTH_NAMES[first.month - 1]}–{month_of(last)}"


def _as_written(value: str, content: str) -> str:
    """A folded value as a text spells it."""
    at = content.lower().find(value)
    return content[at : at + len(value)] if at >= 0 else value
