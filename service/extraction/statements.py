"""From a sentence to its clauses, each of which may be a statement of its own."""

from __future__ import annotations

import re

_STARTS = (
    r"(?:i|we|my|i'm|i've|i'll|we're|we've|we'll|not|don't|hate|prefer|dislike|can't stand|never|only|just|from now on"
    r"|going forward|please|always|let's|lets|remind me|need to|have to|must|want to|our)\b"
)
_CLAUSE = re.compile(
    rf"(?:(?<!\s) ?;|,? (?:but|yet|whereas|while|and|though|although|so)| [-–—]|,) (?:(?:also|instead|now|then|so"
    rf"|and|but) ){{0,2}}"
    rf"(?={_STARTS})|,? but (?=(?:love|like|enjoy)\b)|,(?: and)? (?=use (?:\w+ ){{0,3}}units\b|no emojis)"
    r"|, (?=[\w-]{2,20}(?: \w{2,20})? only[.!]?$)",
    re.IGNORECASE,
)
_CLAUSE_AFTER_HATE = re.compile(rf"{_CLAUSE.pattern}|(?:,| and) (?=(?:love|like|enjoy)\b)", re.IGNORECASE)
_STARTS_HATE = re.compile(
    r"^(?:i|we) (?:\w+ )?(?:hate|dislike|detest|can't stand|don't (?:like|enjoy|love))\b", re.IGNORECASE
)
_LEAD = re.compile(
    r"^(?:[\w'’ ]{2,45}, |i (?:think|guess|believe|feel like) (?:that )?|(?:these days|nowadays|currently"
    r"|right now|now|recently|lately|today|personally|since then|in general|as of (?:today|now|(?:this|last) (?:week"
    r"|month|year))|so|also|because|since|as) )"
    r"(?=(?:i|we|my|our|i'm|i've|we're|we've|i'd|i'll|we'll)\b)",
    re.IGNORECASE,
)


def clauses(sentence: str) -> list[tuple[str, str]]:
    """The clauses of a sentence, each with what separates it from the one before."""
    return parted(sentence, _CLAUSE_AFTER_HATE if _STARTS_HATE.match(sentence) else _CLAUSE)


def parted(text: str, breaks: re.Pattern[str]) -> list[tuple[str, str]]:
    """The parts of a text between ``breaks``, each with what separates it from the one before."""
    parts: list[tuple[str, str]] = []
    start, separator = 0, ""
    for match in breaks.finditer(text):
        parts.append((separator, text[start : match.start()]))
        start, separator = match.end(), match[0]
    return [*parts, (separator, text[start:])]


def without_lead(clause: str) -> str:
    """A clause without what stands before its subject: "These days", "I think", "After the trip,"."""
    lead = _LEAD.match(clause)
    return clause[lead.end() :] if lead else clause
