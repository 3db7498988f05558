"""What a summary must not lose: addresses, ids, dates, file names and numbers, found in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

PIECE_CHARS = 4_096
"""A text is scanned in pieces, cut at white space where there is any: one piece takes well under a millisecond."""

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
# Runs that may be long are taken from their beginning and whole, or bounded by 255 characters, as file names are
# (NAME_MAX of POSIX): the time a text takes is linear in its length.
_KINDS = (
    r"https?://[^\s<>\"'`\])}]+",
    r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+",
    r"(?:(?<![\w./-])|(?<=[^\w.-]\.))(?:[\w.~-]{0,255}+/){0,64}[\w-][\w.-]{0,255}"
    r"\.[a-z][a-z0-9]{0,5}\b(?<!\.e\.g)(?<!\.i\.e)",
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? \d{{4}})?\b",
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?",
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    r"[€$£]?(?<![\w.])[A-Za-z]{0,12}[-_#]?\d[\w.,:/%#-]*[\w%]|[€$£]?\d%?",
)
_IDENTIFIER = re.compile("|".join(f"(?:{kind})" for kind in _KINDS), re.IGNORECASE)
_TRAILING = ".,;:!?-_/"


def identifiers(texts: Iterable[str]) -> list[str]:
    """Every URL, e-mail address, UUID, date, file name, number and code in the texts, once each, in order."""
    found: dict[str, None] = {}
    for text in texts:
        for piece in _pieces(text):
            for match in _IDENTIFIER.finditer(piece):
                token = match[0].rstrip(_TRAILING)
                if token:
                    found.setdefault(token)
    return list(found)


def missing_from(summary: str, wanted: Iterable[str]) -> list[str]:
    """Those of the identifiers that a summary does not hold."""
    return [token for token in wanted if token not in summary]


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = text.rfind(" ", start, start + PIECE_CHARS) + 1
        end = end if end > start else start + PIECE_CHARS
        yield text[start:end]
        start = end
    yield text[start:]
