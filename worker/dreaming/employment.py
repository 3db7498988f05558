"""Who works where, as far as a statement says so of a person and a company by name: an edge between the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.guards import normalize
from service.extraction.candidates import Mention
from worker.dreaming.entity_names import UNKNOWN_KIND, Named, spelling_key

SLOT = "works_at"


@dataclass(frozen=True, slots=True)
class Employment:
    """A person and the company they work at."""

    person: Named
    company: Named


def employment_in(
    content: str, subject: str | None, slot: str | None, value: str | None, mentions: Sequence[Mention]
) -> Employment | None:
    """The employment that a statement which fills the slot ``works_at`` speaks of; None where either has no name."""
    owner, _, attribute = (slot or "").rpartition("/")
    if attribute != SLOT or not owner or not value:
        return None
    person, company = _named(owner, content, subject, mentions), _company(value, content, mentions)
    return Employment((person, "person"), (company, "company")) if person and company else None


def _named(owner: str, content: str, subject: str | None, mentions: Sequence[Mention]) -> str | None:
    """The name of whose slot it is, as it is written: the subject's, what the statement opens with, or one it names."""
    opening = content[: len(owner)]
    names = [subject or "", opening if opening[:1].isupper() else "", *(mention.name for mention in mentions)]
    return next((name for name in names if normalize(name) == owner), None) if "'s " not in owner else None


def _company(value: str, content: str, mentions: Sequence[Mention]) -> str | None:
    """The name of the company as the statement writes it, in capitals or as a name that it is known to be."""
    at = content.casefold().find(value)
    written = content[at : at + len(value)] if at >= 0 else ""
    named = [mention.name for mention in mentions if mention.kind in ("company", UNKNOWN_KIND)]
    if written[:1].isupper() and normalize(written) == value:
        named.append(written)
    return next((name for name in named if spelling_key(name) == spelling_key(value)), None)
