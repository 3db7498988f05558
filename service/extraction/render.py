"""The last stage: a claim as a memory, in the third person, with absolute dates and whole addresses."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from service.domain.types import MemoryType
from service.extraction.addresses import with_addresses
from service.extraction.candidates import Candidate, Turn
from service.extraction.claims import Claim
from service.extraction.dates import ground
from service.extraction.mentions import mentions
from service.extraction.third_person import in_third_person

NOBODY = "The user"
CONTENT_CHARS_MAX = 600

_DATES = ("date", "deadline", "eta")
_FROM_TO = re.compile(r"\bfrom\s[^.;]{1,40}?\sto\s")
_RECURS = re.compile(
    r"\banniversary\b|\bbirthday\b(?! (?:party|dinner|bash|trip|present|gift|lunch|celebration))|\b(?:every"
    r"|each) year\b|\bannually\b"
    r"|\bborn on\b(?![^.]{0,30}\d{4})",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r" [-–—] even$", re.IGNORECASE)
_EMOJI_LAST = re.compile(r"(?:\s?[\u2600-\u27bf\u2b50\ufe0f\u200d\u2764\U0001f300-\U0001faff]){1,8}$")
_HAPPENING = frozenset({MemoryType.EVENT, MemoryType.OBSERVATION})


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says something. ``alone``: they speak with the assistant, not with another named person."""

    name: str  # as told
    subject: str  # exactly as given
    key: str
    alone: bool


def speaker_of(turn: Turn) -> Speaker:
    """The speaker of a turn: its own, else the session's user, else "The user"."""
    named = _printable(turn.speaker) or _printable(turn.user)
    given = turn.speaker if _printable(turn.speaker) else turn.user
    return Speaker(
        named or NOBODY, given if named and given else NOBODY, named.casefold() or "user", alone=not turn.speaker
    )


def candidate_of(
    claim: Claim, turn: Turn, speaker: Speaker, people: Collection[str], addresses: Sequence[str]
) -> Candidate:
    """The memory that a claim proposes."""
    told = in_third_person(closed(claim.text), speaker.name)[:CONTENT_CHARS_MAX]
    forward = claim.type in (MemoryType.TODO, MemoryType.GOAL)
    grounded = ground(told, turn.at, future=forward) if claim.grounded and not _RECURS.search(told) else None
    content = with_addresses(grounded.text if grounded else told, addresses)
    happened = grounded.at if grounded else None
    value = with_addresses(claim.value, addresses) if claim.slot and claim.value else None
    if happened is not None and claim.slot is not None and claim.slot.endswith(_DATES):
        happened = _moved_to(told, turn) or happened
        value = happened.date().isoformat()
    dated = happened is not None
    if happened is None and claim.type in _HAPPENING:
        happened = turn.at
    return Candidate(
        type=claim.type,
        content=content if content.startswith(speaker.name) else content[:1].upper() + content[1:],
        evidence=(turn.id,),
        subject=speaker.subject,
        polarity=claim.polarity,
        slot=f"{_owner(claim, speaker)}/{claim.slot}" if claim.slot else None,
        value=value,
        occurred_at=happened,
        importance=round(min(1.0, claim.importance + 0.05 * dated), 2),
        confidence=round(max(0.1, claim.confidence), 2),
        mentions=mentions(content, people, speaker.name),
    )


def extended(candidate: Candidate, more: str, turn: Turn, addresses: Sequence[str]) -> Candidate:
    """A candidate with another sentence, already in the third person, behind its own."""
    content = f"{candidate.content} {with_addresses(ground(more, turn.at).text, addresses)}"
    return candidate if len(content) > CONTENT_CHARS_MAX else replace(candidate, content=content)


def closed(text: str) -> str:
    """A clause as a sentence: white space folded, loose marks at its ends gone, a full stop behind it."""
    text = _CUT_OFF.sub("", _EMOJI_LAST.sub("", " ".join(text.split()).strip(" ,;:-–—")))
    return text if text.endswith((".", "!", ")", '"', "”")) else f"{text}."


def _moved_to(clause: str, turn: Turn) -> datetime | None:
    """The later date of "moved from June 12 to October 21"; None where it is no such statement."""
    moved = _FROM_TO.search(clause)
    later = ground(f"on {clause[moved.end() :]}", turn.at, future=True) if moved else None
    return later.at if later else None


def _owner(claim: Claim, speaker: Speaker) -> str:
    if claim.owner is None:
        return speaker.key
    owner = claim.owner.casefold()
    for possessive in ("my ", "our "):
        if owner.startswith(possessive):
            return f"{speaker.key}'s {owner.removeprefix(possessive)}"
    return owner


def _printable(name: str | None) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in name or "").split())
